"""The registry of sources: download, unpack, extract and clean sentence pairs."""
