"""Distributing a stream of work over several processes, in order and in bounded memory."""

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

AHEAD = 2  # pieces of work per process that are in progress or waiting to be yielded


def blocks(items: Iterable[Work], size: int) -> Iterator[list[Work]]:
    """Split a stream into lists of ``size`` items; the last may be shorter."""
    items = iter(items)
    while block := list(islice(items, size)):
        yield block


def ordered_map(function: Callable[[Work], Result], work: Iterable[Work], processes: int) -> Iterator[Result]:
    """Yield the results of ``map(function, work)`` in the same order, computed by ``processes`` processes.

    At most ``AHEAD`` pieces per process are in progress, so that memory does not grow with the stream.  If
    ``processes`` is 1, the work is done in this process.  ``function`` must be importable by name, or be a
    ``functools.partial`` of such a function.

    Raises the exceptions of ``function`` and ``work``, and UserError when a process is killed.
    """
    if processes == 1:
        yield from map(function, work)
        return
    # A fork would copy the locks of the subword libraries' threads, so new processes are spawned.
    pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
    in_progress: deque[Future[Result]] = deque()
    try:
        for piece in work:
            in_progress.append(pool.submit(function, piece))
            if len(in_progress) >= AHEAD * processes:
                yield in_progress.popleft().result()
        yield from (future.result() for future in in_progress)
    except BrokenProcessPool:
        raise UserError(
            f"one of {processes} processes was killed, most likely because memory ran out; use fewer "
            "(data_threads in the scale's file) or a machine with more memory"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
