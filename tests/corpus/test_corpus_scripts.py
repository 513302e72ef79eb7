"""The data scripts answer bad input with one line on standard error, exit status 1 and no output."""

import gzip
import json
import resource
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny import run_captured as run

from transformer.common.special_tokens import EOS
from transformer.dataset.tokenized import TokenizedDataset
from transformer.subwords.subwords import load_subwords

ENGLISH = "".join(f"The dog sees {count} cats.\n" for count in range(100))
GERMAN = "".join(f"Der Hund sieht {count} Katzen.\n" for count in range(100))


def fails(result: subprocess.CompletedProcess[str], message: str, *outputs: Path) -> None:
    assert (result.returncode, result.stdout) == (1, "")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("encode:")]  # the last count
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("error: ")
    assert message in lines[0]
    for output in outputs:
        assert not output.exists() or not any(output.iterdir())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for name, text in [
        ("train.en", ENGLISH.encode()),
        ("train.de", GERMAN.encode()),
        ("short.de", GERMAN.encode()[: len(GERMAN) // 2]),
        ("latin.de", GERMAN.encode().replace(b"Hund", "Hündin".encode("latin-1"))),
        ("empty", b""),
        ("blank", b"\n" * 100),
    ]:
        (folder / name).write_bytes(text)
    result = run(
        "learn_subwords", "--kind", "bpe", "--vocab-size", 300, "--output", folder / "subwords",
        folder / "train.en", folder / "train.de",
    )  # fmt: skip
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return folder


def clean(corpus: Path, target: str, output: Path, *options: object) -> subprocess.CompletedProcess[str]:
    return run(
        "clean", "--source", corpus / "train.en", "--target", corpus / target, "--output-source", output / "en",
        "--output-target", output / "de", "--report", output / "report.json", *options,
    )  # fmt: skip


def encode(
    corpus: Path, source: str | Path, target: str | Path, output: Path, *options: object
) -> subprocess.CompletedProcess[str]:
    return run(
        "encode", "--subwords", corpus / "subwords" / "subwords.model", "--source", corpus / source,
        "--target", corpus / target, "--output", output / "train", *options,
    )  # fmt: skip


def test_any_number_of_processes_encodes_the_same_dataset(corpus: Path, tmp_path: Path) -> None:
    """The corpus has more than one block of pairs, so that their order matters."""
    for side, text in (("en", ENGLISH), ("de", GERMAN)):
        (tmp_path / f"long.{side}").write_text(text * 90)
    for processes in (1, 3):
        files = (tmp_path / "long.en", tmp_path / "long.de")
        assert encode(corpus, *files, tmp_path / str(processes), "--processes", processes).returncode == 0
    for name in ("train.json", "train.source.tokens", "train.target.offsets"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_clean_writes_both_sides_and_a_report(corpus: Path, tmp_path: Path) -> None:
    assert clean(corpus, "train.de", tmp_path, "--max-length", 175, "--max-ratio", 1.5).returncode == 0
    assert (tmp_path / "en").read_text() == ENGLISH
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["rules"] == {"max_length": 175, "max_ratio": 1.5, "deduplicate": False, "max_pairs": None}
    assert (report["pairs"], report["kept"]) == (100, 100)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("short.de", [], "short.de has 51:"),
        ("latin.de", [], "latin.de, line 1: invalid UTF-8"),
        ("empty", ["--keep-all"], "empty: the file is empty"),
        ("blank", [], "none of 100 pairs is left (empty 100)"),
        ("missing", [], "missing: no such file"),
    ],
)
def test_clean_with_bad_input(
    corpus: Path, tmp_path: Path, target: str, options: list[str], message: str
) -> None:
    fails(clean(corpus, target, tmp_path, *options), message, tmp_path)


def test_encode_ends_every_sentence_in_eos(corpus: Path, tmp_path: Path) -> None:
    assert encode(corpus, "train.en", "train.de", tmp_path).returncode == 0
    subwords = load_subwords(corpus / "subwords" / "subwords.model")
    store = TokenizedDataset.open(tmp_path / "train")
    assert store.vocabulary_sha256 == subwords.sha256
    for side, text in [(store.source, ENGLISH), (store.target, GERMAN)]:
        sentences = [side[index].tolist() for index in range(len(store))]
        assert all(sentence[-1] == EOS and EOS not in sentence[:-1] for sentence in sentences)
        assert "".join(subwords.decode(sentence) + "\n" for sentence in sentences) == text


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("train.en", "short.de", "train.en has 100 lines but"),
        ("train.en", "latin.de", "latin.de, line 1: invalid UTF-8"),
        ("empty", "empty", "empty: the file is empty"),
    ],
)
def test_encode_with_bad_input(corpus: Path, tmp_path: Path, source: str, target: str, message: str) -> None:
    fails(encode(corpus, source, target, tmp_path), message, tmp_path)


def test_encode_with_a_file_that_is_not_a_model(corpus: Path, tmp_path: Path) -> None:
    result = run(
        "encode", "--subwords", corpus / "train.en", "--source", corpus / "train.en", "--target",
        corpus / "train.de", "--output", tmp_path / "out" / "train",
    )  # fmt: skip
    fails(result, "train.en: not a subword model", tmp_path / "out")


def test_learn_subwords_with_too_large_a_vocabulary(corpus: Path, tmp_path: Path) -> None:
    result = run(
        "learn_subwords", "--kind", "bpe", "--vocab-size", 5000, "--output", tmp_path, corpus / "train.en"
    )
    fails(result, "vocab_size: 5000 is more than this text can give; the largest possible is", tmp_path)


