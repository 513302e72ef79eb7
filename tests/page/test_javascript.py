"""The page computes what the pipeline does: its JavaScript in node, beside the Python that it repeats."""

import base64
import random
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import node
import numpy as np
import pytest
import tiny
import torch
from safetensors.numpy import load_file, save
from settings_cases import cases_of_page

from transformer.common.lines import without_marks
from transformer.common.special_tokens import EOS
from transformer.decoding.beam_search import beam_search
from transformer.decoding.incremental import SearchModel
from transformer.decoding.trained_model import TrainedModel
from transformer.export.formats import held_values
from transformer.model.storage import save_model
from transformer.page.pack_models import packed_vocabulary
from transformer.parsing.learn_symbols import learn_symbols
from transformer.parsing.parse import parse_sentences
from transformer.parsing.trees import write_tree
from transformer.settings.run_settings import BeamConfig, TransformerConfig
from transformer.subwords.learn_subwords import learn_subwords
from transformer.subwords.vocabularies import load_vocabularies

pytestmark = pytest.mark.skipif(
    node.NODE is None, reason="there is no node, which runs the page's JavaScript"
)

# Changes of the tiny model, and of the search, beside those that others compute, too.
CASES: list[dict[str, Any]] = [
    *cases_of_page(),
    {"vocab_size": 11},
    {"N": 3},
    {"d_model": 2},
    {"d_ff": 1},
    {"d_k": 1, "d_v": 5},
    *({name: 0.5} for name in ("dropout", "attention_dropout", "relu_dropout")),
    {"max_length": 3, "positions": "learned"},
    {"encoder_layer": "convolutional", "kernel_size": 1},
    {"encoder_layer": "restricted", "window_size": 21},
    {"beam_size": 1},
    {"beam_size": 30},
    {"alpha": 0.0},
    {"alpha": 2.75},
    {"max_extra_tokens": 0},
    {"nbest": 2},
]
TAGS = ["DT", "NN", "unknown", "VBZ", "NN", "NN"]
IDS = [3, 9, 4, 7, 5, 6, 8, 10]
# What the vocabularies' libraries treat in their own way: spaces, marks, what is not in the vocabulary, special tokens.
HOSTILE = [
    "a", "dog ", " runs", "  ", "\t", "\0", "\x01", "\x1c", "\x7f", "\x85", "\xa0", "\u2009", "\u3000", "\u2028",
    "\ufeff", "\u200b", "\u200e", "\u2581", "\u2585", "\ue000", "\ue0001", "\ufffd", "\ufffe", "\U0010ffff",
    "</s>", "<s>", "<pad>", "<unk>", "<0x41>", "é", "e\u0301", "\u0323", "\u212b", "ß", "İ", "日本", "١٢", "don't",
    "\U0001f600", "\U0001f468\u200d\U0001f469", "\U0001d400", "\U000e0001", "(", ")", "3.14%", "!",
]  # fmt: skip


