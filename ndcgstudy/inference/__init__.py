"""What the topics allow to be said of systems: tests, corrections, intervals and orders."""
