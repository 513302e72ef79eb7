"""The demo's text, and what the gate says of it, have the published sums: a change of either is seen before a build."""

from pathlib import Path

import pandas as pd
import pytest
import tiny

from transformer.common.files import sha256_of, write_json
from transformer.common.project import PROJECT
from transformer.corpus.cleaning import CleaningRules
from transformer.corpus.gather import gather
from transformer.corpus.text import Part
from transformer.settings.settings import load_settings

MANIFEST = PROJECT / "docs" / "results" / "demo" / "manifest.csv"


def test_the_demo_s_text_and_its_reports_are_the_published_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings({"scale": "demo", "seed": 1}, PROJECT)
    assert settings.grammar is not None
    monkeypatch.chdir(tmp_path)
    raw, clean = Path("data/demo/raw"), Path("data/demo/clean")
    sizes = {"sentences": "train", "dev": "dev", "test": "test"}
    options = [word for name, split in sizes.items() for word in (f"--{name}", settings.grammar[split])]
    done = tiny.run_captured("generate_demo", *options, "--seed", settings.seed, "--output-dir", raw)
    assert done.returncode == 0, done.stderr
    for pair, limits in settings.clean.items():
        rules = CleaningRules(
            limits["max_length"], float(limits["max_ratio"]), limits["deduplicate"], limits.get("max_pairs")
        )
        for split in settings.grammar:
            part, outputs = (
                [folder / pair / f"{split}.{side}" for side in pair.split("-")] for folder in (raw, clean)
            )
            report = gather(
                [Part(part[0], part[1])], (outputs[0], outputs[1]), rules if split == "train" else None
            )
            write_json(clean / pair / f"{split}.json", report)
    published = pd.read_csv(MANIFEST, index_col=0).iloc[:, 0]
    made = {path.as_posix(): sha256_of(path) for path in clean.rglob("*.*")}
    assert len(made) == len(settings.clean) * len(sizes) * 3
    assert made == {name: published[name] for name in made}
