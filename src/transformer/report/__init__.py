"""The report as PDF, and results for other people to read."""
