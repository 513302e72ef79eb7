"""A trained model with its vocabularies and its beam search: translate, parse, look at attention."""