def test_download_from_a_mirror_with_a_wrong_file(tmp_path: Path) -> None:
    (tmp_path / "mirror" / "multi30k").mkdir(parents=True)
    (tmp_path / "mirror" / "multi30k" / "val.en.gz").write_bytes(b"wrong")
    result = run(
        "download", "--file", "multi30k/val.en.gz", "--mirror", tmp_path / "mirror", "--output",
        tmp_path / "out" / "val.en.gz",
    )  # fmt: skip
    fails(result, "multi30k/val.en.gz: sha256", tmp_path / "out")


def test_download_of_a_file_that_is_not_registered(tmp_path: Path) -> None:
    result = run("download", "--file", "wmt", "--output", tmp_path / "wmt")
    fails(result, "no file wmt; there are multi30k/", tmp_path)


def test_extract_a_truncated_gzip(tmp_path: Path) -> None:
    (tmp_path / "train.en.gz").write_bytes(gzip.compress(ENGLISH.encode())[:-4])
    result = extract(tmp_path / "train.en.gz", tmp_path / "out")
    fails(result, "train.en.gz: damaged or truncated", tmp_path / "out")


def extract(archive: Path, output: Path, *options: object) -> subprocess.CompletedProcess[str]:
    """Extract the same file as both sides."""
    files = ["--source", archive, "--target", archive]
    outputs = ["--output-source", output / "train.en", "--output-target", output / "train.de"]
    return run("extract", *files, *outputs, *options)


@pytest.mark.parametrize("pair", ["ende", "de-", "de-en-fr", "../x-en"])
@pytest.mark.parametrize("script", ["hold_out", "score_baselines"])
def test_what_is_no_language_pair(script: str, pair: str) -> None:
    result = run(script, "--pair", pair)
    assert result.returncode == 2
    assert f"error: argument --pair: {pair!r} is no language pair" in result.stderr.splitlines()[-1]


def test_a_pair_has_two_languages(tmp_path: Path) -> None:
    options = ["--source", __file__, "--target", __file__, "--dev", 1, "--output-dir", tmp_path]
    result = run("hold_out", "--pair", "de-de", *options)
    assert result.returncode == 2
    assert "error: argument --pair: 'de-de' is one language twice; give two" in result.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_the_dictionary_has_no_greek() -> None:
    files = [f"--{name}=x" for name in ("source", "reference", "output")]
    result = run("score_baselines", "--pair", "en-el", *files, "--dictionary")
    assert result.returncode == 2
    assert "error: --dictionary" in result.stderr.splitlines()[-1]


def test_unpack_an_archive_that_lacks_a_member(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "corpus.tgz", "w:gz") as tar:
        tar.add(__file__, "other.py")
    result = run(
        "unpack", "--input", tmp_path / "corpus.tgz", "--members", "a.en", "--output", tmp_path / "out"
    )
    fails(result, "corpus.tgz: no file a.en in it, but other.py", tmp_path / "out")


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
    options = ["--file", "x/a.gz", "--mirror", mirror, "--output", tmp_path / "a.gz"]
    first = run("download", *options)
    assert first.returncode == 0
    assert "this first download is trusted: sha256" in first.stderr
    assert "recorded in config/sources.lock.yaml" in first.stderr
    again = run("download", *options)
    assert (again.returncode, again.stderr) == (0, "")
    (mirror / "x" / "a.gz").write_bytes(gzip.compress(b"two"))
    (tmp_path / "a.gz").unlink()
    fails(run("download", *options), "sources.lock.yaml recorded", tmp_path / "none")


def test_files_in_the_downloads_folder_are_verified(tmp_path: Path) -> None:
    """A file may not have come there by a download."""
    archive = tmp_path / "multi30k" / "val.en.gz"
    archive.parent.mkdir()
    archive.write_bytes(gzip.compress(ENGLISH.encode()))
    message = "val.en.gz: sha256"
    fails(extract(archive, tmp_path / "raw", "--downloads", tmp_path), message, tmp_path / "raw")
    options = ["--members", "x", "--output", tmp_path / "out", "--downloads", tmp_path]
    fails(run("unpack", "--input", archive, *options), message, tmp_path / "out")


@pytest.fixture
def small_files_only() -> Iterator[None]:
    """Limit files to 1000 bytes, which has the effect of a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.usefixtures("small_files_only")
def test_a_full_disk(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("full")
    archive = folder / "train.en.gz"
    archive.write_bytes(gzip.compress(ENGLISH.encode()))
    with tarfile.open(folder / "corpus.tgz", "w:gz") as tar:
        tar.add(corpus / "train.en", "a.en")
    (folder / "mirror" / "multi30k").mkdir(parents=True)
    (folder / "mirror" / "multi30k" / "val.en.gz").symlink_to(corpus / "train.en")  # larger than 1000 bytes
    results = [
        clean(corpus, "train.de", folder / "clean"),
        encode(corpus, "train.en", "train.de", folder / "tokenized"),
        extract(archive, folder / "raw"),
        run("download", "--file=multi30k/val.en.gz", "--mirror", folder / "mirror", "--output", folder / "down" / "a"),
        run("unpack", "--input", folder / "corpus.tgz", "--members=a.en", "--output", folder / "unpacked"),
        run("learn_subwords", "--kind=bpe", "--vocab-size=300", "--output", folder / "bpe", corpus / "train.en"),
    ]  # fmt: skip
    for result, output in zip(results, ["clean", "tokenized", "raw", "down", "unpacked", "bpe"], strict=True):
        fails(result, "File too large", folder / output)
