"""The 2017 code's count: against the paper's column and against a model that is built that way."""

import pytest
import torch
import yaml
from fake_runs import ROOT
from rendered import PAPER

from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer, parameter_count
from transformer.tables.parameter_count import TARGET_SPACES, VOCABULARY, parameters_2017

RUNS = yaml.safe_load((ROOT / "config" / "runs.yaml").read_text())
ROWS = list(PAPER.variations.itertuples())


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.parameters and row.run != "big"], ids=lambda row: row.run
)
def test_it_rounds_to_the_paper(row) -> None:  # type: ignore[no-untyped-def]
    assert round(parameters_2017(RUNS["base"] | RUNS[row.run]) / 1e6) == int(row.parameters)


def test_big_does_not() -> None:
    """213 in the paper; docs/protocol.md says what is known."""
    assert round(parameters_2017(RUNS["base"] | RUNS["big"]) / 1e6, 2) == 218.33


@pytest.mark.parametrize("run", [row.run for row in ROWS])
def test_it_counts_what_a_model_has(run: str) -> None:
    names = ("N", "d_model", "d_ff", "h", "d_k", "d_v")
    settings = {name: (RUNS["base"] | RUNS[run])[name] for name in names}
    with torch.device("meta"):  # shapes only
        model = Transformer(
            TransformerConfig(
                **settings, vocab_size=VOCABULARY, dropout=0, attention_dropout=0, relu_dropout=0,
                positions="sinusoidal", attention_bias=True, max_length=256,
            )
        )  # fmt: skip
    assert parameters_2017(settings) == parameter_count(model) + TARGET_SPACES * settings["d_model"]
