"""Read, check and merge the configuration, without torch, so that a wrong key is reported within a second."""
