"""A stream of work over several processes, in order and in bounded memory."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from transformer.common.errors import UserError

Work = TypeVar("Work")
Result = TypeVar("Result")

AHEAD = 2  # pieces of work a process that may wait for it, or for their turn to be written


def blocks(items: Iterable[Work], size: int) -> Iterator[list[Work]]:
    """Cut a stream into lists of ``size`` items; the last may be shorter."""
    items = iter(items)
    while block := list(islice(items, size)):
        yield block


def ordered_map(function: Callable[[Work], Result], work: Iterable[Work], processes: int) -> Iterator[Result]:
    """``map(function, work)`` over ``processes`` processes: the same results in the same order.

    At most ``AHEAD`` pieces a process are under way, so that memory does not grow with the stream.  With one process
    there is none beside this one.  ``function`` must be importable by name (or a ``functools.partial`` of such).

    Raises what ``function`` or ``work`` raises, and UserError when a process is killed.
    """
    if processes == 1:
        yield from map(function, work)
        return
    # Fresh processes: a fork would copy the locks of the subword libraries' threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context)
    under_way: deque[Future[Result]] = deque()
    try:
        for piece in work:
            under_way.append(pool.submit(function, piece))
            if len(under_way) >= AHEAD * processes:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BrokenProcessPool:
        raise UserError(
            f"one of {processes} processes was killed, most likely because memory ran out; use fewer "
            "(data_threads of the scale's file) or a machine with more memory"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
