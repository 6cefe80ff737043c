"""Archives that others have made, read with bounds: the memory and the time for them stay below these limits, whatever
their headers claim.
"""

import io
import stat
import struct
import tarfile
import zipfile
import zlib

from printing import one_line

MOST_EACH = 1024  # bytes of a .zip's directory for each member that it may have
MOST_HEADER = 1 << 20  # bytes of a header that stands before a tar's member
MOST_HEADERS = 16  # of them before one member
MOST_STREAMS = 1000  # in a row, in a .gz
STEP = 1 << 16
ENCRYPTED = 1  # a bit of a .zip's member
UTF_8 = 1 << 3  # one of the byte behind
ENTRY, ENTRY_SIZE = b"PK\1\2", 46  # how its entry in the directory begins, and how long it is without its name
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Python unpacks others without a limit
TO_BE_READ = (OSError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, tarfile.TarError, zlib.error, ValueError,
              NotImplementedError, OverflowError, RuntimeError, MemoryError)  # errors that mean that it is no archive


# The first bytes of submissions, whatever their names say.
BEGINNINGS = ((b"PK\3\4", ".zip"), (b"PK\5\6", ".zip"), (b"\x1f\x8b", ".tar.gz"), (b"Rar!\x1a", ".rar"),
              (b"7z\xbc\xaf\x27\x1c", ".7z"), (b"\xfd7zXZ\0", ".tar.xz"), (b"BZh", ".tar.bz2"))
TAR_MARK = slice(257, 262)  # where a .tar has "ustar"


class Unreadable(Exception):
    """Why a submission cannot be read, in one line."""


def why(error):
    """The reason in an error, in one line: to follow the name of what cannot be read."""
    return one_line(getattr(error, "strerror", None) or str(error) or type(error).__name__)


def require_kind(stream, named):
    """Raises Unreadable if a file is of another kind than its name says, or empty. named: the kind by its name."""
    head = stream.read(tarfile.BLOCKSIZE)
    stream.seek(0)
    if not head:
        raise Unreadable("it is empty: hand it in again")
    kind = next((one for start, one in BEGINNINGS if head.startswith(start)), None)
    kind = ".tar" if head[TAR_MARK] == b"ustar" else kind
    if kind not in (None, named):
        raise Unreadable(f"it is a {kind}, whatever its name says: " +
                         ("name it so" if kind in (".zip", ".tar", ".tar.gz") else "pack it as a .zip"))


class Directory:
    """A stream that is opened as a .zip: its directory is checked before it is parsed."""

    def __init__(self, stream, most):
        self.stream, self.most, self.opening = stream, most, True

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def read(self, size=-1):
        if not self.opening:
            return self.stream.read(size)
        if size > self.most * MOST_EACH:
            raise Unreadable(f"its list of files is longer than {self.most * MOST_EACH >> 20} MiB")
        data = self.stream.read(size if size >= 0 else 2 * STEP)
        if data.count(ENTRY) > self.most:
            raise Unreadable(f"it holds more than {self.most} files")
        return with_readable_names(data)


def with_readable_names(directory):
    """A .zip's directory, in which a name that is said to be UTF-8 and is not is one of MS-DOS, where all bytes are
    letters: otherwise that one would make the whole archive unreadable."""
    wrong, at = [], 0
    while directory[at:at + len(ENTRY)] == ENTRY and at + ENTRY_SIZE <= len(directory):
        lengths = struct.unpack_from("<3H", directory, at + 28)  # of the name, and of two fields behind it
        try:
            directory[at + ENTRY_SIZE:at + ENTRY_SIZE + lengths[0]].decode("utf-8")
        except UnicodeDecodeError:
            wrong.append(at + 9)
        at += ENTRY_SIZE + sum(lengths)
    changed = bytearray(directory if wrong else b"")
    for at in wrong:
        changed[at] &= ~UTF_8
    return bytes(changed) or directory


def open_zip(stream, most):
    """The zipfile.ZipFile of a stream, which stays open. Raises Unreadable if it has more members than `most`, folders
    included."""
    guard = Directory(stream, most)
    try:
        archive = zipfile.ZipFile(guard)
    except zipfile.BadZipFile:
        raise zipfile.BadZipFile("it is no .zip, or one that is cut off or damaged: pack it again") from None
    guard.opening = False
    return archive


def is_folder(info):
    return info.is_dir() or info.filename.endswith("\\") and info.file_size == 0


def what_is(mode):
    """The kind of something that is neither a file nor a folder, by its mode."""
    return "a symbolic link" if stat.S_ISLNK(mode) else "a device, a pipe or a socket"


def what_of(info):
    """The kind of a .zip's member that is no plain file; else None."""
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0
    if kind in (0, stat.S_IFREG):
        return None
    return what_is(kind)


def open_member(archive, info):
    """A stream of a .zip's member."""
    if info.flag_bits & ENCRYPTED:
        raise NotImplementedError("its archive is encrypted: pack it without a password")
    if info.compress_type not in METHODS:
        raise NotImplementedError("it is packed by a method other than deflate: pack it again")
    try:
        return archive.open(info)
    except UnicodeDecodeError:
        raise ValueError("its name is not in UTF-8, as the archive says: pack it again") from None


