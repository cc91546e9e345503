"""Whether a measure agrees with people: their answers on pairs of lists against its differences."""
