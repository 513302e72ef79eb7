"""Relations between two words of a sentence, found on its constituency tree: from a verb to its subject, and others.

Each function takes a tree in the style of the Penn Treebank, without function tags, and returns the places of the two
words among the words of the tree, from 0; or None where the sentence has no such pair.
"""

from nltk.tree import Tree

from transformer.parsing.trees import terminals, words_of

NOUNS = ("NN", "NNS", "NNP", "NNPS")
FINITE = ("MD", "VBD", "VBP", "VBZ")
BETWEEN = 2  # words between a verb and its subject, at least


def subject(tree: Tree) -> tuple[int, int] | None:
    """Return the finite verb of the main clause and the head noun of its subject, if two other words are between them.

    Figure 3 shows such a long-distance dependency.  Punctuation and clitics do not count as words between.
    """
    for phrase, predicate in clauses(tree)[:1]:
        noun, verb = head_noun(phrase), finite_verb(predicate)
        if noun and verb and noun[0][0].isalnum():  # "%" is tagged as a noun, too
            words = terminals(tree)
            query, key = place(verb, words), place(noun, words)
            between = sum(word[0][0].isalnum() for word in words[key + 1 : query])
            return (query, key) if between >= BETWEEN else None
    return None


def anaphora(tree: Tree) -> tuple[int, int] | None:
    """Return a pronoun and the noun that it refers to, in a sentence of the project's grammar.

    Trees do not say what a pronoun refers to, but the grammar decides it (``demo_grammar/sentences.py``):

    - The subject of the second clause: "he" and "she" are the subject of the first clause and "it" is its object;
      "they" is its subject if that is plural, otherwise its object.
    - "it" in the second of two verb phrases: it is the object of the first.
    """
    words = terminals(tree)
    found = sorted(clauses(tree), key=lambda clause: place(terminals(clause[0])[0], words))
    if len(found) == 2:
        (first, predicate), (phrase, _) = found
        known = {"he", "she", "it", "they"}
    elif len(found) == 1 and [part.label() for part in found[0][1]] == ["VP", "CC", "VP"]:
        first, (predicate, _, second) = found[0]
        phrase = object_of(second)
        known = {"it"}
    else:
        return None
    if phrase is None or (pronoun := " ".join(words_of(phrase))) not in known:
        return None
    is_subject = pronoun in ("he", "she") or (pronoun == "they" and is_plural(first))
    antecedent = first if is_subject else object_of(predicate)
    noun = antecedent and head_noun(antecedent)
    return (place(terminals(phrase)[0], words), place(noun, words)) if noun else None


def clauses(tree: Tree) -> list[tuple[Tree, Tree]]:
    """Return subject and predicate of each clause that is not in a noun phrase, the main clause first.

    Questions, where the verb comes first, are left out.
    """
    found, rest = [], [tree]
    while rest:
        node = rest.pop()
        # A time that is an NP may precede the subject.
        phrase, predicate = child(node, "NP", last=True), child(node, "VP")
        if node.label() == "S" and phrase and predicate:
            found.append((phrase, predicate))
        rest += [part for part in reversed(node) if part.label() in ("S", "SBAR", "VP")]
    return found


def head_noun(phrase: Tree | None) -> Tree | None:
    """Return the noun that a noun phrase is about: "dog" in "the neighbour's dog that the women like".

    Pronouns have none, nor do phrases with a conjunction, which are about several.
    """
    while phrase and not child(phrase, "CC"):
        if noun := child(phrase, *NOUNS, last=True):
            return noun
        phrase = child(phrase, "NP")
    return None


def finite_verb(predicate: Tree | None) -> Tree | None:
    """Return the first finite verb of a verb phrase: the auxiliary if there is one."""
    while predicate and not child(predicate, *FINITE):
        predicate = child(predicate, "VP")
    return predicate and child(predicate, *FINITE)


def object_of(predicate: Tree | None) -> Tree | None:
    """Return the object of a verb phrase, which may follow auxiliaries, "to" or a preposition."""
    while predicate and not child(predicate, "NP"):
        predicate = child(predicate, "VP", "S", "PP")
    return predicate and child(predicate, "NP")


def is_plural(phrase: Tree) -> bool:
    noun = head_noun(phrase)
    return noun.label() == "NNS" if noun else words_of(phrase)[0].lower() in ("they", "we")


def child(node: Tree, *labels: str, last: bool = False) -> Tree | None:
    """Return the first child that has one of these labels, or the last one."""
    parts = reversed(node) if last else iter(node)
    return next((part for part in parts if part.label() in labels), None)


def place(word: Tree, words: list[Tree]) -> int:
    """Return the index of this very word, of which others may be copies."""
    return next(index for index, other in enumerate(words) if other is word)
