"""The version of training, which decides together with settings and data whether a checkpoint can be resumed."""

TRAINING_VERSION = 1
"""Raise this number when the same settings and data begin to give other weights.

Such changes are: another initialisation, model, loss, optimiser, learning rate, order of batches, division into
micro-batches, or sequence of random numbers.  Rounding, messages, names, speed and validation are not.  Checkpoints of
another version are neither resumed nor taken for results.  ``tests/training/test_golden_losses.py`` fails when losses
change and this number does not.
"""
