"""Reading YAML files, as YAML 1.2 and without surprises."""

import re
from pathlib import Path
from typing import Any

import yaml

from transformer.common.errors import UserError, reading


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file: mappings, lists, texts, numbers, booleans and None.

    Raises UserError, which names the file and the line, when the file is missing or not YAML, and when a mapping has
    the same key twice.
    """
    with reading(path, problem="not valid YAML", raises=(yaml.YAMLError, ValueError)):
        return _Loader(Path(path).read_bytes().decode("utf-8")).get_single_data()


def check_for_snakemake(path: Path | str) -> None:
    """Raise UserError when Snakemake, which reads YAML 1.1, takes a value of the mapping in a file for another.

    It would work with the seed 384 where the file says 0600.
    """
    content = read_yaml(path)
    other = yaml.safe_load(Path(path).read_bytes())
    for key, value in content.items() if isinstance(content, dict) else ():
        # A number such as 1e9 is a text in YAML 1.1, which is refused as such.
        if other.get(key) != value and not isinstance(other.get(key), str):
            raise UserError(f"{path}: {key}: Snakemake takes this for {other.get(key)}; write {value}")


class _Loader(yaml.SafeLoader):
    """A loader that takes booleans, dates and numbers for what they are in YAML 1.2, which DVC writes.

    In YAML 1.1, which PyYAML reads, ``no``, the code of a language, is a boolean, 1e-9 is a text, 0600 is 384, and 1:30
    is 90.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Reject duplicate keys, as YAML requires; PyYAML would silently keep the last value."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                problem = f"the key '{key.value}' occurs twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node)
    return int(text, 0 if text.startswith(("0x", "0o")) else 10)


_TAG = "tag:yaml.org,2002:"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag in (f"{_TAG}null", f"{_TAG}merge")]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
# Those of the core schema (YAML 1.2.2, section 10.3.2), with the first characters that each may have.
for _tag, _form, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
):
    _Loader.add_implicit_resolver(f"{_TAG}{_tag}", re.compile(rf"({_form})\Z"), list(_first))
_Loader.add_constructor(f"{_TAG}int", _integer)
