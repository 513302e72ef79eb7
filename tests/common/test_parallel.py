"""Several processes give the same results as one."""

import os
import signal
import time
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.common.parallel import AHEAD, blocks, ordered_map


def slow_for_even(number: int) -> int:
    time.sleep(0.02 * (number % 2 == 0))
    return number * number


def fail_at_five(number: int) -> int:
    if number == 5:
        raise UserError("line 5 is wrong")
    return number


def die_at_five(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@given(st.lists(st.integers(), max_size=50), st.integers(1, 60))
def test_blocks_contain_the_whole_stream(items: list[int], size: int) -> None:
    cut = list(blocks(items, size))
    assert [item for block in cut for item in block] == items
    assert all(len(block) == size for block in cut[:-1])


def test_results_come_in_order() -> None:
    for processes in (1, 2):
        assert list(ordered_map(slow_for_even, range(20), processes)) == [n * n for n in range(20)]


def test_work_is_taken_only_when_it_is_needed() -> None:
    """Else memory would grow with the stream, which is endless here."""
    taken = count()

    def work() -> Iterator[int]:
        for number in count():
            next(taken)
            yield number

    results = ordered_map(slow_for_even, work(), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    results.close()  # type: ignore[attr-defined]
    assert next(taken) <= 3 + AHEAD * 2


def test_an_exception_in_a_process_is_raised_here() -> None:
    with pytest.raises(UserError, match="line 5 is wrong"):
        list(ordered_map(fail_at_five, range(10), 2))


def test_a_killed_process_is_one_line() -> None:
    with pytest.raises(UserError, match="one of 2 processes was killed, most likely because memory ran out"):
        list(ordered_map(die_at_five, range(10), 2))
