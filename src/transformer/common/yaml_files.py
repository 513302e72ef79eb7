"""Reading YAML files without surprises."""

import re
from pathlib import Path
from typing import Any, NoReturn

import yaml

from transformer.common.errors import reading


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file: mappings, lists, texts, numbers, booleans and None.

    Raises UserError, which names the file and the line, when the file is missing or not YAML, when a mapping has
    the same key twice, and for a number that YAML 1.1 does not take for the one that stands there.
    """
    with reading(path, problem="not valid YAML", raises=(yaml.YAMLError, ValueError)):
        return yaml.load(Path(path).read_bytes().decode("utf-8"), _Loader)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which also takes 1e-9 for a number, as DVC writes it."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Reject duplicate keys, as YAML requires; PyYAML would silently keep the last value."""
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"the key '{key.value}' occurs twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_plain_int(self, node: yaml.ScalarNode) -> int:
        """Reject whole numbers such as 0600, which is 384 in YAML 1.1, and 1:30, which is 90."""
        value = self.construct_yaml_int(node)
        return value if node.value.lstrip("+-") == str(abs(value)) else _refuse(node, value)

    def construct_plain_float(self, node: yaml.ScalarNode) -> float:
        """Reject 1:30.5, which is 90.5 in YAML 1.1."""
        value = self.construct_yaml_float(node)
        return value if ":" not in node.value else _refuse(node, value)


def _refuse(node: yaml.ScalarNode, value: float) -> NoReturn:
    problem = f"{node.value} would be {value}; write {value}, or put quotes around a text"
    raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_plain_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_plain_float)
_FLOAT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+\Z")
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789"))
