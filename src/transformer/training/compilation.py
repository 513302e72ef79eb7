"""torch.compile, for hardware that gains from it: each layer becomes a few generated kernels."""

import contextlib
from collections.abc import Iterator

from transformer.common.errors import UserError
from transformer.model.transformer import Transformer


def compile_layers(model: Transformer) -> None:
    """Compile the layers of both stacks when they are first used; results are the same, up to rounding.

    All layers of a stack share one program for every length and batch size, and another if there is a mask.  Neither
    dropout's random numbers nor the loss, which computes its own gradient, are compiled.
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
