"""The Transformer, in the order of section 3 of the paper, and the layer types of section 4."""