def random_model(**changes: Any) -> Any:
    """A tiny model whose norms and biases are random, too."""
    model = tiny.model(seed=1, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return model


def saved(model: Any, folder: Path) -> bytes:
    save_model(folder, model, "", "fp32")
    return (folder / "model.safetensors").read_bytes()


def test_each_setting_that_the_page_holds_has_a_case() -> None:
    for group in (TransformerConfig, BeamConfig):
        for name, values in held_values(group, "page").items():
            field = group.model_fields[name]
            choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            tried = {changes.get(name, field.default) for changes in CASES}
            assert tried >= set(values or choices), name
            assert values or len(tried) > 1, name


def test_logits_outputs_and_attention(tmp_path: Path) -> None:
    search = {"beam_size": 3, "alpha": 0.6, "max_extra_tokens": 4, "nbest": 1}
    models, beams = [], []
    for changes in CASES:
        beams.append(BeamConfig(**search | {name: changes[name] for name in changes.keys() & search.keys()}))
        models.append(random_model(**{name: changes[name] for name in changes.keys() - search.keys()}))
    asked = [
        node.asked(model.config.to_dict(), saved(model, tmp_path / str(n)), beam, [IDS])
        for n, (model, beam) in enumerate(zip(models, beams, strict=True))
    ]
    for changes, model, beam, (answer,) in zip(CASES, models, beams, node.answers(asked), strict=True):
        assert [answer.tokens] == tiny.best(
            beam_search(SearchModel(model), torch.tensor([[*IDS, EOS]]), beam)
        ), changes
        assert max(answer.differences(model)) < 1e-5, changes


def test_weights_in_fp16() -> None:
    """Each number of 16 bits is read as numpy reads it: normal, subnormal, zero; infinities are no weights."""
    patterns = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    numbers = patterns[np.isfinite(patterns)].reshape(-1, 32)
    packed = base64.b64encode(save({"x": numbers, "y": np.array([1 / 3], np.float32)})).decode()
    read = node.evaluated(
        "Object.fromEntries([...readTensors(unpacked(argument))].map(([name, { shape, data }]) => "
        "[name, [shape, [...data]]]))",
        packed,
    )
    assert read["x"] == [[*numbers.shape], numbers.flatten().tolist()]
    assert read["y"] == [[1], [float(np.float32(1 / 3))]]


@pytest.mark.parametrize("tensor", [None, "encoder.0.gate.weight"])
def test_a_model_of_other_tensors_is_refused(tmp_path: Path, tensor: str | None) -> None:
    """A setting that nobody declared may add some, or take some away."""
    weights = saved(random_model(encoder_layer="recurrent" if tensor is None else "self-attention"), tmp_path)
    if tensor:
        weights = save(load_file(tmp_path / "model.safetensors") | {tensor: np.ones(3, np.float32)})
    message = "W_QKV.weight is missing" if tensor is None else f"there is no place for {tensor}"
    with pytest.raises(AssertionError, match=message):
        node.answers([node.asked(tiny.model().config.to_dict(), weights, BeamConfig(), [IDS])])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``text``, and ``trees`` over ``tagged`` words."""
    folder, rng = tmp_path_factory.mktemp("corpus"), random.Random(0)
    lines = (
        " ".join(rng.choices([*"the dog sees Rex a süße Katze".split(), "é", "日本"], k=5))
        for _ in range(200)
    )
    (folder / "text").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "trees").write_text("(S (NP XX XX )NP (VP XX )VP )S\n(S (NP XX )NP (VP XX (NP XX )NP )VP )S\n")
    (folder / "tagged").write_text("DT the NN dog VBZ sees\n")
    return folder


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_subwords(corpus: Path, tmp_path: Path, kind: str) -> None:
    """Texts become the same tokens, and any tokens the same text, parts of characters included."""
    learn_subwords(kind, [corpus / "text"], 290, tmp_path, seed=1)
    subwords, rng = load_vocabularies(tmp_path / "subwords.model", None).source, random.Random(1)
    texts = [
        "",
        *HOSTILE,
        *("".join(rng.choices(HOSTILE, k=rng.randint(2, 9))) for _ in range(400)),
        "x" * 130,
    ]
    vocabulary = packed_vocabulary(tmp_path / "subwords.model", None)
    expression = "argument[1].map(input => new Vocabulary(argument[0]).{}(input))"
    encoded = node.evaluated(expression.format("encode"), [vocabulary, texts])
    sentences = [without_marks(text).strip() for text in texts]  # as trained_model.py has them
    assert [found["ids"] for found in encoded] == [
        subwords.encode(sentence) if sentence else [] for sentence in sentences
    ]
    ids = [[rng.randrange(36, subwords.vocab_size) for _ in range(rng.randint(1, 9))] for _ in range(400)]
    ids += [found["ids"] for found in encoded]
    decoded = node.evaluated(expression.format("decode"), [vocabulary, ids])
    assert decoded == [subwords.decode(line).replace("\n", " ") for line in ids]


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("is_tagged", [False, True])
def test_trees(corpus: Path, tmp_path: Path, is_shared: bool, is_tagged: bool) -> None:
    learn_subwords("bpe", [corpus / "text"], 290, tmp_path, seed=1)
    subwords, symbols = tmp_path / "subwords.model", tmp_path / "symbols.json"
    own = load_vocabularies(subwords, None).source if is_shared else None
    learn_symbols([corpus / "trees"], symbols, own, corpus / "tagged" if is_tagged else None)
    vocabularies = load_vocabularies(subwords, symbols)
    beam = tiny.beam(5, 0.6, 20)
    model = random_model(**vocabularies.sizes)
    sentences = ["the dog (sees) \U0001f600", "Rex", "a \u00a0 b  c\td \u3000"]
    if is_tagged:
        sentences = [
            " ".join(f"{tag} {word}" for tag, word in zip(TAGS, text.split(), strict=False))
            for text in sentences
        ]
    parsed = parse_sentences(TrainedModel(model, vocabularies, beam, 10_000), sentences)
    weights, packed = saved(model, tmp_path / "model"), packed_vocabulary(subwords, symbols)
    (found,) = node.answers([node.asked(model.config.to_dict(), weights, beam, sentences, packed)])
    assert [answer.text for answer in found] == [write_tree(parse.tree) for parse in parsed]
