"""What students handed in, read as data: only the files of the tasks are taken, and no submission is unpacked to disk.

A submission is a folder, a .zip, a .tar, a .tar.gz or a git repository (its HEAD). One more folder round the files, or
another case of letters, is seen through; whatever is no plain file inside the submission, such as a link, is refused,
and listed.
"""

import collections
import contextlib
import gzip
import io
import os
import re
import stat
import tarfile
import zipfile
import zlib
from pathlib import PurePosixPath

MOST_FILE = 1 << 20  # bytes of one file of a task; the longest of the course's has 10 KiB
MOST_ARCHIVE = 100 << 20  # bytes of an archive
MOST_UNPACKED = 256 << 20  # bytes that a .tar.gz may become
MOST_MEMBERS = 10_000
MOST_CLASS = 4 << 30  # bytes that the archive of a class may become
MOST_CLASS_MEMBERS = 100_000
ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")

MOODLE = re.compile(r"(?P<who>.+?)_(?P<number>\d+)_assignsubmission_(file|onlinetext)(_.*)?")
CANVAS = re.compile(r"(?P<who>[^_]+?)(_LATE)?_(?P<number>\d+)_\d+_.+")
GRADESCOPE = re.compile(r"submission_\d+")
SOURCES = ("shaders", "src")
BESIDE = re.compile(r"__MACOSX|\..*|build|data|docs?|documentation|figures|images|papers?|pictures|plots|protocol|"
                    r"reports?|results?|screenshots|text|write-?up", re.IGNORECASE)
