"""Folders that somebody who was killed has left."""

import errno
import shutil
import time

SECONDS_ENDING = 30  # that programs of its own may take to end


def remove(folder):
    """Programs that are ending may write there still, and remove what is theirs."""
    end = time.monotonic() + SECONDS_ENDING
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY) or time.monotonic() > end:
                raise
            time.sleep(0.1)
