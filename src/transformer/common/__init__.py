"""Errors that users see, safe file writing, line reading, parallel work and progress."""
