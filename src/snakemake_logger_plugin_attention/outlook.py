"""How long the rest of a run takes: the plan of its jobs, corrected by how long the jobs so far took."""

from collections.abc import Mapping


class Outlook:
    """The jobs of a run, what was planned for them and how they went.

    ``plan`` gives for each job's number its planned seconds, the share of the machine that it uses (0 to 1), and
    whether it is a training.
    """

    def __init__(self, plan: Mapping[int, tuple[float, float, bool]]) -> None:
        self.plan = plan
        self._started: dict[int, float] = {}
        # Seconds from start to end, of jobs that have ended and as running trainings expect.
        self._took: dict[int, float] = {}

    def start(self, number: int, now: float) -> None:
        """Note that a job has started, perhaps not for the first time."""
        self._started[number] = now
        self._took.pop(number, None)

    def expect(self, number: int, seconds_left: float, now: float) -> None:
        """Note how much longer a job takes: a training as it expects, and one that has ended 0 seconds."""
        if number in self._started and number in self.plan:
            self._took[number] = now - self._started[number] + seconds_left

    def seconds_left(self, now: float) -> float:
        """Return how long the rest of the run takes, if the machine is used fully.

        Trainings and the other jobs count one after the other.  Each of both takes as long as its longest job, or as
        all its jobs on the whole machine.
        """
        total = 0.0
        for kind in (True, False):
            jobs = {number: job for number, job in self.plan.items() if job[2] is kind}
            known = jobs.keys() & self._took.keys()
            planned = sum(jobs[number][0] for number in known)
            pace = sum(self._took[number] for number in known) / planned if planned else 1
            rests = [
                (self._rest(number, seconds * pace, now), share)
                for number, (seconds, share, _) in jobs.items()
            ]
            longest = max((seconds for seconds, _ in rests), default=0)
            total += max(longest, sum(seconds * share for seconds, share in rests))
        return total

    def _rest(self, number: int, expected: float, now: float) -> float:
        whole = self._took.get(number, expected)
        return max(whole - (now - self._started.get(number, now)), 0)
