"""Estimates of the operations, time, disk and memory that a scale needs."""
