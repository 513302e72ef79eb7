"""torch.compile, for hardware that gains from it: each layer becomes a few generated kernels."""

import contextlib
from collections.abc import Iterator

from transformer.common.errors import UserError
from transformer.model.transformer import Transformer


def compile_layers(model: Transformer) -> None:
    """Compile the layers of both stacks when they are first used; the names of the weights do not change.

    All layers of a stack share one compiled program for every length and batch size, or two, one of them without a
    mask.  The masks, which are present only when there is padding, the random numbers of dropout, and the loss, which
    computes its own gradient, are not compiled.  Results are the same as without compilation, up to rounding.
    """
    for layer in (*model.encoder, *model.decoder):
        layer.compile(dynamic=True, options={"fallback_random": True})


@contextlib.contextmanager
def compiler_errors() -> Iterator[None]:
    """Turn torch's errors about compilation, mostly a missing C++ compiler, into a UserError."""
    try:
        yield
    except RuntimeError as error:
        if not type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
            raise
        raise UserError(
            f"the layers could not be compiled ({str(error).splitlines()[0]}); install a C++ compiler (g++), or set "
            "`compile: false` in the scale's file: training then takes longer and gives the same results"
        ) from None
