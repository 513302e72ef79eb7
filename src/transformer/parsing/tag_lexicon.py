"""The probability of a word under each tag: from its counts, and from its spelling when these are few."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping

PRIOR = 1.0  # when estimates are combined, the coarser one counts as this many occurrences
LEAST = 1e-4  # tags that are less probable than this, given the word, are left out
SUFFIX = 3  # letters of the longest suffix


class Lexicon:
    """P(word | tag), from the counts of each word's tags.

    By Bayes' rule this is P(tag | word) / P(tag), up to a factor that depends on the word alone.  Rare and
    unknown words get the tags of words with similar spelling; these are learned from the words that occur once.
    """

    def __init__(self, words: Mapping[str, Mapping[str, int]]) -> None:
        self._words = words
        self._tags: Counter[str] = Counter()
        self._looks: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._guesses: dict[str, dict[str, float]] = {}  # cache: finest spelling class → P(tag | spelling)
        for word, tags in words.items():
            self._tags.update(tags)
            if sum(tags.values()) == 1:
                for look in looks(word):
                    self._looks[look].update(tags)

    def log_likelihoods(self, word: str, *, starts_sentence: bool) -> dict[str, float]:
        """Return log P(word | tag), up to a constant, of each tag that the word may have."""
        total = self._tags.total()
        return {
            tag: math.log(probability * total / self._tags[tag])
            for tag, probability in self.probabilities(word, starts_sentence=starts_sentence).items()
            if probability >= LEAST
        }

    def probabilities(self, word: str, *, starts_sentence: bool) -> dict[str, float]:
        """Return P(tag | word)."""
        counts = self._words.get(word, {})
        if not counts and starts_sentence:
            counts = self._words.get(word.lower(), {})
        return _refined(self._guess(word), counts)

    def _guess(self, word: str) -> dict[str, float]:
        """Return P(tag | the word's spelling)."""
        seen = looks(word)
        if seen[-1] not in self._guesses:
            total = self._tags.total()
            guess = {tag: count / total for tag, count in self._tags.items()}
            for look in seen:
                guess = _refined(guess, self._looks.get(look, {}))
            self._guesses[seen[-1]] = guess
        return self._guesses[seen[-1]]


def _refined(coarse: Mapping[str, float], counts: Mapping[str, int]) -> dict[str, float]:
    """Return P(tag) from ``counts`` plus PRIOR occurrences distributed as in ``coarse``."""
    total = sum(counts.values()) + PRIOR
    return {tag: (counts.get(tag, 0) + PRIOR * share) / total for tag, share in coarse.items()}


def looks(word: str) -> list[str]:
    """Return a word's spelling classes, from coarse to fine: any; its capitals, digits and hyphen; also its suffix."""
    capitals = "all" if len(word) > 1 and word.isupper() else "first" if word[:1].isupper() else "no"
    digits = "digits" if any(character.isdigit() for character in word) else ""
    letters = "letters" if any(character.isalpha() for character in word) else ""
    hyphen = "hyphen" if "-" in word[1:] else ""
    characters = f"{capitals} capitals {digits} {letters} {hyphen}"
    suffixes = [word[-length:].lower() for length in range(1, min(SUFFIX, len(word) - 2) + 1)]
    return ["", characters, *(f"{characters} -{suffix}" for suffix in suffixes)]
