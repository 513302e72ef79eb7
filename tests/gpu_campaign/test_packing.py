"""The archive that takes data and settings to a machine without Snakemake and schemas."""

import tarfile
from pathlib import Path

import packing
import pytest
from packing import Run, files_of, read_packed_runs, runs_of, tiny_pack, unpack

from transformer.common.errors import UserError
from transformer.settings.settings import Settings, load_settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings({"scale": "small", "seed": 1}, ROOT)


@pytest.fixture(scope="module")
def runs(settings: Settings) -> list[Run]:
    return list(runs_of(settings))


def test_the_most_valuable_trainings_come_first(runs: list[Run]) -> None:
    """Table 2's four, then the other rows of Table 3, then the 2017 code, then other seeds of the tables."""
    names = [(run.run, run.pair) for run in runs]
    assert names[:4] == [("base", "en-de"), ("base", "en-fr"), ("big", "en-de"), ("big", "en-fr")]
    assert [run.averaged for run in runs[:4]] == [True] * 4
    of_table3 = [run for run in runs if run.last and "seed" not in run.run]
    assert len(of_table3) == 20
    assert {run.pair for run in of_table3} == {"en-de"}
    assert max(map(runs.index, of_table3)) == 21
    assert [name for name, _ in names[22:26]] == ["t2t-1.0.3"] * 2 + ["t2t-1.0.3-big"] * 2
    assert names[26] == ("base-seed2", "en-de")
    assert len(set(names)) == len(names) == 26 + 2 * 22


def test_a_training_has_the_settings_of_the_pipeline(settings: Settings, runs: list[Run]) -> None:
    (big,) = (run for run in runs if (run.run, run.pair) == ("big-seed2", "en-fr"))
    assert big.config == settings.run("big-seed2", "en-fr")
    assert big.config["seed"] == 2
    assert (big.average, big.decoding["beam_size"], big.max_tokens) == (20, 4, 4096)


def test_data_that_are_missing(tmp_path: Path) -> None:
    """The message names the command that makes them."""
    for name in ("config", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    with pytest.raises(
        UserError, match=r"no such file; make it with: snakemake .* data/small/tokenized/en-de/train"
    ):
        packing.pack_scale(tmp_path / "small.tar.gz", "small", tmp_path)
    assert not (tmp_path / "small.tar.gz").exists()


def test_an_archive_holds_all_that_a_training_reads(tmp_path: Path) -> None:
    tiny_pack(tmp_path / "tiny.tar.gz", tmp_path / "made")
    unpack(tmp_path / "tiny.tar.gz", tmp_path / "unpacked")
    runs = read_packed_runs(tmp_path / "unpacked")
    assert [(run.run, run.averaged, run.last) for run in runs] == [
        ("base", True, False),
        ("C-N2", False, True),
    ]
    for name, path in files_of(tmp_path / "made", "en-de").items():
        assert (tmp_path / "unpacked" / "en-de" / name).read_bytes() == path.read_bytes()
    assert (tmp_path / "unpacked" / "packages" / "sacremoses" / "__init__.py").exists()


def test_another_file_instead_of_an_archive(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no archive")
    with tarfile.open(tmp_path / "other.tar", "w") as archive:
        archive.add(tmp_path / "text", "text")
    with pytest.raises(UserError, match=r"not an archive of --pack"):
        unpack(tmp_path / "text", tmp_path / "unpacked")
    with pytest.raises(UserError, match=r"runs.json: no such file"):
        unpack(tmp_path / "other.tar", tmp_path / "unpacked")
