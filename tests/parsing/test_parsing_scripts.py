"""From a treebank to trees by an untrained parser, script by script; and what they say of bad input."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from nltk.tree import Tree
from tiny import run_captured as run

from transformer.common.artifacts import read_artifact
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.storage import save_model
from transformer.model.transformer import Transformer
from transformer.parsing.trees import parse_tree
from transformer.settings.run_settings import TransformerConfig
from transformer.subwords.encode import encode_block
from transformer.subwords.vocabularies import load_vocabularies

TREEBANK = """( (S (NP-SBJ (DT The) (NN dog) ) (VP (VBZ runs) (NP (-NONE- *)) ) (. .) ))
( (S (NP-SBJ (NNP Rex) ) (VP (VBZ sees)
  (NP (DT a) (JJ small) (NN dog) )) (. .) ))
"""


def succeeds(script: str, *arguments: object) -> None:
    result = run(script, *arguments)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module", params=["own", "shared"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared treebank, encoded, and a parser that knows nothing, in ``model``."""
    return make_parser(tmp_path_factory.mktemp(str(request.param)), shared=request.param == "shared")


@pytest.fixture(scope="module")
def tagged_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of a parser that reads tags, too."""
    return make_parser(tmp_path_factory.mktemp("tagged"), tagged=True)


def make_parser(folder: Path, *, shared: bool = False, tagged: bool = False) -> Path:
    (folder / "raw.mrg").write_text(TREEBANK * 20)
    succeeds("prepare_treebank", folder / "raw.mrg", "--output", folder / "train.trees")
    outputs = ["--output-source", folder / "train.en", "--output-target", folder / "train.symbols"]
    tags = ["--words", "tags", *(["--tags-in-input"] if tagged else [])]
    succeeds("linearise", "--trees", folder / "train.trees", *tags, *outputs)
    succeeds("learn_subwords", folder / "train.en", "--kind", "bpe", "--vocab-size", 285, "--output", folder)
    options = ["--shared-with", folder / "subwords.model"] if shared else []
    options += ["--tagged", folder / "train.en"] if tagged else []
    succeeds("learn_symbols", folder / "train.symbols", *options, "--output", folder / "symbols.json")
    vocabularies = load_vocabularies(folder / "subwords.model", folder / "symbols.json")
    torch.manual_seed(1)
    model = Transformer(TransformerConfig(**vocabularies.sizes, **tiny.model_config()))
    save_model(folder / "model", model, vocabularies.sha256, "fp32")
    return folder


def parser(folder: Path, *options: object) -> list[Any]:
    names = {"model": "model", "subwords": "subwords.model", "symbols": "symbols.json"}
    files = [part for option, name in names.items() for part in (f"--{option}", folder / name)]
    return ["parse", *files, "--beam-size", 3, *options]


def parse(folder: Path, *options: object, text: str) -> list[Tree]:
    result = run(*parser(folder, *options), text=text)
    assert result.returncode == 0, result.stderr
    return [parse_tree(line) for line in result.stdout.splitlines()]


def test_tags_are_taken_from_trees_of_the_same_sentences_only(tmp_path: Path) -> None:
    trees, tagged, source = (tmp_path / name for name in ("trees", "tagged", "source"))
    trees.write_text("(TOP (NP (NN dog)))\n(TOP (NP (NN cat)))\n")
    options = ["--trees", trees, "--tags-from", tagged, "--words", "tags", "--tags-in-input"]
    options += ["--output-source", source, "--output-target", tmp_path / "target"]
    tagged.write_text("(TOP (NN dog))\n(TOP (X (VB cat)))\n")
    succeeds("linearise", *options)
    assert source.read_text() == "NN dog\nVB cat\n"
    for other in ("(TOP (NP (NN dog)))\n", "(TOP (NP (NN cat)))\n(TOP (NP (NN dog)))\n"):
        tagged.write_text(other)
        assert "not the same words" in tiny.error("linearise", *options)


def test_copies_with_other_segmentations(folder: Path, tmp_path: Path) -> None:
    arguments = ["--subwords", folder / "subwords.model", "--symbols", folder / "symbols.json"]
    arguments += ["--source", folder / "train.en", "--target", folder / "train.symbols"]
    arguments += ["--copies", 3, "--dropout", 0.4, "--seed", 7]
    for processes in (1, 2):
        succeeds("encode", *arguments, "--processes", processes, "--output", tmp_path / f"{processes}/train")
    one, two = (TokenizedDataset.open(tmp_path / f"{processes}/train") for processes in (1, 2))
    vocabularies = load_vocabularies(folder / "subwords.model", folder / "symbols.json")
    sentences = (folder / "train.en").read_text().splitlines()
    assert len(one) == 3 * len(sentences)
    sources = [one.source[i].tolist() for i in range(len(one))]
    assert sources == [two.source[i].tolist() for i in range(len(two))]
    assert [vocabularies.source.decode(ids) for ids in sources] == 3 * sentences
    assert len({tuple(sources[i]) for i in range(0, len(one), 2)}) > 10  # of one sentence
    files, pairs = (folder / "subwords.model", folder / "symbols.json"), [(sentences[0], "XX")] * 40
    blocks = [encode_block(*files, 0.4, seed, (number, pairs)) for seed, number in ((7, 0), (7, 1), (8, 0))]
    assert len({tuple(source.ids) for source, _ in blocks}) == 3  # no two blocks, and no two seeds, are alike
    symbols = (folder / "train.symbols").read_text().splitlines()
    assert [vocabularies.target.decode(one.target[i].tolist()) for i in range(len(one))] == 3 * symbols


def test_trees_over_the_words_of_standard_input(folder: Path) -> None:
    trees = parse(folder, text="The dog runs .\na  (small)\tdog\n")
    assert [tree.leaves() for tree in trees] == [["The", "dog", "runs", "."], ["a", "-LRB-small-RRB-", "dog"]]


def test_each_word_after_its_tag(tagged_folder: Path) -> None:
    (tree,) = parse(tagged_folder, text="DT The NN dog\n")
    assert tree.leaves() == ["The", "dog"]
    error = tiny.error(*parser(tagged_folder), text="DT The NN\n")
    assert "line 1 of the input: 3 tokens; each word must come after its tag" in error
    assert parse(tagged_folder, text="NN dog\nXY a NN dog\n")  # a tag may be new
    (tagged_folder / "in").write_text("NN dog\nXY a NN dog\n")
    parsing = ["--input", tagged_folder / "in", "--output", tagged_folder / "out"]
    said = tiny.run_captured(*parser(tagged_folder), *parsing).stderr
    assert "1 of 3 tags are not the model's, such as 'XY'" in said
    error = tiny.error(*parser(tagged_folder), text="The dog runs .\n")
    assert "2 of 2 tags, such as 'The', are none of the model's" in error


def test_unconstrained_output_is_repaired_and_counted(folder: Path, tmp_path: Path) -> None:
    for options, malformed in ((["--unconstrained", "--max-extra-tokens", 9], 2), ([], 0)):
        output, report = tmp_path / f"{malformed}.trees", tmp_path / f"{malformed}.json"
        parse(folder, *options, "--output", output, "--report", report, text="The dog\nRex sees Rex\n")
        decoding = read_artifact(report, "decoding")
        assert (decoding["search"]["beam_size"], decoding["constrained"]) == (3, not malformed)
        assert (decoding["sentences"], decoding["malformed"]) == (2, malformed)
        lengths = [len(parse_tree(line).leaves()) for line in output.read_text().splitlines()]
        assert lengths == [2, 3]


def test_input_that_cannot_be_parsed(folder: Path, tmp_path: Path) -> None:
    error = tiny.error(*parser(folder, "--output", tmp_path / "out.trees"), text="The dog\n\nRex\n")
    assert "line 2 of the input: no word" in error
    assert not list(tmp_path.iterdir())
