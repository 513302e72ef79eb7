"""Characters that do not belong to a line of text."""

import re

# Byte order marks, which some programs write at the beginning of a file, and NULs, which fill up the fields of some
# databases.  Neither belongs to a text.
MARKS = "\ufeff\0"
# Control characters except for tab and U+0085 (a line break inside a sentence, like U+2028), the replacement character
# that results from wrong decoding, and code points that are not characters.
INVALID = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff]")
_WITHOUT_MARKS = str.maketrans("", "", MARKS)


def without_marks(line: str) -> str:
    """Return a line without byte order marks and NULs.

    A file begins with such a mark, and files that were joined, cut or sorted have one anywhere.
    """
    return line.translate(_WITHOUT_MARKS)
