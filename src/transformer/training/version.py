"""The version of the training, raised by hand whenever a change to the code changes the trained weights.

The rule ``train`` depends on this number instead of a hash of the code, so that rewording a message does not train
every model again.
"""

TRAINING_VERSION = 1
