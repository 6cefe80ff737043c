"""Students' submissions, read as data: only the files of the tasks are taken, and no submission is unpacked to disk.

A submission is a folder, a .zip, a .tar, a .tar.gz or a git repository (its HEAD). One more folder or archive around
the files, or another case of letters, is accepted; anything inside the submission that is no plain file, such as a
link, is refused, and listed.
"""

import collections
import contextlib
import errno
import io
import os
import re
import stat
import tempfile
import zipfile
from pathlib import PurePosixPath

import archives
import layouts
from archives import Unreadable
from layouts import ARCHIVES, JUNK

MOST_FILE = 1 << 20  # bytes of one file of a task; the longest of the course's has 10 KiB
MOST_KEPT = 64 << 20  # bytes of all files of a tar or a repository that may belong to tasks
MOST_ARCHIVE = 100 << 20  # bytes of an archive
MOST_UNPACKED = 256 << 20  # bytes of an unpacked .tar.gz, or of the unpacked archives in a submission
MOST_MEMBERS = 10_000
MOST_PATH = 1024  # bytes
MOST_INNER, MOST_DEEP = 8, 3  # archives in one submission, and levels of nesting
MOST_CLASS = 4 << 30  # bytes of the unpacked archive of a class
MOST_CLASS_MEMBERS = 100_000
MOST_FOLDERS = 4  # around the submissions of a class
KINDS = {"zip": ".zip", "tar": ".tar"}  # by the end of a name; the others are .tar.gz
TWICE = "stands in it more than once, and not the same: pack it again"
LEADS_OUT = "its path leads out of the submission"
TOO_LONG = f"its path is longer than {MOST_PATH} bytes"
OF_THIS_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)  # errors that are no student's

# One path with a submission, and its name in grades/. refused: (path, why) of what the path lacks already.
Submission = collections.namedtuple("Submission", "name path refused student", defaults=((), None))


class Handed:
    """files: path in the project -> bytes. unused: paths as they were handed in. refused: (path, why)."""

    def __init__(self):
        self.files, self.unused, self.refused = {}, [], []


def name_of(path):
    return layouts.name_of(path.name)


def is_archive(path):
    return path.is_file() and layouts.is_archive_name(path.name)


def is_repository(path):
    git = path / ".git"
    if os.path.lexists(git):  # an empty file replaces what an archive had in its place
        return not (stat.S_ISREG(os.lstat(git).st_mode) and os.lstat(git).st_size == 0)
    return (path / "HEAD").is_file() and (path / "objects").is_dir()


def git_part(path):
    """The path up to a folder or file .git, in any case of letters; None if there is none."""
    parts = path.split("/")
    for count, part in enumerate(parts, 1):
        if part.lower() == ".git":
            return "/".join(parts[:count])
    return None


def heads_on_disk(path):
    """name -> whether it is a folder, without links."""
    found = {}
    for child in path.iterdir():
        mode = os.lstat(child).st_mode
        if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
            found[child.name] = stat.S_ISDIR(mode)
    return found


def others_on_disk(path):
    """name -> kind, of everything that is neither a folder nor a file. Hidden names belong to programs, not to
    students."""
    modes = {child.name: os.lstat(child).st_mode for child in path.iterdir() if not child.name.startswith(".")}
    return {name: archives.what_is(mode) for name, mode in modes.items()
            if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode)}