JUNK = re.compile(r"(^|/)(__MACOSX(/|$)|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)

# One path that holds a submission, and what it is called in grades/.
Submission = collections.namedtuple("Submission", "name path")


class Unreadable(Exception):
    """What makes a submission none, in one line."""


class Handed:
    """files: path in the project -> bytes. unused: paths as they were handed in. refused: (path, why)."""

    def __init__(self):
        self.files, self.unused, self.refused = {}, [], []


def plain_name(text):
    """A name for a folder: letters, digits, '.', '_' and '-'."""
    name = "".join(c if c.isalnum() or c in "._-" else "-" for c in text).strip("-.")
    return name[:100] or "submission"


def name_of(path):
    """What a submission is called: Moodle's and Canvas's names without what they add to the student's."""
    text = path.name
    for ending in (*ARCHIVES, ".git"):
        if text.lower().endswith(ending) and len(text) > len(ending):
            text = text[:-len(ending)]
            break
    found = MOODLE.fullmatch(text) or CANVAS.fullmatch(text)
    return plain_name(f"{found['who']}_{found['number']}" if found else text)


def is_archive(path):
    return path.is_file() and path.name.lower().endswith(ARCHIVES)


def is_repository(path):
    git = path / ".git"
    if os.path.lexists(git):  # an empty file stands for what an archive had in its place
        return not (stat.S_ISREG(os.lstat(git).st_mode) and os.lstat(git).st_size == 0)
    return (path / "HEAD").is_file() and (path / "objects").is_dir()


def git_part(path):
    """The path up to a folder or file .git, in any case of letters; None where there is none."""
    parts = path.split("/")
    for count, part in enumerate(parts, 1):
        if part.lower() == ".git":
            return "/".join(parts[:count])
    return None


def holds_sources(path):
    """Whether a folder is one submission: it has shaders/ or src/, at most one folder down."""
    def has(folder):
        return any(child.name.lower() in SOURCES and child.is_dir() for child in folder.iterdir())

    children = [child for child in path.iterdir() if child.is_dir() and not child.is_symlink()]
    # Beside hw/ there may be report/, of the same student.
    others = [child for child in children if not BESIDE.fullmatch(child.name)]
    return has(path) or len(others) == 1 and has(others[0])


def is_of_course(name):
    """Whether Moodle, Canvas or Gradescope names a submission so."""
    return bool(MOODLE.fullmatch(name) or CANVAS.fullmatch(name) or GRADESCOPE.fullmatch(name))


def is_class(names):
    """Whether these paths of a .zip's members are those of several submissions, as Moodle, Canvas and Gradescope hand
    out what a class has handed in: archives, or several folders that have shaders/ or src/."""
    parts = [name.split("/") for name in names]
    if any(one[0].lower() in SOURCES for one in parts):
        return False
    top = {one[0] for one in parts}
    depth = 1 if len(top) == 1 else 0  # of the folders that may be submissions
    if depth and any(one[1].lower() in SOURCES for one in parts if len(one) > 1):
        return False
    folders = {one[depth] for one in parts
               if any(part.lower() in SOURCES for part in one[depth + 1:depth + 3])}
    if depth:  # a folder with copies may be one student's
        folders = {one for one in folders if is_of_course(one)}
    archives = [one[-1] for one in parts if one[-1].lower().endswith(ARCHIVES)]
    return len(folders) > 1 or len(archives) > 1 or any(
        any(is_of_course(part) for part in one) for one in parts if one[-1].lower().endswith(ARCHIVES))


def unpack_class(path, folder):
    """The folder of submissions that the archive of a class holds, made in folder(), beside those of other classes; None
    where it is no such archive. What is no plain file in it is left out."""
    if not path.name.lower().endswith(".zip") or not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as archive:
        infos = {}
        for info in archive.infolist():
            name = plain_path(info.filename)
            plain = info.create_system != 3 or stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
            if name and plain and not info.is_dir() and not JUNK.search(name):
                infos.setdefault(git_part(name) or name, None if git_part(name) else info)
        if not is_class(infos):
            return None
        if len(infos) > MOST_CLASS_MEMBERS:
            raise Unreadable(f"{path}: it holds more than {MOST_CLASS_MEMBERS} files")
        around = folder()
        own = around / str(len(list(around.iterdir())))
        left, place = MOST_CLASS, own / plain_name(path.stem)
        own.mkdir(mode=0o700)
        place.mkdir(mode=0o700)
        for name, info in infos.items():
            target = place.joinpath(*(part[:200] for part in name.split("/")))
            target.parent.mkdir(parents=True, exist_ok=True)
            if info is None:  # listed as refused by what reads the submission
                target.touch()
                continue
            with archive.open(info) as stream, open(target, "xb") as out:
                while data := stream.read(min(left + 1, 1 << 16)):
                    left -= len(data)
                    if left < 0:
                        raise Unreadable(f"{path}: it unpacks to more than {MOST_CLASS >> 30} GiB")
                    out.write(data)
    inner = list(place.iterdir())
    return inner[0] if len(inner) == 1 and inner[0].is_dir() and not holds_sources(inner[0]) else place


def find(paths, folder):
    """The submissions at these paths, each of which is one, a folder of them, or the archive of a class, which is
    unpacked into what folder() returns, always the same. Raises Unreadable."""
    found = []
    for path in paths:
        if not path.exists():
            raise Unreadable(f"{path}: there is no such file or folder")
        if path.is_file() and not is_archive(path):
            raise Unreadable(f"{path}: is no {', '.join(ARCHIVES)} and no folder")
        try:
            path = unpack_class(path, folder) or path
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError,
                RuntimeError) as error:
            raise Unreadable(f"{path}: it cannot be read: {error}") from None
        if path.is_dir() and not is_repository(path) and not holds_sources(path):
            children = sorted(child for child in path.iterdir() if not child.name.startswith(".")
                              and not child.is_symlink() and (child.is_dir() or is_archive(child)))
            if children:
                found += [Submission(name_of(child), child) for child in without_texts(children)]
                continue
        found.append(Submission(name_of(path.resolve()), path))
    return with_own_names(found)


def without_texts(children):
    """The same, without Moodle's online text of a student beside the files that the student handed in."""
    files = {name_of(child) for child in children if "_assignsubmission_file" in child.name}
    return [child for child in children
            if not ("_assignsubmission_onlinetext" in child.name and name_of(child) in files)]


