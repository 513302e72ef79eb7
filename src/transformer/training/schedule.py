"""The learning-rate schedule: that of section 5.3, and a cooldown, which the paper does not have."""


def learning_rate(step: int, d_model: int, warmup_steps: int, scale: float = 1.0) -> float:
    """Return equation (3): d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5), times ``scale``.

    ``step`` counts from 1.  The paper's scale is 1.
    """
    return scale * d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def cooldown_factor(step: int, steps: int, cooldown: float) -> float:
    """Return what the learning rate of ``step`` is multiplied by; steps count from 1 to ``steps``.

    During the last ``cooldown`` of the steps, a share, it falls in a line that would reach 0 one step after the last;
    before them it is 1.  The paper has no cooldown, which is a share of 0.
    """
    return min(1.0, (steps - step + 1) / (cooldown * steps + 1))
