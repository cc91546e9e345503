"""Run the command line as ``python -m ndcgstudy``."""

from ndcgstudy.cli import main

main()
