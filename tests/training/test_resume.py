"""An interrupted training ends with the same bits as one that was not: weights, moments and kept checkpoints."""

import itertools
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny

from transformer.common.errors import UserError
from transformer.dataset.tokenized import TokenizedDataset
from transformer.training import checkpoints as module
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.trainer import SIGNALS, Stopped


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, store: TokenizedDataset) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    tiny.trainer(folder, store).train()
    return folder


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory, store: TokenizedDataset) -> Path:
    """Training after four of its six steps."""
    folder = tmp_path_factory.mktemp("halfway")
    tiny.trainer(folder, store, steps=4).train()
    return folder


def die_at(operation: int) -> None:
    """Make this process kill itself at the n-th of its operations on files."""
    count = 0

    def mortal(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == operation:
                os.kill(os.getpid(), signal.SIGKILL)
            return work(*arguments, **options)

        return call

    for owner, names in ((os, ("replace", "fsync", "unlink", "rmdir")), (module, ("save_tensors",))):
        for name in names:
            setattr(owner, name, mortal(getattr(owner, name)))


def in_a_child(work: Callable[[], None]) -> int:
    """Do ``work`` in a fork of this process; returns the status from ``os.waitpid``."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def test_killed_at_any_operation_on_files(
    tmp_path: Path, store: TokenizedDataset, halfway: Path, undisturbed: Path
) -> None:
    """In the last two steps: writing metrics and a checkpoint, deleting an older one."""
    for operation in itertools.count(1):
        folder = tmp_path / str(operation)
        shutil.copytree(halfway, folder)

        def train(operation: int = operation, folder: Path = folder) -> None:
            die_at(operation)
            tiny.trainer(folder, store).train()

        end = in_a_child(train)
        if end == 0:
            break  # training ended before this operation
        assert end == signal.SIGKILL
        tiny.trainer(folder, store).train()
        assert tiny.outcome(folder) == tiny.outcome(undisturbed), f"killed at operation {operation}"
        assert tiny.metrics(folder)[-1] == tiny.metrics(undisturbed)[-1]
    assert operation > 15


@pytest.mark.parametrize(("number", "step"), [*zip(SIGNALS, (1, 2, 5, 5), strict=True)])
def test_a_signal_saves_first(
    tmp_path: Path, store: TokenizedDataset, undisturbed: Path, number: signal.Signals, step: int
) -> None:
    def validate(model: Any, group: ProcessGroup) -> dict[str, float]:
        if run.state.step == step:
            os.kill(os.getpid(), number)
        return {"dev": 1.0}

    before = signal.getsignal(number)
    run = tiny.trainer(tmp_path, store, validate, validate_every_steps=1)
    with pytest.raises(Stopped) as stopped:
        run.train()
    assert stopped.value.exit_code == 128 + number
    assert signal.getsignal(number) is before
    run = tiny.trainer(tmp_path, store)
    assert run.state.step == step
    run.train()
    assert tiny.outcome(tmp_path) == tiny.outcome(undisturbed)


def test_a_second_interruption_ends_at_once(tmp_path: Path, store: TokenizedDataset) -> None:
    run = tiny.trainer(tmp_path, store)
    before = signal.getsignal(signal.SIGINT)
    with run._signals_caught():
        signal.raise_signal(signal.SIGINT)
        assert run.stop_signal == signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_what_is_ignored_stays_so(tmp_path: Path, store: TokenizedDataset) -> None:
    """As SIGHUP after nohup: the training goes on without its terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = tiny.trainer(tmp_path, store)
        with run._signals_caught():
            signal.raise_signal(signal.SIGHUP)
        assert run.stop_signal == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_at_the_last_step_is_too_late(tmp_path: Path, store: TokenizedDataset) -> None:
    def validate(model: object, group: ProcessGroup) -> dict[str, float]:
        os.kill(os.getpid(), signal.SIGTERM)
        return {}

    run = tiny.trainer(tmp_path, store, validate, validate_every_steps=6)
    run.train()
    assert run.state.step == 6


def test_training_goes_on_when_steps_are_raised(
    tmp_path: Path, store: TokenizedDataset, undisturbed: Path
) -> None:
    tiny.trainer(tmp_path, store, steps=5).train()
    assert [path.name for path in Checkpoints(tmp_path, 2).kept()] == ["step-0000004", "stop-0000005"]
    tiny.trainer(tmp_path, store).train()
    assert tiny.outcome(tmp_path) == tiny.outcome(undisturbed)
    with pytest.raises(UserError, match="is of step 6, past the last step 5"):
        tiny.trainer(tmp_path, store, steps=5)


def test_a_full_disk_keeps_the_last_good_checkpoint(
    tmp_path: Path, store: TokenizedDataset, halfway: Path, undisturbed: Path
) -> None:
    shutil.copytree(halfway, tmp_path, dirs_exist_ok=True)
    before = tiny.outcome(tmp_path)
    with pytest.raises(UserError, match=r"could not be written .*is the disk full\?"):
        tiny.with_file_size_limit(20_000, tiny.trainer(tmp_path, store).train)
    assert tiny.outcome(tmp_path) == before
    assert not (tmp_path / ".unfinished").exists()
    tiny.trainer(tmp_path, store).train()
    assert tiny.outcome(tmp_path) == tiny.outcome(undisturbed)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.safetensors", b"\x00", "not the file that was written"),  # at its end, as after a changed bit
        ("optimizer.safetensors", b"short", "not the file that was written"),
        ("optimizer.safetensors", None, "no such file"),
        ("training_state.json", b"{", "not valid JSON"),
        ("training_state.json", b'{"format": 4}', "has no content_sha256"),
    ],
)
def test_a_damaged_checkpoint(
    tmp_path: Path,
    store: TokenizedDataset,
    undisturbed: Path,
    name: str,
    content: bytes | None,
    message: str,
) -> None:
    shutil.copytree(undisturbed, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "step-0000006" / name
    if content is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1] + content if content == b"\x00" else content)
    with pytest.raises(UserError, match=f"step-0000006/{name}.*{message}"):
        tiny.trainer(tmp_path, store)


def test_no_pair_is_short_enough(tmp_path: Path, store: TokenizedDataset) -> None:
    with pytest.raises(UserError, match="no sentence pair is within max_length"):
        tiny.trainer(tmp_path, store, max_length=2).train()
