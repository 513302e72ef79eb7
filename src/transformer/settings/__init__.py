"""Read, check and resolve the configuration; no torch, so a wrong key is found in the first second."""
