"""The Transformer of *Attention Is All You Need*, and the steps that rebuild the paper's tables.

docs/architecture.md describes the packages; tests/architecture/test_packages.py says which may import which.
This file imports nothing, so reading a configuration never loads torch.
"""
