"""Trained models in the formats of other tools: Hugging Face and CTranslate2."""
