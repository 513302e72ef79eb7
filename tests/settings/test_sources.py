"""Which files of the registry each corpus is made of."""

from pathlib import Path

import yaml
from configuration import edit, load, message


def test_the_caption_names_the_test_set(project: Path) -> None:
    edit(project, "paper.yaml", "translation", "en-de", "source", "test", value="newstest2014-filtered")
    assert "corpus: tables call the corpus 'WMT14, newstest2014', but" in message(project, scale="paper")
    edit(project, "paper.yaml", "corpus", value="WMT14, newstest2014-filtered, newstest2014")
    assert load(project, scale="paper").corpus


def test_a_folder_adds_sources_and_replaces_none(project: Path) -> None:
    about = dict.fromkeys(("title", "licence", "citation"), "none") | {"homepage": "https://example.org/"}
    files = [
        {"path": f"news/test.{side}", "url": "https://example.org/", "sum": f"md5:{'0' * 32}"}
        for side in ("en", "fr")
    ]
    news = about | {"splits": {"test": {side: f"news/test.{side}" for side in ("en", "fr")}}, "files": files}
    own = project / "config" / "sources.yaml"
    own.write_text(yaml.safe_dump({"news": news}))
    test = {"train": ["multi30k"], "dev": ["multi30k"], "test": "news"}
    edit(project, "small.yaml", "translation", "en-fr", "source", value=test)
    edit(project, "small.yaml", "corpus", value="Multi30k, news")
    (file,) = load(project, scale="small").downloads["en-fr", "test", "fr"]
    assert file["path"] == "news/test.fr"
    own.write_text(yaml.safe_dump({"multi30k": news}))
    line = message(project)
    assert line.startswith(f"{own}: multi30k is a source of ")
    assert "resources/sources.yaml; choose" in line
    own.write_text(yaml.safe_dump({"news": news | {"files": files[:1]}}))
    line = message(project, scale="small")
    assert line == "sources.yaml: news: news/test.fr is not among the files; add it"
