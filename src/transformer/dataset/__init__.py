"""Tokenized datasets in memory-mapped files, and batches of similar lengths."""
