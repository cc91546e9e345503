"""All commands: importing this file hangs each family of them on the application."""

from ndcgstudy.cli import parts

__all__ = ["parts"]
