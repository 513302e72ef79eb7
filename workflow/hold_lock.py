"""Run a program that holds a lock until it ends.

    python workflow/hold_lock.py results/demo/runs/base/en-de/.lock python src/transformer/training/train.py …

This command waits until no other process holds the lock, a flock on the file, takes it, and becomes the program after
the file.  The lock ends with the program, however it ends.  The program `flock` does the same, but macOS lacks it.
"""

import fcntl
import os
import signal
import sys

from become import become


def main() -> None:
    path, command = sys.argv[1], sys.argv[2:]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while it waits ends it without a traceback
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.set_inheritable(descriptor, True)
    become(command)


if __name__ == "__main__":
    main()
