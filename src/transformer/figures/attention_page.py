"""A page that shows every layer and head: one HTML file, which needs no network."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.files import write_text
from transformer.figures.style import COLOURS

TEMPLATE = Path(__file__).with_name("attention_page.html")
UNIT = 1000  # weights are written in thousandths: nothing finer is visible, and the page is a third as large


def write_attention_page(attention: Mapping[str, Any], path: Path) -> None:
    """Write the page for the content of attention.json.  A sentence that occurs twice is shown once."""
    sentences = {sentence["source"]: sentence for sentence in attention["sentences"].values()}
    data = {
        **{key: attention[key] for key in ("run", "pair", "scale", "corpus")},
        "colours": COLOURS,
        "unit": UNIT,
        "sentences": [
            {
                **{key: sentence[key] for key in ("source", "translation", "word")},
                "attention": {
                    kind: {**part, "weights": _whole(part["weights"])}
                    for kind, part in sentence["attention"].items()
                },
            }
            for sentence in sentences.values()
        ],
    }
    write_text(path, TEMPLATE.read_text(encoding="utf-8").replace("@DATA@", embedded(data)))


def embedded(data: Any) -> str:
    """Return JSON for a ``script`` element, in which no text can end the element or begin another."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _whole(weights: Any) -> Any:
    return [_whole(item) for item in weights] if isinstance(weights, list) else round(weights * UNIT)
