"""Measurements of the model: attention weights, what heads follow, and the costs of Table 1."""
