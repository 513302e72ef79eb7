"""Making items in advance."""

import threading
import time
from collections.abc import Iterator

import pytest

from transformer.training.prefetch import prefetch


def test_all_items_in_their_order() -> None:
    assert list(prefetch(range(50), 3)) == list(range(50))
    assert list(prefetch([], 3)) == []


def test_items_are_made_in_advance_but_not_all_of_them() -> None:
    made = []

    def items() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    iterator = prefetch(items(), 4)
    assert next(iterator) == 0
    deadline = time.monotonic() + 10
    while len(made) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert 5 <= len(made) <= 7  # four wait, one may be on its way, and one was taken
    iterator.close()  # type: ignore[attr-defined]


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    iterator = prefetch(items(), 2)
    assert next(iterator) == 1
    with pytest.raises(ValueError, match="broken"):
        next(iterator)


def test_the_thread_ends_with_the_iterator() -> None:
    iterator = prefetch(iter(int, 1), 2)  # without end
    next(iterator)
    iterator.close()  # type: ignore[attr-defined]
    assert not any(thread.name.startswith("prefetch") for thread in threading.enumerate())
