"""The tables, the comparison with the paper, and the files behind each number."""