def with_own_names(submissions):
    """The same, where two would be called alike with numbers behind their names."""
    named = {}
    for one in submissions:
        name, count = one.name, 1
        while name.lower() in named:
            count += 1
            name = f"{one.name}-{count}"
        named[name.lower()] = Submission(name, one.path)
    return list(named.values())


def plain_path(name):
    """The path of a member with '/' alone, or None for one that leads out of the submission."""
    text = name.replace("\\", "/")
    parts = PurePosixPath(text).parts
    if not parts or text.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", text) or "\0" in text:
        return None
    return "/".join(parts)


class Members:
    """Members of one submission: add() each, then take() those that are wanted."""

    def __init__(self):
        self.handed, self.found = Handed(), {}

    def add(self, name, is_plain, what, read):
        """read(most): the member's bytes, most + 1 of them at most."""
        shown = name.encode("utf-8", "replace").decode("utf-8")
        path = plain_path(name)
        if len(self.found) + len(self.handed.refused) >= MOST_MEMBERS:
            raise Unreadable(f"it holds more than {MOST_MEMBERS} files")
        if path is None:
            self.handed.refused.append((shown, "its path leads out of the submission"))
        elif git_part(path):
            refused = (git_part(path).encode("utf-8", "replace").decode("utf-8"), "is git's, and not read here")
            if refused not in self.handed.refused:
                self.handed.refused.append(refused)
        elif JUNK.search(path):  # what macOS and Windows leave beside files
            return
        elif not is_plain:
            self.handed.refused.append((shown, f"{what} is no file"))
        else:
            self.found[path] = read

    def take(self, wanted):
        """Handed, with those of the wanted paths that are there, all below one folder."""
        by_lower = {}
        for path in sorted(self.found):
            by_lower.setdefault(path.lower(), path)
        prefixes = collections.Counter()
        for lower in by_lower:
            for want in wanted:
                if lower == want.lower() or lower.endswith("/" + want.lower()):
                    prefixes[lower[:-len(want)]] += 1
        if prefixes:  # the folder that holds most of them; of several the first
            prefix = min(prefixes, key=lambda one: (-prefixes[one], len(one), one))
            for want in wanted:
                path = by_lower.get(prefix + want.lower())
                if path is not None:
                    self.take_one(want, path)
        for want in wanted if not prefixes else []:  # files without their folders
            same = [path for path in self.found if path.rsplit("/", 1)[-1].lower() == want.rsplit("/", 1)[-1].lower()]
            alike = [one for one in wanted if one.rsplit("/", 1)[-1].lower() == want.rsplit("/", 1)[-1].lower()]
            if len(same) == 1 and len(alike) == 1:
                self.take_one(want, same[0])
            elif same:
                self.handed.refused += [(path, f"could be any of {', '.join(alike)}: hand it in in its folder"
                                         if len(alike) > 1 else f"is there {len(same)} times") for path in same
                                        if path not in {one for one, _ in self.handed.refused}]
        refused = {path for path, _ in self.handed.refused}
        self.handed.unused = sorted(set(self.found) - refused)
        self.handed.refused.sort()
        return self.handed

    def take_one(self, want, path):
        read = self.found.pop(path)
        try:
            content = read(MOST_FILE)
        except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, RuntimeError, NotImplementedError,
                ValueError) as error:
            self.handed.refused.append((path, f"cannot be read: {error}"))
            return
        if len(content) > MOST_FILE:
            self.handed.refused.append((path, f"is longer than {MOST_FILE >> 20} MiB"))
        else:
            # Windows' editors begin a file with a mark, which glslang refuses.
            self.handed.files[want] = content.removeprefix(b"\xef\xbb\xbf")


def read_folder(path, members):
    def reader(file):
        def read(most):
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as stream:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError("is no file")
                return stream.read(most + 1)
        return read

    for folder, folders, files in os.walk(path):  # which follows no links
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in [name for name in folders if git_part(name) and name not in links]:
            members.add(os.path.relpath(os.path.join(folder, name), path), True, "", None)
        folders[:] = sorted(name for name in set(folders) - set(links) if not git_part(name))
        for name in sorted(files + links):
            file = os.path.join(folder, name)
            mode = os.lstat(file).st_mode
            what = "a symbolic link" if stat.S_ISLNK(mode) else "a device, a pipe or a socket"
            # Names that are no UTF-8 come as surrogates.
            members.add(os.path.relpath(file, path), stat.S_ISREG(mode), what, reader(file))


