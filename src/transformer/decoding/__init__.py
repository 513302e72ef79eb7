"""Beam search with a length penalty (section 6.1), and translation of whole files."""
