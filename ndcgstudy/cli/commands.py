"""All commands: importing this file hangs each family of them on the application."""

from ndcgstudy.cli import cache, check, flip, holes, parts, reproduce, score, separability

__all__ = ["cache", "check", "flip", "holes", "parts", "reproduce", "score", "separability"]
