"""The runs of config/runs.yaml: what they may be called, and which are the paper's and which the project's."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from transformer.common.checked import checked
from transformer.common.errors import UserError, unknown
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml
from transformer.settings.config_files import RunChanges
from transformer.settings.gone import refuse_gone
from transformer.settings.merging import SomeSettings
from transformer.settings.run_names import SEEDED
from transformer.settings.scale_file import pairs_of_all_scales

RUNS = "config/runs.yaml"

# Runs of the project for which the paper has no row: base with the other layers of section 4 in its encoder, and base
# and big as the code of June 2017 made them.
LAYER_RUNS = ("recurrent", "convolutional", "restricted")
T2T_RUNS = ("t2t-1.0.3", "t2t-1.0.3-big")

BASELINES = ("copy", "dictionary")  # which stand in the column `run` of scores.csv, as runs do
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def read_runs(root: Path | str, pairs: Collection[str]) -> dict[str, Any]:
    """Return the content of config/runs.yaml, checked; ``pairs`` are the language pairs of the scale.

    Raises UserError also when a run has settings for a language pair that no scale has: they would never be used.
    """
    runs: dict[str, Any] = read_yaml(Path(root, RUNS))
    refuse_gone(runs, RUNS)
    if "base" not in checked(dict[str, RunChanges], runs, RUNS):
        raise UserError(f"{RUNS}: missing key 'base'")
    check_names(runs, RUNS)
    for name, changes in runs.items():
        own = {key: value for key, value in changes.items() if key != "pairs"}
        checked(SomeSettings, own, f"{RUNS}: {name}")
        where = f"{RUNS}: {name}.pairs"
        for pair, of_pair in checked(dict[str, RunChanges], changes.get("pairs", {}), where).items():
            if pair not in pairs and pair not in (known := pairs_of_all_scales(root)):
                raise UserError(f"{where}: {unknown('language pair', pair, sorted(known))}")
            checked(SomeSettings, of_pair, f"{where}.{pair}")
    return runs


def check_names(names: Iterable[str], where: str) -> None:
    """Raise UserError when a run cannot have its name, which is also that of a folder."""
    for name in names:
        if not NAME.fullmatch(name):
            rule = "use letters, digits, '.', '_' and '-', beginning with a letter or a digit"
        elif SEEDED.fullmatch(name):
            rule = "'-seed' and a number are for runs with another seed (--config seeds=…)"
        elif name in BASELINES:
            rule = "it is the name of a baseline in results/scores.csv"
        else:
            continue
        raise UserError(f"{where}: a run cannot be called '{name}': {rule}")


def rows_of_the_paper(runs: Collection[str]) -> dict[str, list[str]]:
    """Return "table2", "table3" and "table4" → the runs that rebuild its rows, by resources/literature.yaml.

    Raises UserError when one of them is not among ``runs``, those of config/runs.yaml.
    """
    content = read_yaml(resource_file("literature.yaml"))
    tables = ("table2", "table3", "table4")
    rows = {table: [row["run"] for row in content[table]["rows"] if "run" in row] for table in tables}
    for table, runs_of_table in rows.items():
        for run in runs_of_table:
            if run not in runs:
                raise UserError(f"{RUNS}: missing run '{run}', a row of Table {table[-1]}; put it back")
    return rows
