"""The version of training, which decides together with settings and data whether a checkpoint can be resumed."""

TRAINING_VERSION = 4
"""Raise this number when the same settings and data begin to give different weights.

That is so after a change of initialisation, model, loss, optimiser, learning rate, order of batches, division into
micro-batches, or sequence of random numbers; a change of rounding, messages, names, speed or validation does not count.
Checkpoints of another version are neither resumed nor used as results.  ``tests/training/test_golden_losses.py`` fails
when losses change and this number does not.
"""
