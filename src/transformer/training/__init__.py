"""The training loop of section 5: loss, schedule, checkpoints and several processes."""
