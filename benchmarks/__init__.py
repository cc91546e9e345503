"""Speed and memory beside peers and limits, measured in one run: ``make bench``."""
