"""Tokenized datasets in memory-mapped files, and padded batches of similar lengths."""
