"""Write the keys of config/ into config/README.md, as the classes of ``transformer.settings`` declare them.

python docs/write_settings.py
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from transformer.common.checked import classes_in
from transformer.corpus.source_keys import Source
from transformer.settings.config_files import Command, ScaleFile
from transformer.settings.merging import DIVISIBLE, SETTINGS
from transformer.settings.run_settings import GROUPS, about, changes_of

PAGE = Path(__file__).parents[1] / "config" / "README.md"
PART = re.compile(r"(<!-- (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
# What the keys of a mapping are.
PLACES = {
    "translation": ".<pair>",
    "expected": ".<pair>",
    "splits": ".<split>.<side>",
    "pairs": ".<pair>.<split>.<side>",
}
WORDS = {None: "null", True: "true", False: "false"}


def main() -> None:
    PAGE.write_text(with_settings(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_settings(page: str) -> str:
    """Return the text of the page with its tables of keys."""
    return PART.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", page)


def table(heads: str, rows: Iterator[list[str]]) -> str:
    lines = [heads.split(), ["---"] * len(heads.split()), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("|  |", "| |")


def of_command() -> str:
    rows = ([f"`{key}`", shown(own), own.description or ""] for key, own in Command.model_fields.items())
    return table("key default meaning", rows)


def of_runs() -> str:
    rows = (
        [f"`{key}`", shown(own), about(own)["section"], changes_of(GROUPS[group], own), own.description or ""]
        for key, (group, _, own) in SETTINGS.items()
    )
    divisible = f"A scale can divide {', '.join(f'`{key}`' for key in DIVISIBLE)}."
    return f"{table('key default section changes meaning', rows)}\n\n{divisible}"


def shown(field: Any) -> str:
    """Return the default of a key."""
    if field.is_required():
        return "each scale sets it"
    is_word = field.default is None or isinstance(field.default, bool)
    return f"`{WORDS[field.default] if is_word else field.default}`"


def keys_below(kind: type[BaseModel], known: dict[Any, str], prefix: str = "") -> Iterator[list[str]]:
    """Yield each key of a class and its meaning, then the keys below it; a class is shown where it is first used."""
    for name, own in kind.model_fields.items():
        key, meaning = prefix + name, own.description or ""
        for inner in classes_in(own.annotation)[:1]:
            if inner in known:
                meaning += f"; with the keys of `{known[inner]}`"
        yield [f"`{key}`", meaning]
        for inner in classes_in(own.annotation)[:1]:
            if inner not in known:
                known[inner] = key + PLACES.get(name, "")
                yield from keys_below(inner, known, f"{known[inner]}.")


TABLES: dict[str, Callable[[], str]] = {
    "command": of_command,
    "runs": of_runs,
    "scale": lambda: table("key meaning", keys_below(ScaleFile, {})),
    "sources": lambda: table("key meaning", keys_below(Source, {}, "<source>.")),
}


if __name__ == "__main__":
    main()
