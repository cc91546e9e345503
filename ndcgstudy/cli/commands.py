"""All commands: importing this file hangs each family of them on the application."""

from ndcgstudy.cli import check, parts, reproduce, score

__all__ = ["check", "parts", "reproduce", "score"]
