"""A model of ours and its export for Hugging Face are the same function."""

from pathlib import Path
from typing import Any

import pytest
import reversing
import tiny
import torch
from hugging_face import load_transformers
from settings_cases import cases_of_export

from transformer.common.files import write_json
from transformer.decoding.beam_search import BeamConfig, beam_search, length_penalty
from transformer.decoding.incremental import SearchModel
from transformer.export.marian import (
    generation_config,
    length_exponent,
    marian_config,
    marian_weights,
)
from transformer.model.storage import save_tensors
from transformer.model.transformer import shift_right

BEAM = BeamConfig(beam_size=4, alpha=0.0, max_extra_tokens=10)


def exported(model: Any, folder: Path) -> Any:
    """The model as MarianMTModel reads it from a folder."""
    transformers = load_transformers()
    write_json(folder / "config.json", marian_config(model.config))
    write_json(folder / "generation_config.json", generation_config(model.config, BEAM, length=7.0))
    save_tensors(folder / "model.safetensors", marian_weights(model), {"format": "pt"})
    return transformers.MarianMTModel.from_pretrained(folder).eval()


@pytest.mark.parametrize("changes", cases_of_export(), ids=str)
def test_logits_are_equal(changes: dict[str, Any], tmp_path: Path) -> None:
    """Up to 1e-4: Marian's ε of the layer normalisation is ten times ours; with ours, up to 1e-5."""
    model = tiny.model(20, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(
                0.05 * torch.randn_like(parameter)
            )  # biases and normalisation that are not trivial
    theirs = exported(model, tmp_path)
    rows = model.config.embedding_rows
    source, target = tiny.tokens(6, 9), tiny.tokens(6, 8, seed=1)
    source[:3, 5:] = 0  # padding
    input = shift_right(target)
    with torch.no_grad():
        ours = model(source, input)
        for epsilon, tolerance in ((1e-5, 1e-4), (1e-6, 1e-5)):
            for module in theirs.modules():
                if isinstance(module, torch.nn.LayerNorm):
                    module.eps = epsilon
            logits = theirs(
                input_ids=source.masked_fill(source == 0, rows),
                attention_mask=(source != 0).long(),
                decoder_input_ids=input.masked_fill(input == 0, rows),
            ).logits
            torch.testing.assert_close(logits[..., :rows], ours, atol=tolerance, rtol=0)
    assert (logits[..., rows] < -1e8).all()  # PAD, which has no part in the softmax


def test_beam_search_gives_the_same_outputs(tmp_path: Path) -> None:
    """Without a length penalty, whose formulas differ."""
    model = reversing.reversing_model()
    source = torch.nn.functional.pad(reversing.sentences(40, 5, seed=999), (0, 1), value=1)
    ours = tiny.best(beam_search(SearchModel(model), source, BEAM))
    assert len({tuple(output) for output in ours}) > 20
    output = exported(model, tmp_path).generate(input_ids=source, max_new_tokens=16, max_length=None)
    pad = reversing.VOCABULARY
    assert [[id for id in row if id not in (1, pad)] for row in output.tolist()] == ours


def test_the_exponent_grows_as_our_penalty() -> None:
    p = length_exponent(0.6, 20)
    ours = float(length_penalty(21, 0.6)) / float(length_penalty(19, 0.6))
    assert (21 / 19) ** p == pytest.approx(ours, rel=1e-3)
    assert length_exponent(0.0, 20) == 0
