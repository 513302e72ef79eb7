"""Measurements of the model: attention weights, and the costs of Table 1."""
