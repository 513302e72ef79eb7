"""EVALB's rules once more, read character by character and counted without sets or sums, to compare the scorer with."""

from typing import Any

SPACE = " \t\n\v\f\r"
DELETED = ["TOP", "-NONE-", ",", ":", "``", "''", "."]
Node = list[Any]  # first word, the word after the last, label
Line = tuple[list[tuple[str, str]], list[Node]]


def read(line: str) -> Line | None:
    """The terminals (tag, word) and the constituents of a line; None if EVALB cannot read it."""
    terminals: list[tuple[str, str]] = []
    nodes: list[Node] = []
    unclosed: list[Node] = []
    place = 0
    while place < len(line):
        if line[place] in SPACE:
            place += 1
        elif line[place] == ")":
            if not unclosed:
                return None
            unclosed.pop()[1] = len(terminals)
            place += 1
        elif line[place] == "(":
            end = after(line, place + 1, SPACE + "()", False)
            label, start = line[place + 1 : end], after(line, end, SPACE, True)
            stop = after(line, start, SPACE + "()", False)
            if start > end and line[stop : stop + 1] == ")":
                terminals.append((label, line[start:stop]))
                place = stop + 1
            else:
                nodes.append([len(terminals), None, label])
                unclosed.append(nodes[-1])
                place = end
        else:
            return None
    return None if unclosed else (terminals, nodes)


def after(line: str, place: int, characters: str, inside: bool) -> int:
    """The first place from ``place`` on whose character is not (or is, without ``inside``) among ``characters``."""
    while place < len(line) and (line[place] in characters) == inside:
        place += 1
    return place


def counts(gold: Line, predicted: Line) -> tuple[int, ...]:
    """Length, status, matched, gold and predicted brackets, crossing ones, words and correct tags."""
    length = len([tag for tag, _ in gold[0] if tag != "-NONE-"])
    kept = [[terminal for terminal in line[0] if terminal[0] not in DELETED] for line in (gold, predicted)]
    if not kept[1]:
        return length, 2, 0, 0, 0, 0, 0, 0
    if [word for _, word in kept[0]] != [word for _, word in kept[1]]:
        return length, 1, 0, 0, 0, 0, 0, 0
    right, ours = brackets(gold), brackets(predicted)
    left = list(right)
    matched = 0
    for bracket in ours:
        if bracket in left:
            left.remove(bracket)
            matched += 1
    crossing = 0
    for span, _ in ours:
        crossing += any(span & other and span - other and other - span for other, _ in right)
    tags = len([1 for one, other in zip(*kept, strict=True) if same(one[0]) == same(other[0])])
    return length, 0, matched, len(right), len(ours), crossing, len(kept[0]), tags


def brackets(line: Line) -> list[tuple[set[int], str]]:
    """The numbers of the words that each constituent holds, and its label, of all that counts."""
    terminals, nodes = line
    kept = [place for place, (tag, _) in enumerate(terminals) if tag not in DELETED]
    found = []
    for start, end, label in nodes:
        span = {number for number, place in enumerate(kept) if start <= place < end}
        name = label.replace("=", "-").split("-")[0]
        if span and name not in DELETED:
            found.append((span, same(name)))
    return found


def same(label: str) -> str:
    return "ADVP" if label == "PRT" else label
