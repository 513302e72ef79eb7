"""A page on which a person can look at every layer and head: one HTML file, which needs no network."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.files import write_text
from transformer.figures.style import COLOURS

TEMPLATE = Path(__file__).with_name("attention_page.html")
UNIT = 1000  # weights are whole thousandths: all that the eye can see, in a third of the size


def write_attention_page(attention: Mapping[str, Any], path: Path) -> None:
    """Write the page for the content of attention.json; a sentence that is there twice is shown once."""
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
    """JSON that can stand in a ``script`` element: no text in it can end the element or begin another."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _whole(weights: Any) -> Any:
    return [_whole(item) for item in weights] if isinstance(weights, list) else round(weights * UNIT)
