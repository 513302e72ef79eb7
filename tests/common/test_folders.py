"""A folder is written as a whole or not at all, and no file of a user's in it is replaced or deleted."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.common.folders import SUMS, atomic_folder


def write(path: Path, **texts: str) -> None:
    with atomic_folder(path) as folder:
        (folder / "inner").mkdir()
        for name, text in texts.items():
            (folder / "inner" / name).write_text(text)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made"
    write(path, one="1", two="2")
    return path


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def test_its_sums_are_those_of_all_its_files(made: Path) -> None:
    assert sorted(content(made)) == [SUMS, "inner/one", "inner/two"]
    done = subprocess.run(
        ["sha256sum", "--check", SUMS], cwd=made, capture_output=True, text=True, check=True
    )
    assert done.stdout == "inner/one: OK\ninner/two: OK\n"


def test_what_it_wrote_it_replaces_also_through_a_link(made: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(made)
    write(tmp_path / "link", one="3", two="4", three="5")
    assert (tmp_path / "link").is_symlink()
    assert {name: text for name, text in content(made).items() if name != SUMS} == {
        "inner/one": "3",
        "inner/two": "4",
        "inner/three": "5",
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda made: (made / "inner/thesis.txt").write_text("the user's"),
        lambda made: (made / "poster.png").write_bytes(b"PNG"),
        lambda made: (made / "inner/one").write_text("edited"),
        lambda made: (made / SUMS).unlink(),
    ],
)
def test_a_file_of_the_users_stays_and_no_work_is_done(made: Path, change: Callable[[Path], object]) -> None:
    change(made)
    before = content(made)
    refused = pytest.raises(UserError, match="which this program did not write or which was edited since")
    with refused, atomic_folder(made):
        pytest.fail("the work began")
    assert content(made) == before


def test_what_the_new_one_lacks_is_not_deleted(made: Path) -> None:
    before = content(made)
    with pytest.raises(UserError, match="made: has 1 files, inner/two, which would be lost"):
        write(made, one="3")
    assert content(made) == before


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_folder_and_nothing_else(made: Path, error: type[BaseException]) -> None:
    before = content(made)

    def fail() -> None:
        with atomic_folder(made) as folder:
            (folder / "half").touch()
            raise error

    with pytest.raises(error):
        fail()
    assert content(made) == before
    assert [path.name for path in made.parent.iterdir()] == ["made"]
