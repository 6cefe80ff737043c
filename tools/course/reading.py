"""Files that people name, or have written, read as a whole: whatever stands in their place, that ends."""

import errno
import os
import stat

MOST = 64 << 20  # bytes; a table of a large class has less than one MiB
SHELLS = ("/dev/fd/", "/dev/stdin")  # pipes that a shell has put there, as <(...) does


def whole(path, with_pipes=False):
    """The bytes of a file. Raises OSError, whose strerror says why not, for what is no file, or too long. with_pipes:
    those of a shell are read, too; they can be read once."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # which waits for nobody
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory: name a file in it", str(path))
        if stat.S_ISFIFO(mode) and with_pipes and str(path).startswith(SHELLS):
            os.set_blocking(handle, True)
        elif not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "is a pipe or a device: write it to a file, and name that", str(path))
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MOST + 1)
    finally:
        os.close(handle)
    if len(data) > MOST:
        raise OSError(errno.EFBIG, f"is longer than {MOST >> 20} MiB: is it the right file?", str(path))
    return data
