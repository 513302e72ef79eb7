"""Results for other people to read."""
