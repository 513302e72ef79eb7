"""Table 3: its rows are the paper's, and ours stand beside them."""

from pathlib import Path

import pytest
import tiny
import torch
from fake_runs import PAPER, PAPER_SETTINGS, make_last_run
from rendered import PAPER as LITERATURE

from transformer.common.errors import UserError
from transformer.model.transformer import Transformer, parameter_count
from transformer.settings.run_settings import TransformerConfig
from transformer.tables.literature import Row
from transformer.tables.runs import Run
from transformer.tables.table3 import TARGET_SPACES, VOCABULARY, build_table3, parameters_2017

ROWS = LITERATURE.variations
NAMES = [row["run"] for row in ROWS]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Run]:
    """A run for each row."""
    monkeypatch.chdir(tmp_path)
    return {name: make_last_run(Path("runs", name, "en-de"), name) for name in NAMES}


def test_the_cells_that_the_paper_fills_are_what_the_runs_change() -> None:
    """config/runs.yaml against the paper's printed table."""
    for row in ROWS:
        run = row["run"]
        changes = PAPER_SETTINGS[run] if run in ("base", "big") else PAPER[run]
        cells = row.get("changes", {})
        printed = {name: float(value.replace("K", "000")) for name, value in cells.items()}
        if run == "E-learned":
            assert changes == {"positions": "learned"}
        else:
            assert printed == {name: changes[name] for name in printed}
            assert run in ("base", "big") or set(printed) == set(changes)


def test_a_row_without_a_run(runs: dict[str, Run]) -> None:
    given = [run for name, run in runs.items() if name not in ("big", "D-smoothing0.2")]
    with pytest.raises(UserError, match="a run for each row of the paper; give D-smoothing0.2, big as well"):
        build_table3(LITERATURE, given, PAPER_SETTINGS)


def test_a_setting_that_the_config_of_one_run_leaves_out(runs: dict[str, Run]) -> None:
    """A config.json has newer settings only where they are not at their defaults."""
    runs["base"] = make_last_run(Path("runs", "base", "en-de"), "base", window="wide")
    own = make_last_run(Path("runs", "my_run", "en-de"), "my_run", kernel="square")
    table = build_table3(LITERATURE, [*runs.values(), own], PAPER_SETTINGS)
    assert "my_run also differs in window default, kernel square." in table.notes[-1]


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_formula_of_2017_rounds_to_the_paper_and_counts_what_a_model_has(row: Row) -> None:
    """All but big's is the paper's, of which docs/protocol.md says what is known."""
    run, names = row["run"], ("N", "d_model", "d_ff", "h", "d_k", "d_v")
    settings = {name: PAPER_SETTINGS[run][name] for name in names}
    rounded = f"{parameters_2017(settings) / 1e6:.0f}"
    assert rounded == ("218" if run == "big" else row.get("parameters", rounded))
    with torch.device("meta"):  # shapes only
        others = tiny.model_config(**settings, attention_bias=True)
        model = Transformer(TransformerConfig(vocab_size=VOCABULARY, **others))
    assert parameters_2017(settings) == parameter_count(model) + TARGET_SPACES * settings["d_model"]
