"""Shares the device among submissions."""

import contextlib
import threading


class Turns:
    """A submission has the device alone: if it hangs or resets a GPU, all programs on it are affected. A CPU driver
    runs in the process that uses it, so there all submissions except timed ones may run in parallel (`shared`)."""

    def __init__(self):
        self.shared = False
        self.change = threading.Condition()
        self.here, self.alone, self.waiting = 0, False, 0  # waiting: for all others to leave

    @contextlib.contextmanager
    def taken(self, timed):
        alone = timed or not self.shared
        self.enter(alone)
        try:
            yield
        finally:
            with self.change:
                self.here -= 1
                self.alone = False
                self.change.notify_all()

    def enter(self, alone):
        with self.change:
            if alone:
                self.waiting += 1
                try:
                    self.change.wait_for(lambda: self.here == 0)
                finally:
                    self.waiting -= 1
            else:
                # Those that wait to be alone go first, or they would wait for ever.
                self.change.wait_for(lambda: not self.alone and self.waiting == 0)
            self.here += 1
            self.alone = alone
