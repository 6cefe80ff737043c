"""The tree at HEAD of a git repository that others have made, read as objects.

Three things in the repository are read, only as plain files that are no links: HEAD, the reference that it names, and
the objects. They are copied into an empty repository of this program's, in which git then runs jailed: the
configuration, attributes, filters, hooks, replacements, alternates and remotes of the original do not exist there.
"""

import os
import re
import shutil
import stat
import tempfile

import jail
from submissions import MOST_ARCHIVE, MOST_FILE, MOST_KEPT, MOST_MEMBERS, Unreadable

SECONDS = 30
MEMORY = 2 << 30  # bytes
MOST_OBJECTS = 100_000  # files
MOST_NAMES = 16 << 20  # bytes of packed-refs, and of what git lists
OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
REFERENCE = re.compile(r"refs/[^\x00-\x20~^:?*\[\\\x7f]+")
LOOSE, PACK = re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}"), re.compile(r"pack-[0-9a-f]+\.(pack|idx)")
QUIET = ["GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
         "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_ATTR_NOSYSTEM=1"]


class Folder:
    """A folder that is no link; its files and folders are no links either."""

    def __init__(self, path, within=None):
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        self.handle = os.open(path, flags, dir_fd=None if within is None else within.handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.handle)

    def names(self):
        return sorted(os.listdir(self.handle))

    def open(self, name):
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self.handle)
        file = os.fdopen(handle, "rb")
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            file.close()
            raise OSError(f"{name} is no file")
        return file

    def text(self, path, most):
        """For a file in this folder or in one of its folders."""
        first, _, rest = path.partition("/")
        if rest:
            with Folder(first, self) as inner:
                return inner.text(rest, most)
        with self.open(first) as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise OSError(f"{first} is longer than {most} bytes")
        return content.decode("utf-8", "surrogateescape")


def commit_of(git):
    """The object that HEAD names. git: its Folder."""
    name = "HEAD"
    for _ in range(6):
        try:
            text = git.text(name, 4096).strip()
        except FileNotFoundError:
            text = packed(git, name)
        if OBJECT.fullmatch(text):
            return text
        name = text.removeprefix("ref:").strip()
        if not text.startswith("ref:") or not REFERENCE.fullmatch(name) or "//" in name or \
                any(part.startswith(".") for part in name.split("/")):
            raise Unreadable("HEAD of its git repository names no commit")
    raise Unreadable("HEAD of its git repository leads round in a circle")


def packed(git, name):
    try:
        text = git.text("packed-refs", MOST_NAMES)
    except FileNotFoundError:
        text = ""
    found = re.search(rf"^({OBJECT.pattern}) {re.escape(name)}\r?$", text, re.MULTILINE)
    if not found:
        raise Unreadable("HEAD of its git repository names no commit: is anything committed?")
    return found[1]


def copy_objects(git, target):
    """Loose ones and packs, limited to the bytes that an archive may have."""
    left, count = MOST_ARCHIVE, 0

    def copy(folder, name, to):
        nonlocal left, count
        to.parent.mkdir(exist_ok=True)
        count += 1
        if count > MOST_OBJECTS:
            raise Unreadable(f"its git repository has more than {MOST_OBJECTS} files of objects: run git gc")
        with folder.open(name) as file, open(to, "xb") as out:
            while data := file.read(min(left + 1, 1 << 20)):
                left -= len(data)
                if left < 0:
                    raise Unreadable(f"the objects of its git repository are longer than {MOST_ARCHIVE >> 20} MiB")
                out.write(data)

    with Folder("objects", git) as objects:
        for name in objects.names():
            names = LOOSE if re.fullmatch("[0-9a-f]{2}", name) else PACK if name == "pack" else None
            if not names:
                continue
            with Folder(name, objects) as folder:
                for file in folder.names():
                    if names.fullmatch(file):
                        copy(folder, file, target / name / file)
        try:
            borrows = bool(objects.text("info/alternates", 4096).strip())
        except FileNotFoundError:
            borrows = False
    if borrows:
        raise Unreadable("its git repository borrows objects from another one (alternates), which is not read: "
                         "git repack -a -d, and remove objects/info/alternates")


class Repository:
    """An open one. folder: the place for its copy; own: the Jail in which git runs."""

    def __init__(self, path, folder, own):
        self.folder, self.jail = folder, own
        folder.mkdir(mode=0o700)
        inside = path / ".git"
        try:
            if os.path.lexists(inside) and not stat.S_ISDIR(os.lstat(inside).st_mode):
                raise Unreadable(".git is no folder: hand in the repository itself, not a work tree or a submodule of it")
            with Folder(inside if os.path.lexists(inside) else path) as git:
                self.commit = commit_of(git)
                (folder / "objects").mkdir()
                copy_objects(git, folder / "objects")
        except OSError as error:
            raise Unreadable(f"its git repository cannot be read: {error.strerror or error}") from None
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        sha256 = len(self.commit) == 64
        (folder / "config").write_text(f"[core]\n\trepositoryformatversion = {int(sha256)}\n\tbare = true\n" +
                                       "[extensions]\n\tobjectformat = sha256\n" * sha256, encoding="ascii")
        own.own(folder, *folder.rglob("*"))

    def close(self):
        self.jail.clean_up()
        shutil.rmtree(self.folder, ignore_errors=True)

    def git(self, words, most, stdin=b""):
        inside = self.jail.words([self.folder], [], MEMORY, SECONDS)
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            ended = jail.run([*inside, "env", *QUIET, f"GIT_DIR={self.folder}", "git", *words], SECONDS, stdin=file,
                             binary=True, most=most + 1)
        if ended.timed_out or ended.status != 0 or len(ended.output) > most:
            raise Unreadable("the tree at HEAD of its git repository cannot be read: is it whole, and of no more than "
                             f"{MOST_MEMBERS} files?")
        return ended.output

    def entries(self):
        """(mode, kind, object, path) of everything in the tree."""
        names, at = self.git(["ls-tree", "-r", "-z", "--full-tree", self.commit], MOST_NAMES), 0
        while at < len(names):  # one at a time: the caller may stop
            end = names.index(b"\0", at)
            head, _, path = names[at:end].partition(b"\t")
            yield *head.decode("ascii").split(" "), path.decode("utf-8", "surrogateescape")
            at = end + 1

    def contents(self, objects):
        """(object -> bytes, objects that are longer than a file may be); missing ones are left out. Raises Unreadable if
        all of them together are too long."""
        sizes, found = {}, {}
        asked = "".join(f"{one}\n" for one in objects).encode("ascii")
        for line in self.git(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], MOST_NAMES,
                             asked).decode("ascii", "replace").splitlines():
            words = line.split(" ")
            if len(words) == 3 and words[1] == "blob" and words[2].isdigit():
                sizes[words[0]] = int(words[2])
        short = {one: size for one, size in sizes.items() if size <= MOST_FILE}
        if sum(short.values()) > MOST_KEPT:
            raise Unreadable(f"its git repository has more than {MOST_KEPT >> 20} MiB of what may be files of tasks")
        asked = "".join(f"{one}\n" for one in short).encode("ascii")
        data, at = self.git(["cat-file", "--batch"], sum(short.values()) + 200 * len(short), asked), 0
        for one, size in short.items():
            end = data.find(b"\n", at)
            if end < 0 or data[at:end] != f"{one} blob {size}".encode("ascii"):
                raise Unreadable("an object of its git repository is not what it was said to be")
            found[one] = data[end + 1:end + 1 + size]
            at = end + 1 + size + 1
        return found, set(sizes) - set(short)
