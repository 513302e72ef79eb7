"""Check what is published against the files behind it: hashes, scores computed again, and tables made again."""
