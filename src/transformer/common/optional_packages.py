"""Packages that only some users need, and that requirements.lock therefore does not have."""

import importlib.util

from transformer.common.errors import UserError

EXPORT = "requirements-export.lock"
TRACK = "requirements-track.lock"


def require(package: str, lock: str = EXPORT) -> None:
    """Raise UserError, which says how to install it, when a package is missing that ``lock`` pins."""
    if importlib.util.find_spec(package) is None:
        raise UserError(f"the package {package} is not installed; install it with: pip install -r {lock}")
