"""Saving and loading a model: ``model.safetensors`` and ``model.json`` in a folder, neither of which can run code."""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from transformer.common.errors import UserError
from transformer.common.files import atomic_path, read_json, write_json
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer

FORMAT = 1


def save_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    """Write named tensors to a safetensors file, atomically.  Raises UserError when the write fails."""
    try:
        with atomic_path(path) as temporary:
            temporary.touch()
            mode = temporary.stat().st_mode  # follows the umask; save_file would let only the owner read
            save_file(
                {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}, temporary, metadata
            )
            temporary.chmod(mode)
    except SafetensorError as error:  # the library's writer raises no OSError when the disk is full
        raise UserError(f"{path}: could not be written ({error}); is the disk full?") from None


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file.  Raises UserError when it is missing, truncated or not a safetensors file."""
    try:
        return load_file(path)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except SafetensorError as error:
        raise UserError(f"{path}: not a complete safetensors file ({error}); make it again") from None


def save_model(folder: Path, model: Transformer, vocabulary_sha256: str, **info: Any) -> None:
    """Write ``model.safetensors``, then ``model.json`` with the config, the vocabulary's sha256 and ``info``."""
    save_tensors(folder / "model.safetensors", model.state_dict())
    write_json(
        folder / "model.json",
        {"format": FORMAT, "config": model.config.to_dict(), "vocabulary_sha256": vocabulary_sha256, **info},
    )


def load_model(
    folder: Path, device: torch.device, vocabulary_sha256: str | None = None
) -> tuple[Transformer, dict[str, Any]]:
    """Return a saved model in evaluation mode, and the content of its ``model.json``.

    Raises UserError when a file is missing or damaged, when weights and config disagree, and when
    ``vocabulary_sha256`` is given and the model was trained with another vocabulary.
    """
    info = read_json(folder / "model.json")
    if (
        not isinstance(info, dict)
        or info.get("format") != FORMAT
        or not {"config", "vocabulary_sha256"} <= info.keys()
    ):
        raise UserError(f"{folder / 'model.json'}: not a model description of format {FORMAT}")
    check_vocabulary(folder, info["vocabulary_sha256"], vocabulary_sha256)
    try:
        model = Transformer(TransformerConfig(**info["config"]))
    except (TypeError, ValueError) as error:
        raise UserError(f"{folder / 'model.json'}: not a valid model config ({error})") from None
    load_weights(model, folder / "model.safetensors")
    return model.to(device).eval(), info


def load_weights(model: Transformer, path: Path) -> None:
    """Load a file's weights into ``model``.  Raises UserError when names or shapes differ."""
    weights = load_tensors(path)
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise UserError(
                f"{path}: holds another model: {name} is {found.get(name, 'missing')} there, "
                f"the config asks for {wanted.get(name, 'none')}"
            )
    model.load_state_dict(weights)


def check_vocabulary(folder: Path, found: str, wanted: str | None) -> None:
    """Raise UserError when ``found``, the sha256 of the vocabulary of ``folder``, differs from ``wanted``."""
    if wanted is not None and found != wanted:
        raise UserError(
            f"{folder}: was made with another vocabulary (sha256 {found[:12]}…) than the one it is used with "
            f"({wanted[:12]}…); take the model, the data and the subwords of one run"
        )
