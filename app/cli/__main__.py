"""`python -m app.cli` is `longleaf`."""

from app.cli import main

main()
