"""Several processes train the same model as one, and can be resumed by any number of processes."""

import json
import shutil
from pathlib import Path

import pytest
from processes import assert_same_training, errors, losses, run, train_alone, write_data


@pytest.fixture(scope="module")
def data(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tiny_run, tmp_path_factory.mktemp("processes") / "data")


@pytest.fixture(scope="module")
def three(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five steps by three processes, into the second epoch."""
    output = tmp_path_factory.mktemp("three")
    result = run(data, output, 3, steps=5)
    assert result.returncode == 0, result.stderr
    return output


def test_three_processes_train_the_same_as_one(data: Path, three: Path, tmp_path: Path) -> None:
    alone = train_alone(data, tmp_path, steps=5)
    assert_same_training(alone, three)
    assert losses(three) == pytest.approx(losses(alone), abs=2e-6)
    assert losses(three, "dev_perplexity") == pytest.approx(losses(alone, "dev_perplexity"), rel=1e-4)
    assert json.loads((three / "timing.json").read_text())["devices"] == 3


def test_a_resume_with_another_number_of_processes(data: Path, three: Path, tmp_path: Path) -> None:
    """One process takes the rest: the same batches in the same order."""
    resumed = shutil.copytree(three, tmp_path / "resumed")
    assert_same_training(train_alone(data, tmp_path / "alone"), train_alone(data, resumed))


def test_an_error_of_all_processes_is_printed_once(data: Path, tmp_path: Path) -> None:
    result = run(data, tmp_path, 2, batch_tokens=20)
    assert result.returncode == 1
    assert len(errors(result.stderr)) == 1, result.stderr


OF_A_CLUSTER = {
    **dict.fromkeys(("GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"), "ib0"),
    "GLOO_DEVICE_TRANSPORT": "IBVERBS",
    "NCCL_COMM_ID": "node7:1",
    "MASTER_ADDR": "node7",
    "MASTER_PORT": "1",
    "RANK": "3",
    "GROUP_RANK": "1",
    "PET_NNODES": "2",
    "TORCHELASTIC_RUN_ID": "7",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
    "TORCH_DISTRIBUTED_DEBUG": "DETAIL",
}


def test_one_machine_talks_to_itself_whatever_the_environment_of_a_cluster_says(
    data: Path, tmp_path: Path
) -> None:
    result = run(data, tmp_path, 2, OF_A_CLUSTER, steps=2)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
