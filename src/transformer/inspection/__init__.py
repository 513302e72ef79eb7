"""Measurements of the model: attention weights, recorded steps and the costs of Table 1."""
