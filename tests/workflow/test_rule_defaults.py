"""What all rules have in common, seen through Snakemake itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNAKEFILE = """
import sys

sys.path[:0] = {folders}

from rule_defaults import complete_rules

rule translate:
    output: "out/{{source}}-{{target}}/{{split}}.{{target}}"
    shell: "python {{params.src:q}}/stage/translate.py > {{output}} 2> {{log}}"

use rule translate as translate_again with:
    output: "again/{{run}}.txt"
    params: code="version 1"

complete_rules(workflow.rules, "logs", "project", "there/src")

for rule in workflow.rules:
    hashes = [param for param in rule.params if isinstance(param, str)]
    print(rule.name, *rule.log, rule.benchmark, rule.priority, *hashes, sep="|", file=sys.stderr)
"""


def snakemake(folder: Path) -> subprocess.CompletedProcess[str]:
    folders = [str(ROOT / "workflow"), str(ROOT / "src")]
    (folder / "Snakefile").write_text(SNAKEFILE.format(folders=folders))
    command = [sys.executable, "-m", "snakemake", "--list-rules"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_every_rule_gets_its_log_benchmark_priority_and_hash(tmp_path: Path) -> None:
    (tmp_path / "project" / "src" / "stage").mkdir(parents=True)
    (tmp_path / "project" / "src" / "stage" / "translate.py").touch()
    said = snakemake(tmp_path).stderr
    first, second = (line.split("|") for line in said.splitlines() if "|" in line)
    place = "logs/translate/{source}-{target}/{split}"
    assert first[:4] == ["translate", f"{place}.log", f"{place}.benchmark.tsv", "100"]
    assert len(first[4]) == 16  # the hash
    logs = ["logs/translate_again/{run}.log", "logs/translate_again/{run}.benchmark.tsv"]
    assert second[1:] == [*logs, "100", "version 1"]


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    run = snakemake(tmp_path)
    assert run.returncode == 1
    assert "src/stage/translate.py, which the rule translate runs, does not exist" in run.stderr


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow" / "rules").glob("*.smk")), ids=lambda path: path.stem
)
def test_every_rule_says_how_to_try_it(path: Path) -> None:
    rules = re.split(r"\n *(?:use )?rule \w+", path.read_text())[1:]
    assert all("Test with: snakemake --cores all" in rule for rule in rules)