def class_folder(path, is_only):
    """The folder, this one or one inside it, that holds the submissions of a class; None if it is one submission.
    is_only: no other path is graded, so a folder in it is a class of one. With several paths each may be a
    student's."""
    if is_repository(path) or layouts.is_made_by_course(path.resolve().name):
        return None
    place = path
    for _ in range(MOST_FOLDERS):
        kind = layouts.kind_of(heads_on_disk(place))
        if kind == layouts.CLASS:
            return place
        if kind in (layouts.ONE, None) or is_repository(place / kind):
            break
        place = place / kind
    # No course system names it: its own folders and archives are submissions.
    heads = heads_on_disk(path)
    if layouts.kind_of(heads) == layouts.ONE:
        return None
    folders = [name for name, folder in heads.items() if folder and not name.startswith(".")]
    packed = [name for name, folder in heads.items() if not folder and layouts.is_archive_name(name)
              and not name.startswith(".")]
    # Next to hw/ there may be report/, of the same student.
    others = [name for name in folders if not layouts.BESIDE.fullmatch(name)]
    one = not packed and len(others) == 1 and (len(layouts.students(heads)) > 1 or not is_only)
    if one and layouts.kind_of(heads_on_disk(path / others[0])) == layouts.ONE:
        return None
    return path if folders or packed else None


def heads_of(names):
    """The same for paths in parts."""
    heads = {}
    for parts in names:
        heads[parts[0]] = heads.get(parts[0], False) or len(parts) > 1
    return heads


def class_in_zip(archive):
    """The path in the archive of a class, as parts, that holds its submissions; None if it is no such archive."""
    names, place = [path.split("/") for path in plain_members(archive)], []
    if layouts.is_folders_alone(names):
        return place
    for _ in range(MOST_FOLDERS):
        heads = heads_of(names)
        kind = layouts.kind_of(heads)
        if kind == layouts.CLASS:
            return place if layouts.is_class_alone(heads) else None
        if kind in (layouts.ONE, None):
            return None
        names = [parts[1:] for parts in names if parts[0] == kind and len(parts) > 1]
        place = [*place, kind]
    return None


def plain_members(archive):
    """path -> member of a .zip, the first one of each path, without folders and without paths that lead out of it."""
    found = {}
    for info in archive.infolist():
        path = None if archives.is_folder(info) else plain_path(info.filename)
        if path and not JUNK.search(path):
            found.setdefault(path, info)
    return found


def differing(archive):
    """Paths that are in a .zip more than once, with different contents: it is unknown which one was meant."""
    contents = {}
    for info in archive.infolist():
        path = None if archives.is_folder(info) else plain_path(info.filename)
        if path:
            contents.setdefault(path, set()).add((info.CRC, info.file_size))
    return {path for path, several in contents.items() if len(several) > 1}


class Packed:
    """A .zip with everything that one student of a class has handed in, to be read like any other. refused: (path,
    why)."""

    def __init__(self, path, own):
        self.path, self.own, self.refused, self.names = path, own, [], set()
        self.left, self.archive = MOST_UNPACKED, zipfile.ZipFile(path, "x")

    def add(self, path, is_plain, what, read, *_):
        path = path.encode("utf-8", "replace").decode("utf-8")
        inside = git_part(path)
        if len(self.names) > MOST_MEMBERS or (inside or path) in self.names:  # the reader would refuse more
            return
        self.names.add(inside or path)
        if layouts.is_other_archive_name(path):
            self.refuse(path, f"is no {', '.join(ARCHIVES)}: pack it as one of these")
        elif not is_plain:
            self.refuse(path, f"{what} is no file")
        elif len(path.encode()) > MOST_PATH:
            self.refuse(path, TOO_LONG)
        elif inside:  # listed as refused by the reader
            self.archive.writestr(zipfile.ZipInfo(inside), b"")
        else:
            self.copy(path, read)

    def copy(self, path, read):
        most = min(MOST_ARCHIVE, self.left)
        try:
            data = read(most)
        except archives.TO_BE_READ as error:
            self.refuse(path, f"cannot be read: {archives.why(error)}")
            return
        if len(data) > most:
            self.refuse(path, f"is longer than {MOST_ARCHIVE >> 20} MiB, or all of it than {MOST_UNPACKED >> 20} MiB")
            return
        self.left -= len(data)
        self.own.take(len(data))
        self.archive.writestr(zipfile.ZipInfo(path), data)

    def refuse(self, path, why):
        self.refused.append((shortened(path), why))

    @contextlib.contextmanager
    def noting(self, name):
        """What goes wrong with one name of the class is its student's problem, and does not stop the rest."""
        try:
            yield
        except Unreadable:  # the class is too long
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno in OF_THIS_MACHINE:
                raise
            self.refuse(name, f"cannot be read: {archives.why(error)}")

    def submission(self, name):
        """name: as it was handed in."""
        self.archive.close()
        return Submission(layouts.name_of(name), self.path, tuple(self.refused), layouts.student_of(name))


