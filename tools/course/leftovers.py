"""Folders left by processes that were killed."""

import errno
import shutil
import time

SECONDS_ENDING = 30  # that its programs may take to end


def remove(folder):
    """Removes a folder in which ending programs may still write or remove files."""
    end = time.monotonic() + SECONDS_ENDING
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY) or time.monotonic() > end:
                raise
            time.sleep(0.1)
