"""The file of a scale, with what it inherits from other scales, and with what params.yaml changes.

DVC writes params.yaml for an experiment (docs/dvc.md).
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError, unknown
from transformer.common.project import config_file, config_names, in_project
from transformer.common.yaml_files import Schema, read_yaml
from transformer.settings.free_text import check_scale_name

NOT_SCALES = {"config", "runs", "sources", "sources.lock"}  # other files of config/
# What a scale says about its own corpus.  A scale that inherits it but has language pairs of its own does without.
OF_THE_CORPUS = ("grammar", "further_tests", "expected", "attention", "parsing", "licence", "citation")
# Sections that replace the inherited one; of others, keys are replaced singly.
WHOLE = ("translation", "attention")
CHANGES = "params.yaml"


def read_scale(
    name: str, schema: Schema, root: Path | str, where: str, heirs: Sequence[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the content of a scale's file, checked, and the names in config/ of this file and of those it inherits.

    Messages say that ``where`` names the scale; ``heirs`` are the scales that inherit it.  Raises UserError when there
    is no such scale, when scales inherit each other in a circle, and when the content breaks the schema.
    """
    scales = scale_names(root)
    if name not in scales:
        raise UserError(f"{where}: {unknown('scale', name, scales)}")
    check_scale_name(name, where)
    if name in heirs:
        raise UserError(f"{where}: {' inherits '.join([*heirs, name])}; a scale cannot inherit itself")
    file = f"{name}.yaml"
    content, files = _with_norwegian(read_yaml(config_file(file, root))), [file]
    place = f"config/{file}"
    if isinstance(content, dict) and "inherits" in content:
        parent = content.pop("inherits")
        inherited, others = read_scale(parent, schema, root, f"{place}: inherits", [*heirs, name])
        content, files = _inherit(inherited, content, place), [*files, *others]
    schema.check(content, place)
    return content, files


def changes_file(root: Path | str = ".") -> Path | None:
    """Return the path of params.yaml in ``root``; None where there is none or ``root`` is not this project.

    Another project's params.yaml has other keys.
    """
    file = Path(root, CHANGES)
    return file if in_project(root) and file.exists() else None


def with_changes(
    scale: dict[str, Any], name: str, schema: Schema, root: Path | str
) -> tuple[dict[str, Any], str]:
    """Return the content of a scale's file as params.yaml changes it, checked, and what messages call the two.

    ``name`` is what they call the scale's file.  Raises UserError when the result breaks the scale's schema.
    """
    file = changes_file(root)
    changes = (file and read_yaml(file)) or {}
    if not isinstance(changes, dict):
        raise UserError(f"{CHANGES}: give keys of {name}, such as `settings:` and `runs:`")
    if not any(value not in ({}, None) for value in changes.values()):
        return scale, name
    scale, name = joined(scale, changes), f"{CHANGES} on {name}"
    schema.check(scale, name)
    return scale, name


def pairs_of_all_scales(root: Path | str) -> set[str]:
    """Return the language pairs that any scale in config/ has; a file that cannot be read has none."""
    pairs: set[str] = set()
    for name in scale_names(root):
        with suppress(UserError):
            content = _with_norwegian(read_yaml(config_file(f"{name}.yaml", root)))
            translation = content.get("translation") if isinstance(content, dict) else None
            pairs |= set(translation) if isinstance(translation, dict) else set()
    return pairs


def scale_names(root: Path | str = ".") -> list[str]:
    """Return the names of all scales, those of the working folder ``root`` and those of the project."""
    return sorted({name.removesuffix(".yaml") for name in config_names(root)} - NOT_SCALES)


def joined(before: Any, own: Any, whole: Sequence[str] = ()) -> Any:
    """Return ``before`` as ``own`` changes it: mappings are joined key by key, and anything else is replaced.

    The values of the keys in ``whole`` are replaced as well, wherever they are.
    """
    if not isinstance(before, dict) or not isinstance(own, dict):
        return own
    return before | {
        key: value if key in whole else joined(before.get(key), value, whole) for key, value in own.items()
    }


def _inherit(inherited: Mapping[str, Any], own: dict[str, Any], place: str) -> dict[str, Any]:
    """Return the content of a scale's file, called ``place``, with what it inherits."""
    if not isinstance(own.get("translation"), dict):
        return joined(inherited, own, WHOLE)
    if "corpus" not in own:
        raise UserError(
            f"{place}: missing key 'corpus', the name in captions; this scale has files of its own"
        )
    subwords = next(iter(inherited["translation"].values()))["subwords"]
    pairs = {
        pair: {"subwords": subwords} | values if isinstance(values, dict) else values
        for pair, values in own["translation"].items()
    }
    kept = {key: value for key, value in inherited.items() if key in own or key not in OF_THE_CORPUS}
    return joined(kept, own | {"translation": pairs}, WHOLE)


def _with_norwegian(value: Any) -> Any:
    """Return the content of a file with the keys ``no``, a language code that YAML takes for a boolean, as text."""
    if isinstance(value, dict):
        return {"no" if key is False else key: _with_norwegian(item) for key, item in value.items()}
    return [_with_norwegian(item) for item in value] if isinstance(value, list) else value
