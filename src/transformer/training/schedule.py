"""The learning-rate schedule of section 5.3."""


def learning_rate(step: int, d_model: int, warmup_steps: int, scale: float = 1.0) -> float:
    """Return equation (3): d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5), times ``scale``.

    ``step`` counts from 1.  The paper's scale is 1.
    """
    return scale * d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
