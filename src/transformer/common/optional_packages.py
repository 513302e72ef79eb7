"""Packages that only some users need, and that requirements.lock therefore does not have."""

import importlib.util

from transformer.common.errors import UserError

EXTRAS = "requirements-extras.lock"


def require(*packages: str) -> None:
    """Raise UserError, which says how to install it, for the first package of the extras that is missing."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise UserError(
                f"the package {package} is not installed; install it with: pip install -r {EXTRAS}"
            )
