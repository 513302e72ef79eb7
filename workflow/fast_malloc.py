"""Run a program in an environment in which it allocates memory fast (src/transformer/common/malloc.py says how).

python workflow/fast_malloc.py python src/transformer/training/train.py …
"""

import os
import sys

from become import become
from transformer.common.malloc import training_environment


def main() -> None:
    os.environ.update(training_environment())
    become(sys.argv[1:])


if __name__ == "__main__":
    main()
