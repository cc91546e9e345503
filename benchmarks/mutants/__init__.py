"""A mutation run: how many small faults in the code the tests find."""
