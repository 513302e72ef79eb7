"""Run a program in an environment in which it allocates memory fast (src/transformer/common/malloc.py says how).

python workflow/fast_malloc.py python src/training/train.py …
"""

import os
import sys

from transformer.common.malloc import malloc_environment


def main() -> None:
    command = sys.argv[1:]
    os.environ.update(malloc_environment())
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"error: {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
