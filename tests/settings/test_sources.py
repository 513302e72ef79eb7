"""Which files of the registry each corpus is made of."""

from pathlib import Path

import pytest
import yaml
from configuration import copy_configuration, edit, load, message


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_configuration(tmp_path)


def test_downloads() -> None:
    downloads = load(scale="small").downloads
    assert len(downloads) == 3 * 2 * 2 + 3 + 1
    assert [part["path"] for part in downloads["silver", "text", "en"]] == [
        "multi30k/train.en.gz",
        "wmt14/dev.tgz",
    ]
    trees = [part["member"] for part in downloads["trees", "dev", "trees"]]
    assert trees == [f"treebank/combined/wsj_{number:04}.mrg" for number in range(150, 170)]
    assert len(load(scale="small").archives["treebank/treebank.zip"]) == 199
    assert [part["path"] for part in downloads["en-fr", "dev", "fr"]] == ["multi30k/val.fr.gz"]
    assert load().downloads == {}


def test_wmt14_is_joined_from_what_the_paper_names() -> None:
    settings = load(scale="paper")
    names = {
        pair: [part["source"] for part in settings.downloads[pair, "train", "en"]] for pair in settings.pairs
    }
    german = ["europarl-v7", "commoncrawl", "news-commentary-v9"]
    assert names == {"en-de": german, "en-fr": [*german, "un", "giga-fren"]}
    members = settings.archives["wmt13/training-parallel-europarl-v7.tgz"]
    assert members == [
        f"training/europarl-v7.{end}" for end in ("de-en.de", "de-en.en", "fr-en.en", "fr-en.fr")
    ]


def test_the_caption_names_the_test_set(project: Path) -> None:
    edit(project, "paper.yaml", "translation", "en-de", "source", "test", value=["newstest2014-filtered"])
    assert message(project, scale="paper") == (
        "config/paper.yaml: corpus: tables call the corpus 'WMT14, newstest2014', but the test set is "
        "newstest2014, newstest2014-filtered; add its name, after a comma"
    )
    edit(project, "paper.yaml", "corpus", value="WMT14, newstest2014-filtered, newstest2014")
    assert load(project, scale="paper").corpus


def test_an_unknown_treebank(project: Path) -> None:
    edit(project, "small.yaml", "parsing", "source", value="nltk-treebnk")
    line = message(project, scale="small")
    assert "unknown treebank 'nltk-treebnk'; did you mean 'nltk-treebank'?" in line


def test_an_unknown_source(project: Path) -> None:
    edit(project, "small.yaml", "translation", "en-fr", "source", value="multi30")
    line = message(project, scale="small")
    assert line.startswith(
        "config/small.yaml: translation.en-fr.source: unknown source 'multi30'; did you mean 'multi30k'?"
    )


def test_a_source_without_a_split(project: Path) -> None:
    sources = yaml.safe_load((project / "config" / "sources.yaml").read_text())
    del sources["multi30k"]["splits"]["dev"]["fr"]
    (project / "config" / "sources.yaml").write_text(yaml.safe_dump(sources))
    assert message(project, scale="small").endswith(
        "translation.en-fr.source: multi30k has no dev split in fr"
    )
