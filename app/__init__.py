"""What knows people: HTTP, the command line, the environment."""

__version__ = "0.1.0"