class Unpacked:
    """A folder for taking a class apart: a file for each student."""

    def __init__(self, path, folder):
        around = folder()
        self.path, self.place, self.left = path, around / str(len(list(around.iterdir()))), MOST_CLASS
        self.place.mkdir(mode=0o700)

    def take(self, count):
        self.left -= count
        if self.left < 0:
            raise Unreadable(f"{self.path}: it unpacks to more than {MOST_CLASS >> 30} GiB")

    def pack(self):
        return Packed(self.place / f"{len(list(self.place.iterdir()))}.zip", self)


def inside(name, names):
    """The student's own name for a file or folder that the course system has named, among these of the same student."""
    def without_number(one):
        return layouts.AGAIN.sub("", one) if layouts.is_source(one) else one

    rests = [layouts.named(one).rest for one in names]
    rest = layouts.named(name).rest
    return without_number(rest) if [without_number(one) for one in rests].count(without_number(rest)) == 1 else rest


def ways_out(archive, below, depth):
    """Owner, or else a path without an owner -> paths that lead out of the archive of a class. below: names at that
    depth in it."""
    found = {}
    for info in archive.infolist():
        if archives.is_folder(info) or plain_path(info.filename):
            continue
        path = shortened(info.filename)
        parts = path.replace("\\", "/").split("/")
        known = [one for one in parts if layouts.named(one)] + [one for one in parts[depth:depth + 1] if one in below]
        found.setdefault((known or [path])[0], []).append(path)
    return found


def from_zip(path, place, folder):
    """The submissions of a class in a .zip."""
    found, unpacked = [], Unpacked(path, folder)
    with open(path, "rb") as stream, archives.open_zip(stream, MOST_CLASS_MEMBERS) as archive:
        below = {}  # the name at that place -> [(path in it, member)]
        for name, info in plain_members(archive).items():
            parts = name.split("/")
            if parts[:len(place)] == place and len(parts) > len(place):
                below.setdefault(parts[len(place)], []).append((parts[len(place) + 1:], info))
        out, twice = ways_out(archive, below, len(place)), differing(archive)
        heads = {name: any(parts or archives.what_of(info) for parts, info in ones) for name, ones in below.items()}
        for names in layouts.students({**dict.fromkeys(out, True), **heads}).values():
            packed, course = unpacked.pack(), bool(layouts.named(names[0]))
            for name in names:
                for path_out in out.get(name, ()):
                    packed.refuse(path_out, LEADS_OUT)
                first = inside(name, names) if course else None
                for parts, info in below.get(name, ()):
                    with packed.noting(name):
                        before = first if course else "" if parts else name
                        what = archives.what_of(info)
                        own = "/".join([one for one in (before, *parts) if one] or ["file"])
                        if plain_path(info.filename) in twice:
                            packed.refuse(own, TWICE)
                            continue
                        packed.add(own, what is None, what,
                                   lambda most, info=info: archives.read_member(archive, info, most))
            found.append(packed.submission(names[0]))
    return found


