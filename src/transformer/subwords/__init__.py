"""Byte-pair encoding and word-pieces: learn a vocabulary, encode and decode text."""
