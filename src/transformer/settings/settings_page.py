"""Write the settings of runs into config/README.md, as ``transformer.model.config`` declares them."""

import re

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_text
from transformer.common.project import PROJECT
from transformer.settings.merging import DEFAULTS, DIVISIBLE, SETTINGS

PAGE = PROJECT / "config" / "README.md"
PART = re.compile(r"(?<=<!-- declared -->\n).*(?=\n<!-- end -->)", re.DOTALL)
WRITTEN = {None: "null", True: "true", False: "false"}


def main() -> None:
    argument_parser(__doc__).parse_args()
    write_text(PAGE, with_settings(PAGE.read_text(encoding="utf-8")))


def with_settings(page: str) -> str:
    """Return the text of the page with the table of the settings, and those that a scale can divide."""
    rows = ["| key | default | section | meaning |", "|---|---|---|---|"]
    for key, own in SETTINGS.items():
        value = DEFAULTS.get(key, "")
        default = WRITTEN[value] if value is None or isinstance(value, bool) else str(value)
        shown = f"`{default}`" if default else "each scale sets it"
        rows.append(f"| `{key}` | {shown} | {own.metadata['section']} | {own.metadata['meaning']} |")
    divisible = f"A scale can divide {', '.join(f'`{key}`' for key in DIVISIBLE)}."
    return PART.sub(lambda _: "\n".join([*rows, "", divisible]), page)


if __name__ == "__main__":
    run_script(main)