def read_member(archive, info, most):
    """A .zip's member, up to most + 1 of its bytes."""
    with open_member(archive, info) as stream:
        return stream.read(most + 1)


class Unzipped(io.RawIOBase):
    """The unpacked stream of a .gz."""

    def __init__(self, stream):
        super().__init__()
        self.stream, self.rest, self.count = stream, b"", 1
        self.decoder = zlib.decompressobj(31)

    def readable(self):
        return True

    def readinto(self, buffer):
        while True:
            if self.decoder.eof and not self.begin_next():
                return 0
            if not self.rest:
                self.rest = self.stream.read(STEP)
                if not self.rest:
                    raise EOFError("it ends too early")
            try:
                data = self.decoder.decompress(self.rest, len(buffer))
            except zlib.error:
                raise ValueError("it is no .tar.gz, or a damaged one: pack it again") from None
            self.rest = self.decoder.unused_data if self.decoder.eof else self.decoder.unconsumed_tail
            if data:
                buffer[:len(data)] = data
                return len(data)

    def begin_next(self):
        """Whether another stream follows, after zeros."""
        self.rest = self.rest.lstrip(b"\0")
        while not self.rest:
            self.rest = self.stream.read(STEP)
            if not self.rest:
                return False
            self.rest = self.rest.lstrip(b"\0")
        self.count += 1
        if self.count > MOST_STREAMS:
            raise Unreadable(f"it is made of more than {MOST_STREAMS} parts")
        self.decoder = zlib.decompressobj(31)
        return True


class Limited(io.RawIOBase):
    """A stream that raises an error after this many bytes."""

    def __init__(self, stream, most):
        super().__init__()
        self.stream, self.most, self.left = stream, most, most

    def readable(self):
        return True

    def readinto(self, buffer):
        count = self.stream.readinto(buffer)
        self.left -= count
        if self.left < 0:
            raise Unreadable(f"it unpacks to more than {self.most >> 20} MiB")
        return count


class TarMember:
    """name: as it was packed. what: its kind if it is no plain file, else None. Call read() before the next one."""

    def __init__(self, stream, name, info, what):
        self.stream, self.name, self.what, self.is_folder = stream, name, what, info.isdir()
        # As in Python's tarfile: folders, links and devices have no content.
        has = info.isreg() or info.type not in tarfile.SUPPORTED_TYPES
        self.left, self.padding = (info.size, -info.size % tarfile.BLOCKSIZE) if has else (0, 0)

    def read(self, size):
        data = exactly(self.stream, min(size, self.left))
        self.left -= len(data)
        return data

    def skip(self):
        left = self.left + self.padding
        while left:
            left -= len(exactly(self.stream, min(left, STEP)))
        self.left = self.padding = 0


def exactly(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("it ends too early")
    return data


def tar_members(stream):
    """Yields the TarMembers of a tar that is read once, folders included. Keeps no headers, and reads no maps of sparse
    files."""
    name, size, sparse, headers, first = None, None, False, 0, True
    while True:
        block = stream.read(tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            if first:
                raise Unreadable("it is a tar without files: pack it again")
            return
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError:
            if first:
                raise ValueError("it is no tar, or a damaged one: pack it again") from None
            return  # what follows is not part of it
        first = False
        if info.size < 0:
            raise ValueError("a size in it is negative")
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE,
                         tarfile.SOLARIS_XHDTYPE):
            headers += 1
            if info.size > MOST_HEADER or headers > MOST_HEADERS:
                raise Unreadable("a header in it is too long")
            data = exactly(stream, info.size)
            exactly(stream, -info.size % tarfile.BLOCKSIZE)
            if info.type == tarfile.GNUTYPE_LONGNAME:
                name = data.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
            elif info.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
                for key, value in records_of(data):
                    sparse = sparse or key.startswith(b"GNU.sparse.")
                    if key in (b"path", b"GNU.sparse.name"):
                        name = value.decode("utf-8", "surrogateescape")
                    elif key == b"size":
                        size = number_of(value)
            continue
        if info.type == tarfile.GNUTYPE_SPARSE:
            sparse, more = True, block[482]
            while more:
                more = exactly(stream, tarfile.BLOCKSIZE)[504]
        if size is not None:
            info.size = size
        what = "a file with holes" if sparse else "a link" if info.issym() or info.islnk() else \
            None if info.isreg() else "a device or a pipe"
        member = TarMember(stream, info.name if name is None else name, info, what)
        yield member
        member.skip()
        name, size, sparse, headers = None, None, False, 0


def number_of(text):
    if not text.isdigit() or len(text) > 20:
        raise ValueError("a size in it is no number")
    return int(text)


def records_of(data):
    """(key, value) of a POSIX header: LENGTH KEY=VALUE and the end of a line."""
    at = 0
    while at < len(data) and data[at:at + 1] != b"\0":
        space = data.find(b" ", at, at + 20)
        length = number_of(data[at:space]) if space > 0 else 0
        record = data[space + 1:at + length - 1]
        if length < space - at + 3 or at + length > len(data) or b"=" not in record:
            raise ValueError("a header in it is wrong")
        key, _, value = record.partition(b"=")
        yield key, value
        at += length
