"""How long the rest of a run takes: the plan of its jobs, corrected by how long the jobs so far took."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass
class _Job:
    planned: float  # seconds
    share: float  # of the machine, from 0 to 1
    training: bool
    started: float | None = None
    took: float | None = None  # seconds, once it has ended
    expected: float | None = None  # seconds from start to end, as a running training expects


class Outlook:
    """The jobs of a run, what was planned for them and how they went.

    ``plan`` gives for each job's number its planned seconds, the share of the machine that it uses, and whether it is
    a training.
    """

    def __init__(self, plan: Mapping[int, tuple[float, float, bool]]) -> None:
        self._jobs = {number: _Job(*job) for number, job in plan.items()}

    def start(self, number: int, now: float) -> None:
        """Note that a job has started, perhaps not for the first time."""
        if job := self._jobs.get(number):
            job.started, job.took, job.expected = now, None, None

    def end(self, number: int, now: float) -> None:
        """Note that a job has ended."""
        if (job := self._jobs.get(number)) and job.started is not None:
            job.took = now - job.started

    def expect(self, number: int, seconds_left: float, now: float) -> None:
        """Note how much longer a running training expects to take."""
        if (job := self._jobs.get(number)) and job.started is not None:
            job.expected = now - job.started + seconds_left

    def seconds_left(self, now: float) -> float:
        """Return how long the rest of the run takes, if the machine is used fully.

        Trainings and the other jobs count one after the other.  Each of both takes as long as its longest job, or as
        all its jobs on the whole machine.
        """
        return sum(
            _together((self._rest(job, pace, now), job.share) for job in jobs)
            for jobs in self._kinds()
            for pace in [_pace(jobs)]
        )

    def _kinds(self) -> list[list[_Job]]:
        return [
            [job for job in self._jobs.values() if job.training is training] for training in (True, False)
        ]

    @staticmethod
    def _rest(job: _Job, pace: float, now: float) -> float:
        if job.took is not None:
            return 0
        whole = job.expected if job.expected is not None else job.planned * pace
        return max(whole - (now - job.started if job.started is not None else 0), 0)


def _together(rests: Iterable[tuple[float, float]]) -> float:
    """Return how long jobs take side by side, given the seconds and the share of the machine of each."""
    listed = list(rests)
    longest = max((seconds for seconds, _ in listed), default=0)
    return max(longest, sum(seconds * share for seconds, share in listed))


def _pace(jobs: list[_Job]) -> float:
    """Return by what factor jobs took longer than planned, those that have ended and the trainings that report."""
    known = [(job.took if job.took is not None else job.expected, job.planned) for job in jobs]
    measured = [(took, planned) for took, planned in known if took is not None and planned > 0]
    return sum(took for took, _ in measured) / sum(planned for _, planned in measured) if measured else 1.0
