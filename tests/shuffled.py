"""An executor that takes all cells first and computes them in a random order."""

import random
from concurrent.futures import Executor, Future


class Shuffled(Executor):
    """Waits for `count` calls, then makes them one after another in an order of its own."""

    def __init__(self, seed, count):
        self.order, self.count = random.Random(seed), count
        self.waiting = []

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        self.waiting.append((future, function, args, kwargs))
        if len(self.waiting) == self.count:
            self.order.shuffle(self.waiting)
            for waiting, call, words, options in self.waiting:
                waiting.set_result(call(*words, **options))
        return future
