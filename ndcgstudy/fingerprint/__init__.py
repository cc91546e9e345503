"""What a cell's result depends on beside its parameters and seed: the code that computes it."""

from ndcgstudy.fingerprint.code import Code, cell_key, fingerprint, outside

__all__ = ["Code", "cell_key", "fingerprint", "outside"]
