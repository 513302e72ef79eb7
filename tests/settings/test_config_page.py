"""config/README.md has the keys that are declared, and config.yaml their defaults."""

from configuration import ROOT
from write_settings import with_settings

from transformer.common.checked import checked
from transformer.common.yaml_files import read_yaml
from transformer.settings.config_files import Command


def test_the_page_has_the_declared_keys() -> None:
    """If it has others: python docs/write_settings.py."""
    page = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    assert with_settings(page) == page
    assert page.count("\n| `") > 100


def test_the_first_file_has_the_declared_defaults() -> None:
    assert read_yaml(ROOT / "config" / "config.yaml") == checked(Command, {}, "").model_dump()
