"""The names of runs: ``base``, and ``base-seed2`` for the same run with another seed than the configured one."""

import re
from collections.abc import Mapping

SEEDED = re.compile(r"(.+)-seed(\d+)")


def name_and_seed(run: str, seed: int) -> tuple[str, int]:
    """Return the name of a run in config/ and its seed, which is ``seed`` unless the name has another.

    >>> name_and_seed("base-seed2", 1), name_and_seed("base", 1)
    (('base', 2), ('base', 1))
    """
    found = SEEDED.fullmatch(run)
    return (found[1], int(found[2])) if found else (run, seed)


def seed_options(seeds: Mapping[str, int]) -> tuple[str, ...]:
    """Return the values of ``--config`` with which runs have these names and seeds.

    >>> seed_options({"base": 7, "base-seed2": 2})
    ('seed=7', 'seeds=[2,7]')
    """
    configured = {f"seed={seed}" for run, seed in seeds.items() if not SEEDED.fullmatch(run)}
    return (*configured, f"seeds=[{','.join(map(str, sorted({*seeds.values()})))}]") if seeds else ()
