"""Errors that users see, safe file writing, reading lines and YAML, parallel work and progress."""
