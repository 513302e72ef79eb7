"""Each table by its name, from the runs that it shows and what else it is made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer.common.yaml_files import read_yaml
from transformer.tables.cost import cost, cost_markdown, read_devices
from transformer.tables.further_tests import build_test_sets
from transformer.tables.literature import Literature
from transformer.tables.runs import Run
from transformer.tables.scores_frame import baselines_frame
from transformer.tables.table import Table
from transformer.tables.table1 import build_table1
from transformer.tables.table2 import PAPER_PAIRS, build_table2
from transformer.tables.table3 import PAPER_PAIR, build_table3
from transformer.tables.table4 import build_table4


@dataclass(frozen=True)
class Inputs:
    """What a table is made from besides the paper's numbers; no table uses all of it."""

    runs: Sequence[Run] = ()
    further_tests: Sequence[Run] = ()  # of test_sets
    layers: Path = Path()  # of table1: the JSON file of measure_layers.py
    baselines: Sequence[Path] = ()  # of table2: the JSON files of score_baselines.py
    pairs: Sequence[str] = PAPER_PAIRS  # of table2: those that it has columns for
    pair: str = PAPER_PAIR  # of table3
    paper_settings: Path = Path()  # of table3: config/runs.yaml


def build_table(name: str, literature: Literature, inputs: Inputs) -> Table:
    """Return ``table1`` to ``table4`` or ``test_sets``."""
    runs = inputs.runs
    if name == "table1":
        return build_table1(literature, inputs.layers)
    if name == "table2":
        baselines = baselines_frame(inputs.baselines, runs[0].scale, runs[0].corpus)
        return build_table2(literature, runs, baselines, inputs.pairs)
    if name == "table3":
        paper = read_yaml(inputs.paper_settings)
        settings = {run: paper["base"] | changes for run, changes in paper.items()}
        return build_table3(literature, runs, settings, inputs.pair)
    if name == "test_sets":
        return build_test_sets(literature, runs, inputs.further_tests)
    return build_table4(literature, runs)


def cost_files(runs: Sequence[Run], literature: Literature, devices: Path, schema: Path) -> dict[str, str]:
    """Return the training cost of Table 2's runs, in each of its formats, by the name of the file."""
    costs = cost(runs, literature, read_devices(devices, schema))
    return {
        "cost.csv": costs.to_csv(index=False, lineterminator="\n"),
        "cost.md": cost_markdown(costs),
    }
