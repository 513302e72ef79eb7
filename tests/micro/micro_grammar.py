"""Sentences that a small model learns in seconds: the micro scale has them in place of the demo's grammar.

They still have what makes translation a problem: German cases, three genders, a verb at the end of its clause, and a
pronoun whose gender is that of another word.
"""

import random
from dataclasses import dataclass

# English; German and its gender; French and its gender.
NOUNS = [
    tuple(line.split())
    for line in (
        "dog Hund m chien m",
        "cat Katze f chat m",
        "girl Mädchen n fille f",
        "horse Pferd n cheval m",
        "house Haus n maison f",
        "table Tisch m table f",
        "flower Blume f fleur f",
        "book Buch n livre m",
        "tree Baum m sapin m",
    )
]
# English; German; French masculine and feminine.
ADJECTIVES = [
    ("small", "klein", "petit", "petite"),
    ("big", "groß", "grand", "grande"),
    ("young", "jung", "jeune", "jeune"),
    ("pretty", "hübsch", "joli", "jolie"),
]
VERBS = [
    ("sees", "sieht", "voit"),
    ("finds", "findet", "trouve"),
    ("knows", "kennt", "connaît"),
    ("likes", "mag", "aime"),
]
ARTICLES = {"m": ("der", "den"), "f": ("die", "die"), "n": ("das", "das")}  # nominative, accusative
PRONOUNS = {"m": "er", "f": "sie", "n": "es"}


@dataclass(frozen=True)
class Example:
    """A sentence in the three languages and its English tree, bracketed on one line."""

    english: str
    german: str
    french: str
    tree: str


def splits(seed: int, sizes: dict[str, int]) -> dict[str, list[Example]]:
    """Return disjoint splits of the given sizes, as ``demo_grammar.splits`` does."""
    rng = random.Random(seed)
    examples: dict[str, Example] = {}
    while len(examples) < sum(sizes.values()):
        found = example(rng)
        examples[found.english] = found
    left = iter(examples.values())
    return {name: [next(left) for _ in range(size)] for name, size in sizes.items()}


def example(rng: random.Random) -> Example:
    """Return e.g. "The small dog sees the cat because it is young." """
    subject, object_, verb = noun_phrase(rng, 0), noun_phrase(rng, 1), rng.choice(VERBS)
    texts = [f"{subject[n]} {verb[n]} {object_[n]}" for n in range(3)]
    reason = ""
    if rng.random() < 0.5:
        adjective, gender, french_gender = rng.choice(ADJECTIVES), object_[4], object_[5]
        texts[0] += f" because it is {adjective[0]}"
        texts[1] += f", weil {PRONOUNS[gender]} {adjective[1]} ist"
        ils = f"il est {adjective[2]}" if french_gender == "m" else f"elle est {adjective[3]}"
        texts[2] += f" parce qu'{ils}"
        reason = f" (SBAR (IN because) (S (NP (PRP it)) (VP (VBZ is) (ADJP (JJ {adjective[0]})))))"
    tree = f"(S {subject[3]} (VP (VBZ {verb[0]}) {object_[3]}{reason}) (. .))"
    english, german, french = (f"{text[0].upper()}{text[1:]}." for text in texts)
    return Example(english, german, french, tree.replace("(DT the)", "(DT The)", 1))


def noun_phrase(rng: random.Random, case: int) -> tuple[str, ...]:
    """Return the three texts, the tree, and the German and the French gender."""
    english, german, gender, french, french_gender = rng.choice(NOUNS)
    adjective = rng.choice(ADJECTIVES) if rng.random() < 0.5 else None
    words = [["the"], [ARTICLES[gender][case]], ["le" if french_gender == "m" else "la"]]
    tags = "(DT the)"
    if adjective:
        ending = "en" if (gender, case) == ("m", 1) else "e"
        words[0].append(adjective[0])
        words[1].append(adjective[1] + ending)
        words[2].append(adjective[2 if french_gender == "m" else 3])
        tags += f" (JJ {adjective[0]})"
    texts = [" ".join([*part, noun]) for part, noun in zip(words, (english, german, french), strict=True)]
    return (*texts, f"(NP {tags} (NN {english}))", gender, french_gender)
