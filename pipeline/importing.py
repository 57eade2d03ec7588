"""Published checkpoints become models here: found or downloaded, translated, saved with their tokenizer."""

import os
from dataclasses import dataclass
from pathlib import Path

import torch

from models.checkpoint import import_published, save
from models.config import LongleafConfig
from models.translate import Account
from pipeline.encode import load_tokenizer

_TOKENIZER = "tokenizer.json"
_WANTED = (
    "config.json tokenizer.json tokenizer_config.json special_tokens_map.json added_tokens.json vocab.json vocab.txt "
    "merges.txt *.model model*.safetensors model.safetensors.index.json"
).split()
_VOCABULARIES = ("vocab.txt", "vocab.json", "*.model")
_PICKLED = ["pytorch_model*.bin", "pytorch_model.bin.index.json"]


@dataclass(frozen=True)
class Imported:
    """What was imported.  config: the model's.  account: of the checkpoint's keys.  converted: whether the tokenizer's
    older files had to be turned into tokenizer.json."""

    config: LongleafConfig
    account: Account
    converted: bool


def find_checkpoint(asked: str) -> Path:
    """The folder of a checkpoint, which is downloaded to the hub's cache where `asked` is no folder but a name.

    Raises OSError where it cannot be had. Weights in safetensors are preferred; pickled ones are fetched only where
    there are no others.
    """
    if Path(asked).is_dir():
        return Path(asked)
    if Path(asked).exists() or asked.startswith((".", os.sep, "~")):
        raise FileNotFoundError(f"There is no folder {asked}.")
    from httpx import HTTPError
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, RepositoryNotFoundError

    try:
        folder = Path(snapshot_download(asked, allow_patterns=_WANTED))
        if not any(folder.glob("model*.safetensors")):
            folder = Path(snapshot_download(asked, allow_patterns=[*_WANTED, *_PICKLED]))
    except HFValidationError as error:
        raise FileNotFoundError(f"{asked} is neither a folder nor the name of a model on the hub.") from error
    except LocalEntryNotFoundError as error:
        raise FileNotFoundError(f"There is no folder {asked}, and the hub cannot be reached.") from error
    except RepositoryNotFoundError as error:
        raise FileNotFoundError(f"There is no folder {asked}, and the hub shows no such model.") from error
    except (OSError, HTTPError) as error:
        raise OSError(f"The hub did not give {asked}: {_first_line(error)}") from error
    return folder


def import_checkpoint(source: Path, out: Path, max_tokens: int | None = None) -> Imported:
    """Write config.json, model.safetensors and tokenizer.json of the checkpoint in `source` to `out`.

    Weights stay in float32, so that the model answers as the original does. max_tokens: longer windows, see
    `models.checkpoint.import_published`. Raises OSError for files that are missing, ValueError for what cannot be read
    or is no model of ours.
    """
    if out.resolve() == source.resolve():
        raise ValueError("the new model needs a folder of its own")
    model, account = import_published(source, max_tokens)
    text, converted = _tokenizer(source)
    out.mkdir(parents=True, exist_ok=True)
    (out / _TOKENIZER).write_text(text, "utf-8")
    entries = load_tokenizer(out).get_vocab_size()
    if entries > model.config.vocab_size:
        raise ValueError(f"its tokenizer has {entries} entries, its model words for {model.config.vocab_size}")
    save(model, out, torch.float32)
    return Imported(model.config, account, converted)


def _tokenizer(source: Path) -> tuple[str, bool]:
    """(tokenizer.json, whether it was made from older files)."""
    if (source / _TOKENIZER).is_file():
        return (source / _TOKENIZER).read_text("utf-8"), False
    older = [path.name for pattern in _VOCABULARIES for path in source.glob(pattern)]
    if not older:
        raise FileNotFoundError(f"{source} holds no tokenizer: it has neither {_TOKENIZER} nor a vocabulary")
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(source, local_files_only=True, trust_remote_code=False)
        return str(found.backend_tokenizer.to_str()), True
    except Exception as error:  # whatever is raised by the many kinds of tokenizers there are
        hint = "; perhaps for want of the package sentencepiece" if older[0].endswith(".model") else ""
        made = f"{source} holds no {_TOKENIZER}, and none can be made of {older[0]}"
        raise ValueError(f"{made}: {_first_line(error)}{hint}") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
