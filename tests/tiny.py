"""A tokenizer, checkpoints and documents small enough to make in a test: real files, random weights."""

from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase, digits, punctuation
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel

from models.checkpoint import save
from models.config import LongleafConfig
from models.model import LongleafModel
from pipeline.encode import EncodedDocument, cut, tokenize
from pipeline.types import Box, Document, Page, Word

WHOLE = "this agreement is made between the and party each both annual report company by of in".split()
HEADS: dict[str, dict[str, Any]] = {
    "document_class": {"kind": "classify", "labels": ["annual_report", "non_disclosure_agreement"]},
    "nda": {
        "kind": "label",
        "entities": {
            "party": {"normaliser": "name", "many": True},
            "effective_date": {"normaliser": "date", "many": False},
        },
    },
}
KINDS = {"sliding": {"window": 4}, "distance": {"neighbours": 6}}
WIDTH, HEIGHT = 612.0, 792.0


def tokenizer() -> Tokenizer:
    """An uncased WordPiece tokenizer of a few whole words and every letter; a control character leaves no token."""
    signs = [*ascii_lowercase, *digits]
    entries = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WHOLE, *signs, *(f"##{s}" for s in signs), *punctuation]
    made = Tokenizer(models.WordPiece({entry: i for i, entry in enumerate(entries)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(entries[:5])
    return made


def roberta_tokenizer(folder: Path) -> Path:
    """A tokenizer of RoBERTa's kind as it is published: byte pairs, a space marked at the words it stands before."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([" ".join(WHOLE)] * 3, trainer)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    made.save(str(folder / "tokenizer.json"))
    return folder


def config(**changes: object) -> LongleafConfig:
    """Two layers of 32 channels, windows of 40 tokens; weights large enough for answers to differ."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    reading = {"max_tokens": 40, "overlap": 8, "kinds": KINDS, "heads": HEADS}
    names = {"version": "1.2", "schema_of_class": {"non_disclosure_agreement": "nda"}}
    base = {"vocab_size": tokenizer().get_vocab_size(), "initializer_range": 0.3}
    return LongleafConfig(**{**sizes, **reading, **names, **base, **changes})


def model(seed: int = 0, **changes: object) -> LongleafModel:
    """A model in eval mode in which everything counts: nothing is left as gently as it starts."""
    return shaken(LongleafModel(config(**changes)), seed).eval()


def shaken(made: LongleafModel, seed: int = 0) -> LongleafModel:
    """The model with all its weights drawn anew, the biases among them."""
    torch.manual_seed(seed)
    for name, weight in made.named_parameters():
        torch.nn.init.normal_(weight, mean=float("norm.weight" in name), std=0.3)
    return made


def model_folder(folder: Path, **changes: object) -> Path:
    """A model as `longleaf train` leaves it."""
    save(model(**changes), folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def bert_config(**changes: object) -> BertConfig:
    """The sizes of `config`, and 16 learned positions."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    return BertConfig(**{**sizes, "vocab_size": tokenizer().get_vocab_size(), "max_position_embeddings": 16, **changes})


def bert_folder(folder: Path, seed: int = 0, **changes: object) -> Path:
    """A published checkpoint: a BERT encoder in transformers' form and its tokenizer."""
    torch.manual_seed(seed)
    BertModel(bert_config(initializer_range=0.3, **changes)).save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def windows(made: LongleafConfig, *texts: str) -> list[EncodedDocument]:
    """One window for each text; the text's words fill as many pages as they need."""
    found = []
    for text in texts:
        words = text.split()
        pages = [" ".join(words[i : i + 100]) for i in range(0, len(words), 100)]
        tokens = tokenize(document(*pages), tokenizer())
        found.append(cut(tokens, 0, min(len(tokens), made.max_tokens - 2), tokenizer(), made))
    return found


def page(number: int, text: str) -> Page:
    """The words of a text from the top left of a letter page, eight a line."""
    words = []
    for i, written in enumerate(text.split()):
        x, y = 72.0 + i % 8 * 58, 72.0 + i // 8 * 14
        words.append(Word(written, Box(x, y, x + 6.0 * min(len(written), 9), y + 10)))
    return Page(
        number, WIDTH, HEIGHT, tuple(words), "text" if words else "none", "text layer" if words else "blank page"
    )


def document(*texts: str, name: str = "a.pdf") -> Document:
    """A document with a page for each text."""
    return Document(name, "0" * 64, tuple(page(i, text) for i, text in enumerate(texts, start=1)))


def long_text(words: int, seed: int = 0, known: Sequence[str] = (*WHOLE, "Acme", "Inc.", "2017", "NDA's")) -> str:
    """Words drawn at random, the same for a seed."""
    draw = torch.Generator().manual_seed(seed)
    return " ".join(known[i] for i in torch.randint(len(known), (words,), generator=draw).tolist())