def from_folder(place, folder):
    """The submissions of a class in a folder: its folders and archives, with everything of one student combined.
    Anything else is also somebody's work, which cannot be read."""
    found, unpacked, others = [], None, others_on_disk(place)
    for names in layouts.students({**heads_on_disk(place), **dict.fromkeys(others, True)}).values():
        first = place / names[0]
        if len(names) == 1 and first.name not in others and (first.is_dir() or is_archive(first)):
            found.append(Submission(name_of(first), first, student=layouts.student_of(first.name)))
            continue
        unpacked = unpacked or Unpacked(place, folder)
        packed = unpacked.pack()
        for name in names:
            with packed.noting(name):
                take_apart(place / name, inside(name, names) if layouts.named(name) else name, others.get(name), packed)
        found.append(packed.submission(first.name))
    return found


def take_apart(path, own, what, packed):
    """One name of the class. own: the student's own name for it. what: its kind if it is neither a folder nor a
    file."""
    if what:
        packed.refuse(path.name, f"{what} is no file")
    elif path.is_dir():
        read_folder(path, lambda name, *more: packed.add(f"{own}/{name}" if own else name, *more),
                    lambda name, why: packed.refuse(f"{own}/{name}" if own else name, why))
    else:
        packed.add(own or path.name, True, None, reader_of(path))


def class_at(path, is_only):
    """A function that gets the submissions of a class at this path, called with a place to unpack it. None if it is one
    submission."""
    if path.is_dir():
        try:
            place = class_folder(path, is_only)
        except OSError as error:
            if is_only:
                raise Unreadable(f"{path}: it cannot be read: {archives.why(error)}: {error.filename}") from None
            return None  # reading it gives the reason
        return None if place is None else lambda folder: from_folder(place, folder)
    if not path.name.lower().endswith(".zip") or layouts.is_made_by_course(path.resolve().name):
        return None
    try:
        with open(path, "rb") as stream, archives.open_zip(stream, MOST_CLASS_MEMBERS) as archive:
            place = class_in_zip(archive)
    except (Unreadable, *archives.TO_BE_READ):
        return None  # reading it gives the reason
    return None if place is None else lambda folder: from_zip(path, place, folder)


def find(paths, folder, alone=False):
    """The submissions at these paths: each path is one, or holds those of a class, which is unpacked, if necessary,
    into the folder that folder() returns, always the same one. If one path is a submission, all are, so that a
    student's folder is never split into several students'. alone: treats each as one in any case. Raises Unreadable."""
    given = []
    for path in paths:
        if not path.exists():
            raise Unreadable(f"{path}: there is no such file or folder")
        if not path.is_dir() and not is_archive(path):
            raise Unreadable(f"{path}: is no {', '.join(ARCHIVES)} and no folder")
        given.append((path, None if alone else class_at(path, len(paths) == 1)))
    found, alone = [], any(several is None for _, several in given)
    for path, several in given:
        if several and not alone:
            found += several(folder)
        else:
            hint = ((path.name, "looks like a class, and is taken for one submission, as another path is one: have it "
                                "graded by a call of its own"),) if several else ()
            found.append(Submission(name_of(path.resolve()), path, hint, layouts.student_of(path.resolve().name)))
    names = layouts.unique([one.name for one in found])
    return [one._replace(name=name) for one, name in zip(found, names)]


def shortened(path):
    """The form in which a member is listed."""
    shown = path.encode("utf-8", "replace").decode("utf-8")
    return shown if len(shown) <= MOST_PATH else shown[:100] + "..."


def plain_path(name):
    """The path of a member with only '/', or None if it leads out of the submission."""
    text = name.replace("\\", "/")
    parts = PurePosixPath(text).parts
    if not parts or text.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", text) or "\0" in text:
        return None
    return "/".join(parts)


