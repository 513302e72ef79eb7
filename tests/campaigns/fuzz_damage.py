"""How the fuzzer damages inputs: bytes of any file, and the structure of what a YAML or JSON file holds."""

import copy
import math
import random
from collections.abc import Callable, Iterable
from typing import Any

# Texts that have broken readers: brackets, quotes, ends of lines of every kind, a byte order mark, half a character.
SNIPPETS = [
    *(
        bytes([byte])
        for byte in b"\n\r\t\x00\x0b\x0c\x1a\x1c\x7f\xff\xfe\xc3\x80 <>&\"'(){}[]:,;-#%$\\/*?!|@~=+"
    ),
    b"\r\n",
    *(
        text.encode()
        for text in ("\u2028", "\x85", "\ufeff", "\u3000", "\xa0", "\U0001f600", "e\u0301", "\ufffd")
    ),
    b"\xed\xa0\x80",  # half a pair of surrogates, which is no UTF-8
    *b"../../x /etc/passwd -1 0 1e999 .nan NaN 99999999999999999999 &#10;".split(),
    b"9" * 5000,  # more digits than int() takes
    *(b"(" * 3000, b"[" * 3000, b"x" * 70_000, b"&#" + b"1" * 5000 + b";"),
]


def damaged_bytes(rng: random.Random, content: bytes) -> bytes:
    """Return ``content`` with one to four changes: bits, bytes, lines or pieces changed, repeated or moved."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = rng.choice(_CHANGES)(rng, content)
    return content


def _flip_bit(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


def _other_byte(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    place = rng.randrange(len(content))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def _insert(rng: random.Random, content: bytes) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] + rng.choice(SNIPPETS) + content[place:]


def _replace(rng: random.Random, content: bytes) -> bytes:
    first, last = _span(rng, content)
    return content[:first] + rng.choice(SNIPPETS) + content[last:]


def _leave_out(rng: random.Random, content: bytes) -> bytes:
    first, last = _span(rng, content)
    return content[:first] + content[last:]


def _repeat(rng: random.Random, content: bytes) -> bytes:
    first, last = _span(rng, content)
    return content[:last] + content[first:last] * rng.choice((1, 1, 2, 50)) + content[last:]


def _move(rng: random.Random, content: bytes) -> bytes:
    first, last = _span(rng, content)
    rest = content[:first] + content[last:]
    place = rng.randint(0, len(rest))
    return rest[:place] + content[first:last] + rest[place:]


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randint(0, len(content))]


def _line(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[rng.randrange(len(lines))])
        case 2:
            other = rng.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        case _:
            lines.insert(place, b"")
    return b"\n".join(lines)


def _span(rng: random.Random, content: bytes) -> tuple[int, int]:
    first = rng.randint(0, len(content))
    return first, min(len(content), first + rng.choice((1, 1, 2, 4, 16, 200)))


Change = Callable[[random.Random, bytes], bytes]
_CHANGES: list[Change] = [_flip_bit, _other_byte, _insert, _replace, _leave_out, _repeat, _move, _cut, _line]


def damaged_value(rng: random.Random, value: Any, odd: Callable[[random.Random], Any] | None = None) -> Any:
    """Return a copy of a tree of mappings and lists with one or two changes; ``odd`` makes values that do not fit."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2))):
        value = _damaged_once(rng, value, odd or odd_value)
    return value


def _damaged_once(rng: random.Random, value: Any, odd: Callable[[random.Random], Any]) -> Any:
    places = list(_places(value))
    if not places:
        return odd(rng)
    parent, key = rng.choice(places)
    match rng.randrange(9):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[rng.choice((odd_key(rng), f"{key}x"))] = parent.pop(key)
        case 2 if isinstance(parent, dict):
            parent[odd_key(rng)] = odd(rng)
        case 3:
            other, name = rng.choice(places)
            if name in other if isinstance(other, dict) else name < len(other):
                parent[key] = copy.deepcopy(other[name])
        case 4:
            parent[key] = [parent[key]] * rng.choice((1, 2))
        case 5 | 6:
            parent[key] = _like(rng, parent[key])
        case _:
            parent[key] = odd(rng)
    return value


def _like(rng: random.Random, value: Any) -> Any:
    """Return another value of the same type, which may be valid."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.choice(
            (0, 1, 2, 3, 0.5, -value, value + 1, value * 2, value // 2, value * 1000, value // 7)
        )
    if isinstance(value, str):
        return rng.choice(
            (value[:-1], value + value, value.upper(), f" {value}", f"{value}\n", value.replace("-", ""))
        )
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return the parent and the key of each value in a tree."""
    found: list[tuple[Any, Any]] = []
    rest = [value]
    while rest:
        parent = rest.pop()
        items: Iterable[tuple[Any, Any]] = ()
        if isinstance(parent, dict):
            items = parent.items()
        elif isinstance(parent, list):
            items = enumerate(parent)
        for key, child in items:
            found.append((parent, key))
            rest.append(child)
    return found


def odd_value(rng: random.Random) -> Any:
    """Return a value that JSON and YAML can write and that readers seldom expect."""
    return rng.choice(_ODD)(rng)


def odd_key(rng: random.Random) -> Any:
    """Return a key of a mapping that readers seldom expect; in JSON each becomes text."""
    return rng.choice(_KEYS)


def odd_text(rng: random.Random) -> str:
    """Return a text that readers seldom expect: empty, long, with line breaks, or the name of a special file."""
    return rng.choice(_TEXTS)


def deep(rng: random.Random, depth: int = 3000) -> Any:
    """Return a list or a mapping inside another, and so on, to this depth."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


_KEYS = [0, 1, -1, 2.5, True, None, "", " ", "no", "a\nb", "k" * 3000, "ä", "../x", "scale", "base", "en-de"]

_TEXTS = [
    *" ¦\n¦a\nb¦a\r\nb¦a\u2028b¦a\x85b¦\ufeffa¦\x00¦a\x00b¦\x1b[31m¦a\tb¦\ud800¦a b".split("¦"),
    *"..¦../x¦/¦/dev/null¦/etc¦~¦~nobody/x¦*¦**/*¦[¦{¦{}¦{0}¦%s¦%¦$(x)¦\\¦'¦\"¦<script>¦\\input{x}¦&#10;".split(
        "¦"
    ),
    *"no null 1 -1 1e5 .nan a-b en-de en-en base paper demo config".split(),
    *"http:// https://x http://[ http://x:y/z.zip".split(),
    *("", "x" * 300, "x" * 5000, "x" * 20_000, "ä" * 200, "a/" * 500),
]

_ODD: list[Callable[[random.Random], Any]] = [
    lambda rng: None,
    lambda rng: rng.random() < 0.5,
    lambda rng: rng.choice((0, 1, -1, 2, 7, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**30, 10**4000)),
    lambda rng: rng.choice((0.0, -0.0, 0.5, -1.5, 1e-320, 1e300, math.nan, math.inf, -math.inf)),
    odd_text,
    odd_text,
    lambda rng: [],
    lambda rng: {},
    lambda rng: [odd_text(rng), 1, None],
    lambda rng: {odd_key(rng): odd_text(rng)},
    lambda rng: [{}] * 3,
    lambda rng: list(range(2000)),
    lambda rng: deep(rng, rng.choice((5, 40, 80))),
]
