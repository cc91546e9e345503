"""The families of parts, by kind."""

from typing import Any

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import MEASURES
from ndcgstudy.registry import Registry
from ndcgstudy.synthetic import GENERATORS

FAMILIES: dict[str, Registry[Any]] = {
    family.kind: family for family in (DISCOUNTS, GAINS, GENERATORS, MEASURES)
}
