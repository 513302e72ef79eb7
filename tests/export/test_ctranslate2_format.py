"""A model of ours and its export for CTranslate2 are the same function."""

from pathlib import Path
from typing import Any

import pytest
import reversing
import tiny
import torch
from settings_cases import cases_of_format

from transformer.decoding.beam_search import BeamConfig, beam_search
from transformer.decoding.incremental import SearchModel
from transformer.export.ctranslate2_format import save_ctranslate2
from transformer.export.fast_tokenizer import entry_names
from transformer.model.transformer import shift_right


@pytest.fixture
def ctranslate2() -> Any:
    return pytest.importorskip(
        "ctranslate2", reason="the packages of requirements-extras.lock are not installed"
    )


def exported(model: Any, folder: Path, ctranslate2: Any) -> tuple[Any, list[str]]:
    """CTranslate2's model in fp32, and the names of its tokens."""
    pieces = ["<pad>", "</s>", "<unk>", *(f"p{id}" for id in range(3, model.config.vocab_size))]
    save_ctranslate2(model, pieces, folder)
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    return translator, entry_names(pieces, model.config.embedding_rows)


@pytest.mark.parametrize("changes", cases_of_format("ctranslate2"), ids=str)
def test_log_probabilities_are_equal(ctranslate2: Any, changes: dict[str, Any], tmp_path: Path) -> None:
    """Up to 1e-4."""
    model = tiny.model(20, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    translator, names = exported(model, tmp_path, ctranslate2)
    source, target = tiny.tokens(6, 9), tiny.tokens(6, 8, seed=1)
    target[:, -1] = 1  # EOS, which CTranslate2 adds itself
    with torch.no_grad():
        log_p = model(source, shift_right(target)).log_softmax(-1).gather(2, target[..., None])[..., 0]
    scores = translator.score_batch(
        [[names[id] for id in row] for row in source.tolist()],
        [[names[id] for id in row[:-1]] for row in target.tolist()],
    )
    found = torch.tensor([score.log_probs for score in scores])
    torch.testing.assert_close(found, log_p, atol=1e-4, rtol=0)


def test_the_model_s_search_without_a_length_penalty_is_ours(ctranslate2: Any, tmp_path: Path) -> None:
    """Without a length penalty, whose formulas differ."""
    model = reversing.reversing_model()
    source = torch.nn.functional.pad(reversing.sentences(40, 5, seed=999), (0, 1), value=1)
    ours = tiny.best(beam_search(SearchModel(model), source, BeamConfig(4, 0.0, 10)))
    translator, names = exported(model, tmp_path, ctranslate2)
    results = translator.translate_batch(
        [[names[id] for id in row] for row in source.tolist()],
        beam_size=4,
        length_penalty=0.0,
        max_decoding_length=16,
        suppress_sequences=[[names[0]]],
    )
    assert [[names.index(token) for token in result.hypotheses[0]] for result in results] == ours
