"""What every rule has, as a reader of its text sees it, and that parsing the rules writes nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = sorted((ROOT / "workflow" / "rules").glob("*.smk"))


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_every_rule_that_runs_a_program_has_a_log_and_the_hash_of_its_code(path: Path) -> None:
    """Two rules say in a comment what they have instead of the hash."""
    for rule in re.split(r"\n *(?=(?:use )?rule[ :])", path.read_text())[1:]:
        if "shell:" in rule:
            assert "log:\n" in rule, rule
            (*_, program) = [None, *re.findall(r"(?:-m|launcher:q}) (transformer\.(?!workflow)[\w.]+)", rule)]
            code = re.search(r"code=(.+),\n", rule)
            assert (code is not None) == (program is not None), rule
            if code and code[1].startswith("code_of("):
                assert code[1] == f'code_of("{program}")', rule


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_a_program_that_would_take_any_gpu_has_those_that_its_rule_claims(path: Path) -> None:
    for rule in re.split(r"\n *(?=(?:use )?rule[ :])", path.read_text())[1:]:
        for program in re.findall(r"-m (transformer\.(?!workflow)[\w.]+)", rule):
            code = (ROOT / "src" / f"{program.replace('.', '/')}.py").read_text()
            if re.search(r"\b(load_model|TrainedModel\.read|default_device)\(", code):
                assert "transformer.workflow.reserve" in rule, rule
                assert ("JOBS.needs_gpu(" in rule) != ("--gpus 0" in rule), rule


def test_parsing_removes_no_lock_and_no_record(tmp_path: Path) -> None:
    lock, torn = (
        tmp_path / ".snakemake" / "locks" / "0.output.lock",
        tmp_path / ".snakemake" / "metadata" / "eA==",
    )
    for file in (lock, torn):
        file.parent.mkdir(parents=True)
        file.touch()
    needed = ("Snakefile", "config", "profiles", "resources", "src", "workflow")
    for name in needed:
        (tmp_path / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "snakemake", "--list-rules"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert lock.exists()
    assert torn.exists()
    assert {path.name for path in tmp_path.iterdir()} == {".snakemake", *needed}
