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
    with reading(path, problem="not valid YAML"):
        return _Loader(Path(path).read_bytes().decode("utf-8")).get_single_data()


def read_checked(file: Path | str, schema: Path | Schema) -> Any:
    """Return the content of a YAML file.  Raises UserError, which names the wrong key, when it breaks the schema."""
    content = read_yaml(file)
    check(content, _read_schema(schema) if isinstance(schema, Path) else schema, file)
    return content


_read_schema = cache(read_yaml)


def unquoted(text: str) -> str:
    """Return a text without the quotes that YAML takes off if they stand around all of it."""
    if text[0] != text[-1] or text[0] not in "'\"":
        return text
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    return found if isinstance(found, str) else text


class _Loader(yaml.SafeLoader):
    """A loader that takes booleans, dates and numbers for what they are in YAML 1.2, which DVC writes.

    In YAML 1.1, which PyYAML reads, ``no``, the code of a language, is a boolean, and 1e-9 is a text.
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


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if not tag.endswith((":bool", ":timestamp"))]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)
