"""Write the settings of runs into config/README.md, as ``transformer.model.config`` declares them.

python docs/write_settings.py
"""

import re
from pathlib import Path

from transformer.common.declared import changes_of, settings_of
from transformer.model.config import GROUPS
from transformer.settings.merging import DEFAULTS, DIVISIBLE

PAGE = Path(__file__).parents[1] / "config" / "README.md"
PART = re.compile(r"(?<=<!-- declared -->\n).*(?=\n<!-- end -->)", re.DOTALL)
WRITTEN = {None: "null", True: "true", False: "false"}


def main() -> None:
    PAGE.write_text(with_settings(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_settings(page: str) -> str:
    """Return the text of the page with the table of the settings, and those that a scale can divide."""
    rows = ["| key | default | section | changes | meaning |", "|---|---|---|---|---|"]
    declared = [(group, *item) for group in GROUPS.values() for item in settings_of(group).items()]
    for group, key, own in declared:
        value = DEFAULTS.get(key, "")
        default = WRITTEN[value] if value is None or isinstance(value, bool) else str(value)
        shown = f"`{default}`" if default else "each scale sets it"
        section, changes = own.metadata["section"], changes_of(group, own)
        rows.append(f"| `{key}` | {shown} | {section} | {changes} | {own.metadata['meaning']} |")
    divisible = f"A scale can divide {', '.join(f'`{key}`' for key in DIVISIBLE)}."
    return PART.sub(lambda _: "\n".join([*rows, "", divisible]), page)


if __name__ == "__main__":
    main()
