"""Commercial contracts: what it is called, who agrees, of which date, under which law (four of CUAD's clauses)."""

from pipeline.schemas import Field

CLASSES = ("commercial_contract",)
ENTITIES: dict[str, Field] = {
    "document_name": {"normaliser": "text", "many": False},
    "party": {"normaliser": "name", "many": True},
    "agreement_date": {"normaliser": "date", "many": False},
    "governing_law": {"normaliser": "jurisdiction", "many": False},
}
