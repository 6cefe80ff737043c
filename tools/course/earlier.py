"""Submissions of earlier years, which are compared with this year's but never graded."""

import os
from pathlib import Path

import archives
import people
import submissions
import tables

FILES = "files"  # in a folder of grades, NAME/files has the graded files


def is_grades(folder):
    return (folder / "grades.csv").is_file() and any(folder.glob(people.RESULTS))


def graded(folder, wanted):
    """name -> file -> text, of the submissions graded into this folder."""
    return {path.parent.name: {file: (path.parent / FILES / file).read_text(encoding="utf-8", errors="replace")
                               for file in wanted if (path.parent / FILES / file).is_file()}
            for path in sorted(folder.glob(people.RESULTS))}


def require_others(folders, graded, output):
    """An earlier year may be neither what is graded, nor the folder for the grades. Raises Unreadable."""
    for folder in folders:
        place = folder.resolve()
        for what, other in (*(("what is graded", path.resolve()) for path in graded),
                            ("where its grades go", output.resolve())):
            if place == other or place in other.parents or other in place.parents:
                raise submissions.Unreadable(f"--before {folder}: this is no earlier year, {other} is {what}: name "
                                             "another folder")


def as_kept(folders, output):
    """The entry for these folders in grading.json: paths relative to the folder of grades, without the machine's."""
    return [os.path.relpath(folder.resolve(), output.resolve()) for folder in folders]


def kept(output):
    """The folders that earlier calls have named."""
    return [Path(os.path.normpath(output.resolve() / path)) for path in tables.plan_of(output).get("before", [])]


def find_kept(output, unpacked, note):
    """The result of find() for the kept folders that can still be read."""
    found = []
    for folder in kept(output):
        try:
            found += find([folder], unpacked)
        except submissions.Unreadable as error:
            note(f"--before {error}: nothing is compared with it any more: name it where it is now")
    return found


def note_others(folders, output, note):
    """Named folders replace earlier ones: one that is not named again is reported."""
    for folder in kept(output):
        if folders and folder not in [one.resolve() for one in folders]:
            note(f"--before {folder}: nothing is compared with it any more: name it, too, if it is to be")


def find(folders, unpacked):
    """[(the name of a folder, the folder, its submissions or None if it is one of grades)]. A folder `grades` is named
    after its parent. Raises Unreadable."""
    found = {}
    for folder in folders:
        path = folder.resolve()
        grades = path.is_dir() and is_grades(path)
        name = submissions.name_of(path.parent if grades and path.name == "grades" else path)
        if name in found:
            raise submissions.Unreadable(f"--before {folder}: another one is called {name}, too: rename one of the "
                                         "folders")
        found[name] = (path, None if grades else submissions.find([folder], unpacked))
    return [(name, *found[name]) for name in found]


def texts(found, wanted, open_repository, note):
    """"2025/NAME" -> file -> text. found: the result of find(). open_repository(mark, path): a Repository; all marks
    differ."""
    read = {}
    for year, folder, several in found:
        if several is None:
            read.update({f"{year}/{name}": own for name, own in graded(folder, wanted).items()})
            continue
        for place, one in enumerate(several):
            name, mark = f"{year}/{one.name}", f"before-{len(read)}-{place}"
            try:
                files = submissions.read(one.path, wanted, lambda path, mark=mark: open_repository(mark, path)).files
            except Exception as error:  # one does not stop the rest, whatever its fault
                note(f"{name} is not compared: {archives.why(error)}")
                continue
            read[name] = {file: content.decode("utf-8", "replace") for file, content in files.items()}
    return read