class Members:
    """Members of one submission: add() each, then take() those that are wanted."""

    def __init__(self):
        self.handed, self.found, self.archives, self.seen = Handed(), {}, {}, 0

    def count(self):
        """Counts other members than files, too: a folder costs as much."""
        self.seen += 1
        if self.seen > MOST_MEMBERS:
            raise Unreadable(f"it holds more than {MOST_MEMBERS} files")

    def add(self, name, is_plain, what, read, copy=None):
        """read(most): up to most + 1 of the member's bytes. copy(): a file with them, for an archive."""
        self.count()
        shown, path = shortened(name), plain_path(name)
        if len(shown) < len(name) or len(shown.encode()) > MOST_PATH:
            self.handed.refused.append((shown, TOO_LONG))
        elif path is None:
            self.handed.refused.append((shown, LEADS_OUT))
        elif git_part(path):
            refused = (git_part(path).encode("utf-8", "replace").decode("utf-8"), "is git's, and not read here")
            if refused not in self.handed.refused:
                self.handed.refused.append(refused)
        elif JUNK.search(path):  # left by macOS and Windows beside files
            return
        elif not is_plain:
            self.handed.refused.append((shown, f"{what} is no file"))
        else:
            self.found[path] = read
            if copy and layouts.is_archive_name(path):
                self.archives[path] = copy

    def refuse(self, path, why):
        if self.found.pop(path, None):
            self.archives.pop(path, None)
            self.handed.refused.append((path, why))

    def leave_out(self, path, why):
        """For what is not even listed by add()."""
        self.handed.refused.append((shortened(path), why))

    def choose(self, wanted):
        """(wanted -> path, refused): those of the wanted paths that are there, all below one folder."""
        by_lower, endings, chosen, refused = {}, tuple(wanted), {}, {}
        for path in sorted(self.found, key=lambda path: (not path.endswith(endings), path)):  # the right case before others
            by_lower.setdefault(path.lower(), path)
        prefixes = collections.Counter()
        for lower in by_lower:
            for want in wanted:
                if lower == want.lower() or lower.endswith("/" + want.lower()):
                    prefixes[lower[:-len(want)]] += 1
        if prefixes:  # the folder with the most of them; of several the first
            prefix = min(prefixes, key=lambda one: (-prefixes[one], len(one), one))
            return {want: by_lower[prefix + want.lower()] for want in wanted if prefix + want.lower() in by_lower}, []
        for want in wanted:  # files without their folders
            same = [path for path in self.found if path.rsplit("/", 1)[-1].lower() == want.rsplit("/", 1)[-1].lower()]
            alike = [one for one in wanted if one.rsplit("/", 1)[-1].lower() == want.rsplit("/", 1)[-1].lower()]
            if len(same) == 1 and len(alike) == 1:
                chosen[want] = same[0]
            else:
                for path in same:
                    refused.setdefault(path, f"could be any of {', '.join(alike)}: hand it in in its folder"
                                       if len(alike) > 1 else f"is there {len(same)} times")
        return chosen, list(refused.items())

    def take(self, wanted):
        """Handed, with the files that were chosen."""
        chosen, refused = self.choose(wanted)
        known = {path for path, _ in self.handed.refused}
        self.handed.refused += [(path, why) for path, why in refused if path not in known]
        for want, path in chosen.items():
            self.take_one(want, path)
        refused = {path for path, _ in self.handed.refused}
        self.handed.unused = sorted(set(self.found) - refused)
        self.handed.refused.sort()
        return self.handed

    def take_one(self, want, path):
        read = self.found.pop(path)
        try:
            content = read(MOST_FILE)
        except archives.TO_BE_READ as error:
            self.handed.refused.append((path, f"cannot be read: {archives.why(error)}"))
            return
        if len(content) > MOST_FILE:
            self.handed.refused.append((path, f"is longer than {MOST_FILE >> 20} MiB"))
        else:
            # Windows' editors begin a file with a byte order mark, which glslang refuses.
            self.handed.files[want] = content.removeprefix(b"\xef\xbb\xbf")