def read_zip(path, members):
    archive = zipfile.ZipFile(path)

    def reader(info):
        def read(most):
            with archive.open(info) as stream:
                return stream.read(most + 1)
        return read

    for info in archive.infolist():
        if info.is_dir():
            continue
        mode = info.external_attr >> 16
        is_link = info.create_system == 3 and stat.S_ISLNK(mode)
        members.add(info.filename, not is_link, "a symbolic link", reader(info))


class Limited(io.RawIOBase):
    """A stream that ends with an error after so many bytes."""

    def __init__(self, stream, most):
        super().__init__()
        self.stream, self.left = stream, most

    def readable(self):
        return True

    def read(self, size=-1):
        data = self.stream.read(min(size, 1 << 16) if size >= 0 else 1 << 16)
        self.left -= len(data)
        if self.left < 0:
            raise Unreadable(f"it unpacks to more than {MOST_UNPACKED >> 20} MiB")
        return data


def read_tar(stream, members, wanted):
    """Of a stream, which is read once: what may be wanted is kept."""
    endings = tuple("/" + want.lower().rsplit("/", 1)[-1] for want in wanted)  # they may come without their folders
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for info in archive:
            if info.isdir():
                continue
            may_be = info.isreg() and ("/" + info.name.replace("\\", "/").lower()).endswith(endings)
            content = b"" if not may_be else archive.extractfile(info).read(MOST_FILE + 1)
            members.add(info.name, info.isreg(), "a link" if info.issym() or info.islnk() else "a device or a pipe",
                        lambda most, content=content: content)


def read_repository(opened, members, wanted):
    """opened: a repository.Repository."""
    endings = tuple("/" + want.lower().rsplit("/", 1)[-1] for want in wanted)  # they may come without their folders
    entries = list(opened.entries())
    contents, longer = opened.contents({one for _, kind, one, path in entries
                                        if kind == "blob" and ("/" + path.lower()).endswith(endings)})

    def reader(one):
        def read(most):
            if one in longer:
                return bytes(most + 1)
            if one not in contents:
                raise OSError("its object is missing")
            return contents[one]
        return read

    for mode, kind, one, path in entries:
        what = "a submodule" if kind == "commit" else "a symbolic link"
        members.add(path, kind == "blob" and mode.startswith("100"), what, reader(one))


def read(path, wanted, open_repository):
    """Handed of the submission at a path. open_repository(path): a repository.Repository, which is closed here. Raises
    Unreadable."""
    members = Members()
    try:
        if path.is_dir() and is_repository(path):
            with contextlib.closing(open_repository(path)) as opened:
                read_repository(opened, members, wanted)
        elif path.is_dir():
            inner = [child for child in path.iterdir() if not child.name.startswith(".")]
            if len(inner) == 1 and is_archive(inner[0]) and not inner[0].is_symlink():  # as Moodle has it
                return read(inner[0], wanted, open_repository)
            read_folder(path, members)
        elif path.stat().st_size > MOST_ARCHIVE:
            raise Unreadable(f"it is longer than {MOST_ARCHIVE >> 20} MiB")
        elif path.name.lower().endswith(".zip"):
            read_zip(path, members)
        elif path.name.lower().endswith(".tar"):
            with open(path, "rb") as stream:
                read_tar(Limited(stream, MOST_UNPACKED), members, wanted)
        else:
            with gzip.open(path, "rb") as stream:
                read_tar(Limited(stream, MOST_UNPACKED), members, wanted)
        return members.take(wanted)
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, ValueError,
            NotImplementedError, OverflowError) as error:
        raise Unreadable(f"it cannot be read: {error}") from None
