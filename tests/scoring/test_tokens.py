"""The tokenizer of sacreBLEU for each language."""

import pytest

from transformer.scoring.tokens import tokenizer_name


def test_without_its_library_japanese_is_scored_by_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert tokenizer_name("ja", ["犬が見えます。"]) == "char"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert tokenizer_name("ja", ["犬が見えます。"]) == "ja-mecab"
