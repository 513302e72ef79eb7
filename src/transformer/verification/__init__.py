"""Check results: the recorded commands make them again, and a script checks what no command does."""