def open_plain(file):
    """Reads a file that is no link, even if it was replaced after it was examined."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    stream = open(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        stream.close()
        raise OSError("is no file")
    return stream


def reader_of(file):
    def read(most):
        with open_plain(file) as stream:
            return stream.read(most + 1)
    return read


def read_folder(path, add, leave_out, count=lambda: None):
    """Does not follow links, nor enter a folder whose path is so long that a file's in it could not be read. leave_out:
    gets the path of such a folder, and why."""
    left = [""]
    while left:
        inside = left.pop()
        count()
        try:
            names = sorted(os.listdir(os.path.join(path, inside)))
        except OSError as error:
            if not inside:
                raise
            leave_out(inside, f"cannot be read: {archives.why(error)}")
            continue
        folders = []
        for name in names:
            own = os.path.join(inside, name)
            file = os.path.join(path, own)
            try:
                mode = os.lstat(file).st_mode
            except OSError as error:
                leave_out(own, f"cannot be read: {archives.why(error)}")
                continue
            if not stat.S_ISDIR(mode):
                # Names that are not UTF-8 are represented with surrogates.
                add(own, stat.S_ISREG(mode), archives.what_is(mode), reader_of(file), lambda file=file: open_plain(file))
            elif git_part(name):
                add(own, True, "", None)
            elif len(os.fsencode(own)) > MOST_PATH:
                leave_out(own, f"{TOO_LONG}, and no file in it is read")
            else:
                folders.append(own)
        left += reversed(folders)


def copied(read, most):
    """A file without a name, with the content from read(size). Raises Unreadable beyond this many bytes."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile())
        while data := read(archives.STEP):
            most -= len(data)
            if most < 0:
                raise Unreadable(f"it is longer than {MOST_ARCHIVE >> 20} MiB, or too long beside others")
            file.write(data)
        file.seek(0)
        stack.pop_all()
        return file


def read_zip(archive, members, budget):
    def copy(info):
        def made():
            with archives.open_member(archive, info) as stream:
                return budget.copied(stream.read)
        return made

    for info in archive.infolist():
        if archives.is_folder(info):
            members.count()
            continue
        what = archives.what_of(info)
        members.add(info.filename, what is None, what,
                    lambda most, info=info: archives.read_member(archive, info, most), copy(info))
    for path in differing(archive):
        members.refuse(path, TWICE)


def read_tar(stream, members, wanted, budget):
    """Of a stream, which is read once: keeps the members that may be wanted."""
    endings = tuple("/" + want.lower().rsplit("/", 1)[-1] for want in wanted)  # they may come without their folders
    left = MOST_KEPT
    for member in archives.tar_members(stream):
        if member.is_folder:
            members.count()
            continue
        name, content, copy = "/" + member.name.replace("\\", "/").lower(), b"", None
        if member.what is None and name.endswith(endings):
            content = member.read(MOST_FILE + 1)
            left -= len(content)
            if left < 0:
                raise Unreadable(f"it holds more than {MOST_KEPT >> 20} MiB of what may be files of tasks")
        elif member.what is None and layouts.is_archive_name(name):
            kept = budget.copied(member.read) if len(members.archives) < MOST_INNER else None
            copy = lambda kept=kept: kept or budget.refuse()  # noqa: E731
        members.add(member.name, member.what is None, member.what, lambda most, content=content: content, copy)


def read_repository(opened, members, wanted):
    """opened: a repository.Repository. Only the chosen files are asked for: a few bytes of a repository can say that
    thousands of files are long."""
    objects, contents, longer = {}, {}, set()

    def reader(one):
        def read(most):
            if one in longer:
                return bytes(most + 1)
            if one not in contents:
                raise OSError("its object is missing")
            return contents[one]
        objects[read] = one
        return read

    for mode, kind, one, path in opened.entries():
        what = "a submodule" if kind == "commit" else "a symbolic link"
        members.add(path, kind == "blob" and mode.startswith("100"), what, reader(one))
    chosen, _ = members.choose(wanted)
    found, too_long = opened.contents({objects[members.found[path]] for path in chosen.values()})
    contents.update(found)
    longer.update(too_long)


