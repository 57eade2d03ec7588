"""What the engines say of languages that they do not have."""

from collections.abc import Collection

from pipeline.errors import OcrUnavailable


def require(engine: str, languages: str, installed: Collection[str]) -> None:
    """OcrUnavailable where one of the languages ("eng+deu") is not among those installed."""
    missing = [language for language in languages.split("+") if language not in installed]
    if missing:
        raise OcrUnavailable(
            f"{engine} has no language {', '.join(missing)}; installed are {', '.join(sorted(installed))}."
        )
