"""All commands: importing this file hangs each family of them on the application."""

from ndcgstudy.cli import cache, check, gaps, parts, ranks, reproduce, score, separability

__all__ = ["cache", "check", "gaps", "parts", "ranks", "reproduce", "score", "separability"]
