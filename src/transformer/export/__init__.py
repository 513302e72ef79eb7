"""Trained models as other tools read them: in the format of Hugging Face."""
