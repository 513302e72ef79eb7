"""Reading YAML files, as YAML 1.2 and without surprises."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from transformer.common.errors import reading
from transformer.common.schema import Schema, check


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file: mappings, lists, texts, numbers, booleans and None.

    Raises UserError, which names the file and the line, when the file is missing or not YAML, and when a mapping has
    the same key twice.
    """
    with reading(path, problem="not valid YAML", raises=(yaml.YAMLError, ValueError)):
        return _Loader(Path(path).read_bytes().decode("utf-8")).get_single_data()


def read_checked(file: Path | str, schema: Path | Schema) -> Any:
    """Return the content of a YAML file.  Raises UserError, which names the wrong key, when it breaks the schema."""
    content = read_yaml(file)
    check(content, _read_schema(schema) if isinstance(schema, Path) else schema, file)
    return content


_read_schema = cache(read_yaml)


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
