"""What is measured on the development set during training.

The references are the model's own greedy outputs, so a score of 100 says that the same text was decoded and compared.
"""

import math
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.incremental import SearchModel
from transformer.decoding.trained_model import TrainedModel
from transformer.decoding.translation import translate
from transformer.model.transformer import Transformer
from transformer.parsing import parse as module
from transformer.parsing.linearise import linearise
from transformer.parsing.parse import parse
from transformer.subwords.subwords import load_subwords
from transformer.subwords.vocabularies import Symbols, Vocabularies
from transformer.training.distributed import ProcessGroup
from transformer.training.score_perplexity import negative_log_likelihood
from transformer.training.validation import Validation

CPU = torch.device("cpu")
ALONE = ProcessGroup(0, 1, CPU)
SENTENCES = [["XX"] * (1 + number % 4) for number in range(8)]
SYMBOLS = Symbols(["(NP", "(S", ")NP", ")S", "XX"], 3, "sha")


def greedy(max_extra_tokens: int) -> BeamConfig:
    return BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=max_extra_tokens)


def dataset(prefix: Path, sources: list[list[int]], targets: list[list[int]]) -> TokenizedDataset:
    made: TokenizedDataset = tiny.dataset(prefix, zip(sources, targets, strict=True), 290)
    return made


@pytest.fixture
def translation(tiny_run: Path, tmp_path: Path) -> tuple[Transformer, Validation]:
    """A model, and a development set whose references are its greedy translations."""
    subwords = load_subwords(tiny_run / "subwords.model")
    model: Transformer = tiny.model(subwords.vocab_size)
    lines = (tiny_run / "text").read_text().splitlines()[:16]
    sources = [subwords.encode(line) for line in lines]
    outputs = tiny.best(translate(SearchModel(model), sources, greedy(50), 500))
    targets = [subwords.encode(subwords.decode(output)) for output in outputs]
    dev = dataset(tmp_path / "dev", sources, targets)
    return model, Validation(dev, Vocabularies(subwords, subwords), 500)


def test_translations_and_perplexity(translation: tuple[Transformer, Validation]) -> None:
    model, validation = translation
    nll, tokens = negative_log_likelihood(model, validation.dev, 500, ALONE)
    measured = validation(model, ALONE)
    assert list(measured) == ["dev_perplexity", "dev_bleu"]
    assert measured["dev_perplexity"] == round(math.exp(nll / tokens), 4)
    assert measured["dev_bleu"] == 100.0


def test_a_sentence_without_blanks_is_more_than_one_token(
    translation: tuple[Transformer, Validation], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, validation = translation
    subwords = validation.vocabularies.target
    decode = subwords.decode
    monkeypatch.setattr(subwords, "decode", lambda ids: "猫".join(decode(ids).split()))
    assert validation(model, ALONE)["dev_bleu"] == 100.0


def test_processes_share_the_sentences(
    translation: tuple[Transformer, Validation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each decodes its own, and each is decoded once."""
    model, validation = translation
    parts: list[list[Any]] = []

    def gather(group: ProcessGroup, items: list[Any]) -> list[Any]:
        parts.append(items)
        return items

    monkeypatch.setattr(ProcessGroup, "gather", gather)
    validation.greedy_bleu(model, ALONE)
    for rank in range(3):
        assert validation.greedy_bleu(model, ProcessGroup(rank, 3, CPU)) == {"dev_bleu": 100.0}
    whole, *shares = parts
    assert [len(share) for share in shares] == [6, 5, 5]
    assert sorted(pair for share in shares for pair in share) == sorted(whole)


@pytest.fixture
def parses(tiny_run: Path, tmp_path: Path) -> tuple[Transformer, Validation]:
    """A parser, and a development set whose trees are its greedy parses."""
    subwords = load_subwords(tiny_run / "subwords.model")
    model: Transformer = tiny.model(subwords.vocab_size, target_vocab_size=SYMBOLS.vocab_size)
    with torch.no_grad():
        model.embedding.mul_(5)  # so that trees depend on the source
    sources = [subwords.encode(line) for line in (tiny_run / "text").read_text().splitlines()[:8]]
    trained = TrainedModel(model, Vocabularies(SYMBOLS, SYMBOLS), greedy(300), 500)
    found = parse(trained, sources, SENTENCES, constrained=True)
    targets = [SYMBOLS.encode(" ".join(linearise(one.tree, False))) for one in found]
    dev = dataset(tmp_path / "dev", sources, targets)
    return model, Validation(dev, Vocabularies(subwords, SYMBOLS), 500)


def test_parses(parses: tuple[Transformer, Validation], tmp_path: Path) -> None:
    """Trees over as many words as the gold tree has, constrained to be trees."""
    model, validation = parses
    measured = validation(model, ALONE)
    assert list(measured) == ["dev_perplexity", "dev_f1"]
    assert measured["dev_f1"] == 100.0
    sources = [validation.dev.source[number][:-1].tolist() for number in range(8)]
    flat = [SYMBOLS.encode(f"(NP {' '.join(sentence)} )NP") for sentence in SENTENCES]
    others = Validation(dataset(tmp_path / "flat", sources, flat), validation.vocabularies, 500)
    found = others(model, ALONE)["dev_f1"]
    assert found < 100
    assert found == round(found, 2)


@pytest.mark.parametrize(
    ("word", "tree", "words"),
    [
        ("NN", "(S (NP FW )NP NN )S", 2),  # the only word of a constituent
        ("NN", "(S NN FW )S (WHNP", 3),
        ("XX", "(S (WHNP XX )WHNP (NP XX )NP )S", 2),
    ],
)
def test_development_trees_with_unseen_symbols(
    parses: tuple[Transformer, Validation],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    tree: str,
    words: int,
) -> None:
    """Where words are tags, such a symbol is a word; otherwise it is a bracket, and is left out."""
    subwords, source = parses[1].vocabularies.source, parses[1].dev.source[0][:-1].tolist()
    symbols = Symbols(["(NP", "(S", ")NP", ")S", word], 3, "sha")
    model = tiny.model(subwords.vocab_size, target_vocab_size=symbols.vocab_size)
    dev = dataset(tmp_path / "unseen", [source], [symbols.encode(tree)])
    lengths: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        lengths.extend(map(len, arguments[2]))
        return parse(*arguments, **options)

    monkeypatch.setattr(module, "parse", counted)
    assert 0 <= Validation(dev, Vocabularies(subwords, symbols), 500)(model, ALONE)["dev_f1"] <= 100
    assert lengths == [words]
