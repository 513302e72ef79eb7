"""The figures, drawn from JSON and CSV files; no torch."""
