"""Words for people."""


def many(count: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> many(1, "topic"), many(2, "topic"), many(2, "query", "queries")
    ('1 topic', '2 topics', '2 queries')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
