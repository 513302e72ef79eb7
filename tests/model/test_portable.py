"""What the libraries of a program with portable numerics are limited by."""

import pytest

from transformer.model import portable


@pytest.mark.parametrize(
    ("flags", "limited"), [("fpu avx2 fma", True), ("fpu avx2", False), ("fma4 avx2x", False), (None, False)]
)
def test_only_where_there_are_avx2_and_fma(
    monkeypatch: pytest.MonkeyPatch, flags: str | None, limited: bool
) -> None:
    """Torch would use the instructions without a look at the processor."""
    monkeypatch.setattr(portable, "first_processor", lambda: {} if flags is None else {"flags": flags})
    found = portable.portable_environment()
    assert (found.items() >= portable.LIMITS.items()) == limited
    assert bool(found) == limited
