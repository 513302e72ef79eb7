"""The tables, the comparison with the paper, and the provenance of each number."""
