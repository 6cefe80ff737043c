"""Finds the owner of a path from names alone: how Moodle, Canvas and Gradescope name the submissions of a class, and
the names of submissions in grades/.
"""

import collections
import hashlib
import re
import unicodedata

ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")
# Kinds that are not read, but are still somebody's work.
OTHER_ARCHIVES = (".rar", ".7z", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz", ".tar.zst", ".zipx", ".bundle")
MOODLE = re.compile(r"(?P<who>.+?)_(?P<number>\d+)_assignsubmission_(file|onlinetext)(_(?P<rest>.*))?", re.DOTALL)
CANVAS = re.compile(r"(?P<who>[^_]+?)(_LATE)?_(?P<number>\d+)_\d+_(?P<rest>.+)", re.DOTALL)
GRADESCOPE = re.compile(r"submission_\d+")
ONLINE_TEXT = "_assignsubmission_onlinetext"
AGAIN = re.compile(r"-\d+(?=\.\w+$)")  # added by Canvas to the name of a file that was handed in again
SOURCES = ("shaders", "src")
BESIDE = re.compile(r"__MACOSX|\..*|build|data|docs?|documentation|figures|images|papers?|pictures|plots|protocol|"
                    r"reports?|results?|screenshots|text|write-?up", re.IGNORECASE)
JUNK = re.compile(r"(^|/)(__MACOSX(/|$)|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
# Hidden folders that systems and editors leave beside the submissions of a class.
SYSTEMS = re.compile(r"\.(git.*|svn|hg|trash.*|fseventsd|spotlight-.*|temporaryitems|cache|config|local|nfs.*|snapshots?|"
                     r"vscode|vs|idea|ipynb_checkpoints|part-.*)", re.IGNORECASE)
MOST_NAME = 100  # bytes of a submission's name
# Other names in the folder of grades.
RESERVED = ("grades.csv", "manual.csv", "index.html", "class.html", "similarity.csv", "similarity.html", "grading.json",
            "export")

# What the name of a file or folder of a class says: its owner, and the student's own name for it.
Named = collections.namedtuple("Named", "who rest")


def is_other_archive_name(name):
    return name.lower().endswith(OTHER_ARCHIVES)


def is_archive_name(name):
    return name.lower().endswith(ARCHIVES)


def without_ending(name):
    for ending in (*ARCHIVES, ".git"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[:-len(ending)]
    return name


def plain_name(text):
    """A name for a folder: letters, digits, '.', '_' and '-'; short enough for any file system."""
    text = unicodedata.normalize("NFC", text)
    name = "".join(c if c.isalnum() or c in "._-" else "-" for c in text).strip("-.")
    if len(name.encode()) > MOST_NAME:  # keeps two with the same beginning apart
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = name.encode()[:MOST_NAME - 9].decode(errors="ignore") + "-" + mark
    return name or "submission"


def with_student(name):
    """The match of a name that Moodle or Canvas has made from a student's; None for others."""
    return MOODLE.fullmatch(name) or MOODLE.fullmatch(without_ending(name)) or CANVAS.fullmatch(name)


def named(name):
    """Named, if Moodle, Canvas or Gradescope names a submission in this way; else None."""
    plain = without_ending(name)
    if GRADESCOPE.fullmatch(plain):
        return Named(plain, name if plain != name else "")
    found = with_student(name)
    if not found:
        return None
    rest = (found["rest"] or "").lstrip("\\/") if found.string == name else name
    return Named(plain_name(f"{found['who']}_{found['number']}"), f"file{rest}" if rest.startswith(".") else rest)


def student_of(name):
    """{id, name} of the student, as Moodle (the number of a participant) or Canvas (that of a user) have put them into
    the name of a submission; None if they have not."""
    found = with_student(name)
    return {"id": found["number"], "name": unicodedata.normalize("NFC", found["who"])} if found else None


def is_made_by_course(name):
    """Whether only Moodle or Gradescope uses such names: Canvas's names are like dates."""
    plain = without_ending(name)
    return bool(GRADESCOPE.fullmatch(plain) or MOODLE.fullmatch(name) or MOODLE.fullmatch(plain))


def name_of(name):
    """The name of a submission: Moodle's and Canvas's names without their additions to the student's."""
    found = named(name)
    return found.who if found else plain_name(without_ending(name))


def is_source(name):
    return name.lower().endswith((".comp", ".cpp", ".glsl", ".h"))


ONE, CLASS = "one submission", "a class"


def kind_of(heads):
    """The kind of a folder or archive: ONE, CLASS, the name of the one folder to look in, or None if names alone do not
    decide. heads: name -> whether it is a folder."""
    heads = {name: folder for name, folder in heads.items() if not JUNK.search(name) and not name.startswith(".")}
    folders = [name for name, folder in heads.items() if folder]
    if any(name.lower() in SOURCES for name in folders):
        return ONE
    if any(is_source(name) and not named(name) for name, folder in heads.items() if not folder):
        return ONE
    if any(is_made_by_course(name) or named(name) and (folder or is_archive_name(name) or is_source(name))
           for name, folder in heads.items()):
        return CLASS
    if any(is_archive_name(name) for name, folder in heads.items() if not folder):
        return None
    return folders[0] if len(folders) == 1 else None


def is_of_systems(name):
    """Whether a name in the folder of a class is no one's work."""
    return bool(SYSTEMS.fullmatch(name) or JUNK.search(name))


def students(heads):
    """The owners of the names of a class: key -> names, in order. A name that no course system uses belongs to a
    student if it is a folder or an archive, of a kind that is read or not."""
    found = {}
    for name in sorted(heads):
        if is_of_systems(name):
            continue
        one = named(name)
        if one:
            found.setdefault(("course", one.who), []).append(name)
        elif heads[name] or is_archive_name(name) or is_other_archive_name(name):
            found[("plain", name)] = [name]
    for key, names in found.items():  # Moodle's online text is no second submission
        files = [name for name in names if ONLINE_TEXT not in name]
        found[key] = files or names
    return found


def is_folders_alone(names):
    """Whether an archive consists only of several folders, each with shaders/ or src/ directly in it: then it is a
    packed folder of submissions. names: paths in parts."""
    names = [parts for parts in names if not is_of_systems(parts[0])]
    holding = {parts[0] for parts in names if len(parts) > 2 and parts[1].lower() in SOURCES}
    return len(holding) > 1 and not any(named(one) for one in holding) and \
        holding >= {parts[0] for parts in names if not parts[0].startswith(".")}


def is_class_alone(heads):
    """Whether an archive is that of a class: of several students, or of one that Moodle or Canvas names."""
    if kind_of(heads) != CLASS:
        return False
    known = {named(name).who for name in heads if named(name)}
    return len(known) > 1 or any(MOODLE.fullmatch(name) or CANVAS.fullmatch(name) and is_archive_name(name)
                                 for name in heads)


def unique(names):
    """The same names, with numbers added to those that would be equal, or equal to another file of the grades."""
    taken, result = {name.casefold() for name in RESERVED}, []
    for name in names:
        own, count = name, 1
        while own.casefold() in taken:
            count += 1
            own = f"{name}-{count}"
        taken.add(own.casefold())
        result.append(own)
    return result
