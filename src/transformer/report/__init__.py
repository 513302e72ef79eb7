"""The report as PDF and web page, and the index of results."""
