"""Which runs are the paper's, by resources/literature.yaml, which are the project's, and what a run may be called."""

import re
from collections.abc import Iterable
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.yaml_files import read_yaml

# Runs of the project for which the paper has no row: base with the other layers of section 4 in its encoder, and base
# and big as the code of June 2017 made them.
LAYER_RUNS = ("recurrent", "convolutional", "restricted")
T2T_RUNS = ("t2t-1.0.3", "t2t-1.0.3-big")

BASELINES = ("copy", "dictionary")  # which stand in the column `run` of scores.csv, as runs do
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST = 100  # characters; names of files are made of it, and a file system takes 255 bytes
SEEDED = re.compile(r"(.+)-seed(\d+)")  # the name of a run with another seed


def name_and_seed(run: str, seed: int) -> tuple[str, int]:
    """Return the name of a run in config/ and its seed: ``base`` and 2 for ``base-seed2``, else the given ``seed``."""
    found = SEEDED.fullmatch(run)
    return (found[1], int(found[2])) if found else (run, seed)


def read_paper_runs(path: Path, names: Iterable[object]) -> dict[str, list[str]]:
    """Return table → the runs that rebuild its rows.

    Raises UserError when a run is not among ``names``, those of config/runs.yaml.
    """
    content = read_yaml(path)
    tables = ("table2", "table3", "table4")
    found = {table: [row["run"] for row in content[table]["rows"] if "run" in row] for table in tables}
    known = set(names)
    for table, runs in found.items():
        for run in runs:
            if run not in known:
                row = f"a row of Table {table[-1]} in resources/literature.yaml"
                raise UserError(f"config/runs.yaml: missing run '{run}', {row}; put it back")
    return found


def check_names(names: Iterable[object], where: str, others: Iterable[object] = ()) -> None:
    """Raise UserError when a run cannot have its name, which is also that of a folder.

    Two names, of which one may be among ``others``, must not differ in upper and lower case only: they would be one
    folder on macOS, and the second is often a slip.
    """
    names = list(names)
    first = {str(name).lower(): name for name in reversed([*others, *names])}
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            rule = "use letters, digits, '.', '_' and '-', beginning with a letter or a digit"
        elif len(name) > LONGEST:
            rule = f"it has {len(name)} characters; use at most {LONGEST}"
        elif SEEDED.fullmatch(name):
            rule = "'-seed' and a number are for runs with another seed (--config seeds=…)"
        elif name in BASELINES:
            rule = "it is the name of a baseline in results/scores.csv"
        elif (other := first[name.lower()]) != name:
            rule = f"there is '{other}', which differs in upper and lower case only; choose another name"
        else:
            continue
        raise UserError(f"{where}: a run cannot be called '{name}': {rule}")
