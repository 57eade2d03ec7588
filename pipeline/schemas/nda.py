"""Non-disclosure agreements: who agrees, since when, for how long, under which law (the fields of Kleister-NDA)."""

from pipeline.schemas import Field

CLASSES = ("non_disclosure_agreement",)
ENTITIES: dict[str, Field] = {
    "party": {"normaliser": "name", "many": True},
    "effective_date": {"normaliser": "date", "many": False},
    "jurisdiction": {"normaliser": "jurisdiction", "many": False},
    "term": {"normaliser": "duration", "many": False},
}
