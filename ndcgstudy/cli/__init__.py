"""The command line: `main` runs it; each family of commands has a file of its own."""

from ndcgstudy.cli.app import main

__all__ = ["main"]
