"""Simulated readers whose discount is known, for the tests of fitted discounts."""

from ndcgstudy.agreement.families import Answers
from ndcgstudy.agreement.users import Users, draw_pairs


def asked(rng, discount="power(beta=0.7)", clusters=100, size=10, slope=8.0, ranks=5, **how):
    """Answers of people who go by DCG with a discount."""
    first, second, query = draw_pairs(clusters, size, ranks=ranks, rng=rng)
    users = Users(f"DCG(discount={discount})", slope=slope, nu=1.0)
    answers = users.answers(first, second, 2, rng=rng)
    return Answers((first - second).astype(float), answers, query, **how)
