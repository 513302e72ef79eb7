"""Check results against what they were made from: the rules make them again, and a script checks what no rule does."""
