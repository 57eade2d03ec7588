"""Everything an installation may set, in one place: the environment's `LONGLEAF_…` variables and their defaults."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from platformdirs import user_cache_path
from pydantic import Field
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
    engine: str = "tesseract"
    languages: str = "eng"
    max_bytes: int = Field(default=200 * 2**20, ge=1)
    max_pages: int = Field(default=5000, ge=1)
    document_seconds: float = Field(default=1800, gt=0, description="longest a document may take to be read")

    def ingest(self) -> "IngestSettings":
        """The part of these that is about reading documents."""
        from pipeline.ingest import IngestSettings

        return IngestSettings(
            ocr=self.ocr,
            engine=self.engine,
            languages=self.languages,
            max_bytes=self.max_bytes,
            max_pages=self.max_pages,
            document_seconds=self.document_seconds,
        )
