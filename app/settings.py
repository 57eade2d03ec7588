"""Everything an installation may set, in one place: the environment's `LONGLEAF_…` variables and their defaults."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from platformdirs import user_cache_path
from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

if TYPE_CHECKING:
    from pipeline.ingest import IngestSettings


class Settings(BaseSettings):
    """What may be set: `LONGLEAF_PORT=9000` sets `port`. A value that cannot be raises pydantic's ValidationError."""

    model_config = SettingsConfigDict(env_prefix="LONGLEAF_", extra="ignore")

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    model: Path | None = Field(default=None, description="the model's folder; without it the newest of those shipped")
    device: str | None = Field(default=None, description="torch's name of the device; without it CUDA if there is any")
    cache: Path = Field(default_factory=lambda: user_cache_path("longleaf"))
    readers: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, description="documents read at a time")
    batch: int = Field(default=16, ge=1, description="documents the model is given at a time, at most")

    ocr: Literal["auto", "always", "never"] = "auto"
    hidden: Literal["trust", "redo"] = Field(default="redo", description="invisible text layers of scans, where poor")
    engine: str = "tesseract"
    languages: str = Field(default="eng", description="of OCR, as Tesseract writes them: eng+deu")
    dpi: int = Field(default=200, ge=50, le=1200, description="dots an inch of the pictures given to OCR")
    max_bytes: int = Field(default=200 * 2**20, ge=1)
    max_pages: int = Field(default=5000, ge=1)
    max_pixels: int = Field(default=40_000_000, ge=1_000_000, description="of a page's picture; more means fewer dots")
    page_seconds: float = Field(default=60, gt=0, description="longest a page may take to be read")
    document_seconds: float = Field(default=1800, gt=0, description="longest a document may take to be read")
    memory_bytes: int = Field(default=2_000_000_000, ge=1, description="of a process that opens a file")
    scratch_bytes: int = Field(default=1_000_000_000, ge=1, description="of any file written while reading")

    @model_validator(mode="after")
    def _checked(self) -> Self:
        self.ingest()
        return self

    def ingest(self) -> "IngestSettings":
        """The part of these that is about reading documents; ValueError where its limits contradict each other."""
        from pipeline.ingest import IngestSettings
        from pipeline.limits import Limits

        limits = Limits(
            max_bytes=self.max_bytes,
            max_pages=self.max_pages,
            max_pixels=self.max_pixels,
            page_seconds=self.page_seconds,
            document_seconds=self.document_seconds,
            memory_bytes=self.memory_bytes,
            scratch_bytes=self.scratch_bytes,
        )
        return IngestSettings(self.ocr, self.hidden, self.engine, self.languages, self.dpi, limits)