class Budget:
    """The limit for all archives inside one submission together."""

    def __init__(self):
        self.left, self.count = MOST_UNPACKED, 0

    def copied(self, read):
        self.count += 1
        if self.count > MOST_INNER:
            self.refuse()
        file = copied(read, min(self.left, MOST_ARCHIVE))
        self.left -= os.fstat(file.fileno()).st_size
        return file

    def refuse(self):
        raise Unreadable(f"it is one of more than {MOST_INNER} archives")


def read_archive(stream, name, wanted, budget, depth=0):
    if os.fstat(stream.fileno()).st_size > MOST_ARCHIVE:
        raise Unreadable(f"it is longer than {MOST_ARCHIVE >> 20} MiB")
    members = Members()
    kind = KINDS.get(name.lower().rsplit(".", 1)[-1], ".tar.gz")
    archives.require_kind(stream, kind)
    if kind == ".zip":
        with archives.open_zip(stream, MOST_MEMBERS) as archive:
            read_zip(archive, members, budget)
            return taken(members, wanted, budget, depth)
    raw = stream if kind == ".tar" else archives.Unzipped(stream)
    read_tar(io.BufferedReader(archives.Limited(raw, MOST_UNPACKED), archives.STEP), members, wanted, budget)
    return taken(members, wanted, budget, depth)


def taken(members, wanted, budget, depth=0):
    """Handed of these members; if they hold no file of a task, of the archives among them."""
    handed, several = members.take(wanted), {}
    if handed.files:
        return handed
    if depth == MOST_DEEP:
        handed.unused = [path for path in handed.unused if path not in members.archives]
        handed.refused += [(path, f"lies in more than {MOST_DEEP} archives, one in the other: pack it without them")
                           for path in members.archives]
        return handed
    for path, copy in sorted(members.archives.items()):
        try:
            with copy() as stream:
                inner = read_archive(stream, path, wanted, budget, depth + 1)
        except (Unreadable, *archives.TO_BE_READ) as error:
            why = archives.why(error)
            is_whole = isinstance(error, Unreadable)
            handed.refused.append((path, why.removeprefix("it ") if is_whole else f"cannot be read: {why}"))
            inner = Handed()
        handed.unused.remove(path)
        handed.unused += [f"{path}/{one}" for one in inner.unused]
        handed.refused += [(f"{path}/{one}", why) for one, why in inner.refused]
        for file, content in inner.files.items():
            several.setdefault(file, {}).setdefault(content, path)
    for file, contents in several.items():
        if len(contents) == 1:
            handed.files[file] = next(iter(contents))
        else:
            handed.refused.append((file, f"is in several archives, and not the same: {', '.join(contents.values())}"))
    handed.unused.sort()
    handed.refused.sort()
    return handed


def none_of(refused, wanted):
    """Why a submission has no file of a task: the refused member that is most similar to one."""
    names = {want.rsplit("/", 1)[-1].lower() for want in wanted}

    def rank(one):
        name = one[0].replace("\\", "/").rsplit("/", 1)[-1].lower()
        packed = layouts.is_archive_name(name) or layouts.is_other_archive_name(name)
        return 0 if name in names else 1 if packed else 2 if one[1] == LEADS_OUT else 3

    path, why = min(refused, key=rank, default=(None, None))
    return "no file of a task is in it" + (f"; {path}: refused, {why}" if path else "")


def read(path, wanted, open_repository):
    """Handed of the submission at a path. open_repository(path): a repository.Repository, which is closed here. Raises
    Unreadable."""
    members = Members()
    try:
        if path.is_dir() and is_repository(path):
            with contextlib.closing(open_repository(path)) as opened:
                read_repository(opened, members, wanted)
                return members.take(wanted)
        if path.is_dir():
            read_folder(path, members.add, members.leave_out, members.count)
            return taken(members, wanted, Budget())
        with open_plain(path.resolve()) as stream:
            return read_archive(stream, path.name, wanted, Budget())
    except archives.TO_BE_READ as error:
        raise Unreadable(f"it cannot be read: {archives.why(error)}") from None
