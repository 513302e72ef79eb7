"""The tables, the claims, and the files behind each number."""
