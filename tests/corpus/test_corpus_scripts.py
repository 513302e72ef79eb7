"""The data scripts answer bad input with one line on standard error, exit status 1 and no output."""

import gzip
import subprocess
from pathlib import Path

import pytest
import tiny
from tiny import run_captured as run

from transformer.common.special_tokens import EOS
from transformer.dataset.tokenized import TokenizedDataset
from transformer.subwords.subwords import load_subwords

ENGLISH = "".join(f"The dog sees {count} cats.\n" for count in range(100))
GERMAN = "".join(f"Der Hund sieht {count} Katzen.\n" for count in range(100))


def fails(result: subprocess.CompletedProcess[str], message: str, *outputs: Path) -> None:
    assert (result.returncode, result.stdout) == (1, "")
    assert message in tiny.the_error(result.stderr)
    for output in outputs:
        assert not output.exists() or not any(output.iterdir())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for name, text in [
        ("train.en", ENGLISH.encode()),
        ("train.de", GERMAN.encode()),
    ]:
        (folder / name).write_bytes(text)
    options = ["--kind", "bpe", "--vocab-size", 300, "--output", folder / "subwords"]
    result = run("learn_subwords", *options, folder / "train.en", folder / "train.de")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return folder


def gather(
    corpus: Path, target: str | Path, output: Path, *options: object
) -> subprocess.CompletedProcess[str]:
    inputs = ["--source", corpus / "train.en", "--target", corpus / target]
    outputs = ["--output-source", output / "train.en", "--output-target", output / "train.de"]
    return run("gather", *inputs, *outputs, "--report", output / "report.json", *options)


def encode(
    corpus: Path, target: str | Path, output: Path, *options: object, source: str | Path = "train.en"
) -> subprocess.CompletedProcess[str]:
    inputs = ["--subwords", corpus / "subwords" / "subwords.model"]
    inputs += ["--source", corpus / source, "--target", corpus / target]
    return run("encode", *inputs, "--output", output / "train", *options)


def test_any_number_of_processes_encodes_the_same_dataset(corpus: Path, tmp_path: Path) -> None:
    """The corpus has more than one block of pairs, so that their order matters."""
    for side, text in (("en", ENGLISH), ("de", GERMAN)):
        (tmp_path / f"long.{side}").write_text(text * 90)
    for processes in (1, 3):
        output, source = tmp_path / str(processes), tmp_path / "long.en"
        options = ["--processes", processes]
        assert encode(corpus, tmp_path / "long.de", output, *options, source=source).returncode == 0
    for name in ("train.json", "train.source.tokens", "train.target.offsets"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_encode_ends_every_sentence_in_eos(corpus: Path, tmp_path: Path) -> None:
    assert encode(corpus, "train.de", tmp_path).returncode == 0
    subwords = load_subwords(corpus / "subwords" / "subwords.model")
    store = TokenizedDataset.open(tmp_path / "train")
    assert store.vocabulary_sha256 == subwords.sha256
    for side, text in [(store.source, ENGLISH), (store.target, GERMAN)]:
        sentences = [side[index].tolist() for index in range(len(store))]
        assert all(sentence[-1] == EOS and EOS not in sentence[:-1] for sentence in sentences)
        assert "".join(subwords.decode(sentence) + "\n" for sentence in sentences) == text


@pytest.mark.parametrize("pair", ["ende", "de-", "de-en-fr", "../x-en", "de-de"])
def test_what_is_no_language_pair(pair: str) -> None:
    result = run("hold_out", "--pair", pair)
    assert result.returncode == 2
    assert f"error: argument --pair: {pair!r} is " in result.stderr.splitlines()[-1]


def test_a_first_download_is_trusted_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is recorded in the working folder, and another file is refused later."""
    monkeypatch.chdir(tmp_path)
    mirror, registry = tmp_path / "mirror", tmp_path / "config" / "sources.yaml"
    registry.parent.mkdir()
    (mirror / "x").mkdir(parents=True)
    (mirror / "x" / "a.gz").write_bytes(gzip.compress(b"one"))
    registry.write_text(
        "corpus: {title: T, homepage: 'https://example.org', licence: L, citation: C, "
        "files: [{path: x/a.gz, url: 'https://example.org/a.gz'}]}"
    )
    monkeypatch.setenv("MIRROR", str(mirror))
    options = ["--file", "x/a.gz", "--output", tmp_path / "a.gz"]
    first = run("download", *options)
    assert first.returncode == 0
    assert "this first copy is trusted: sha256" in first.stderr
    assert "recorded in config/sources.lock.yaml" in first.stderr
    again = run("download", *options)
    assert (again.returncode, again.stderr) == (0, "")
    (mirror / "x" / "a.gz").write_bytes(gzip.compress(b"two"))
    (tmp_path / "a.gz").unlink()
    fails(run("download", *options), "sources.lock.yaml recorded", tmp_path / "none")


def test_a_full_disk(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIRROR", str(tmp_path / "mirror"))
    tiny.with_file_size_limit(1000, lambda: all_scripts_fail(corpus, tmp_path))


def all_scripts_fail(corpus: Path, folder: Path) -> None:
    (folder / "mirror" / "multi30k").mkdir(parents=True)
    (folder / "mirror" / "multi30k" / "val.en.gz").symlink_to(corpus / "train.en")  # larger than 1000 bytes
    download = ["--file=multi30k/val.en.gz", "--output", folder / "down" / "a"]
    learn = ["--kind=bpe", "--vocab-size=300", corpus / "train.en"]
    results = {
        "clean": gather(corpus, "train.de", folder / "clean"),
        "tokenized": encode(corpus, "train.de", folder / "tokenized"),
        "down/a": run("download", *download),  # a part stays, to be resumed
        "bpe": run("learn_subwords", *learn, "--output", folder / "bpe"),
    }
    for output, result in results.items():
        fails(result, "File too large", folder / output)
