"""The files that describe the project to the public agree with each other."""

import json
import re
import tomllib
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
import yaml

from transformer.common.files import sha256_of
from transformer.report.packed_runs import unpack
from transformer.verification.published import is_kept, read_manifest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_citation_licence_and_changelog_name_the_same_release() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    releases = re.findall(
        r"^## \[(\d.*?)\] - (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    assert releases[0] == (PROJECT["version"], citation["date-released"].isoformat())
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith(f"{PROJECT['license']} License")


def test_ci_runs_every_python_that_is_promised() -> None:
    ci = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yaml").read_text(encoding="utf-8"))
    tried = re.findall(r"python_of (3\.\d+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert ci["jobs"]["test"]["steps"][1]["with"]["python-version"].split() == tried
    versions = sorted(
        {*tried, *(one["python"] for one in ci["jobs"]["check"]["strategy"]["matrix"]["include"])}
    )
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert named == versions
    assert PROJECT["requires-python"].startswith(f">={versions[0]}")


def test_the_address_of_the_project_is_the_same_everywhere() -> None:
    """One who publishes a copy replaces it with sed."""
    address = re.compile(r"https://github\.com/[\w-]+/attention-is-all-you-need")
    pages = ("README.md", "CITATION.cff", "docs/colab.ipynb")
    found = [set(address.findall((ROOT / page).read_text(encoding="utf-8"))) for page in pages]
    assert found == [found[0]] * 3
    assert len(found[0]) == 1


def test_the_readme_gives_the_licence_of_every_source() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    sources = yaml.safe_load((ROOT / "resources" / "sources.yaml").read_text(encoding="utf-8"))
    assert {source["licence"] for source in sources.values() if source["licence"] not in readme} == set()


def test_the_documentation_names_only_files_that_exist() -> None:
    """Paths in backticks that begin with a folder under version control; changelog and notes speak of the past."""
    path = re.compile(r"`((?:src|tests|docs|config|workflow|profiles|benchmarks|envs)/[^`\s<{…]*)`")
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/**/*.md")]
    named = {
        (page.name, name)
        for page in pages
        if page.name != "CHANGELOG.md"
        for name in path.findall(page.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert [(page, name) for page, name in sorted(named) if not any(ROOT.glob(name))] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/notes/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_slurm_profile_is_still_yaml_without_the_comment_signs() -> None:
    """Readers delete the `#` of the lines that they fill in."""
    text = (ROOT / "profiles/slurm/config.yaml").read_text(encoding="utf-8")
    filled, count = re.subn(r"(?m)^#(?=\s+\w+: )", "", text)
    assert count == 4
    values = yaml.safe_load(filled)
    site = {"slurm_account", "qos", "constraint", "gpu_type"}
    assert set(values["default-resources"]) == {*site, "mem_mb", "runtime", "disk_mb"}


@pytest.mark.parametrize("folder", sorted((ROOT / "docs" / "results").iterdir()), ids=lambda path: path.name)
def test_published_results_are_those_that_were_published(folder: Path) -> None:
    """Files have their recorded sha256, those behind tables that of a rebuild; all numbers are in scores.csv."""
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines())
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {name: sha256_of(folder / name) for name in files - {"SHA256SUMS"}} == sums
    manifest = read_manifest(folder.name) or {}
    for name, text in unpack(folder / "runs").items():
        if is_kept(f"runs/{name}") and manifest:
            assert sha256(text.encode()).hexdigest() == manifest[f"results/{folder.name}/runs/{name}"]
    scores = pd.read_csv(folder / "scores.csv")
    measured = dict(zip(scores["path"] + ":" + scores["key"], scores["value"], strict=True))
    numbers = 0
    # Records of before the files of cells have a provenance of each table.
    for path in (*folder.glob("provenance*.json"), *folder.glob("table*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        cells = (cell for line in content.get("lines", ()) for cell in line["cells"])
        sources = [source for cell in cells for source in cell.get("sources", ())]
        for number in (*content.get("numbers", ()), *sources):
            numbers += 1
            # The cells of Table 1 are expressions, and those by length are computed from the counts of sentences.
            if not isinstance(number["value"], list) and number["path"].endswith(".json"):
                assert measured[f"{number['path']}:{number['key']}"] == number["value"]
    assert numbers > 5
