"""Submissions of earlier years, which are compared with this year's and never graded."""

import people
import submissions

FILES = "files"  # in a folder of grades, NAME/files has what was graded


def is_grades(folder):
    return (folder / "grades.csv").is_file() and any(folder.glob(people.RESULTS))


def graded(folder, wanted):
    """name -> file -> text, of what has been graded into this folder."""
    return {path.parent.name: {file: (path.parent / FILES / file).read_text(encoding="utf-8", errors="replace")
                               for file in wanted if (path.parent / FILES / file).is_file()}
            for path in sorted(folder.glob(people.RESULTS))}


def find(folders, unpacked):
    """[(what a folder is called, the folder, its submissions or None where it is one of grades)]. A folder `grades` is
    called as the one that it lies in. Raises Unreadable."""
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
    """"2025/NAME" -> file -> text. found: what find() gives. open_repository(mark, path): a Repository; no two have the
    same mark."""
    read = {}
    for year, folder, several in found:
        if several is None:
            read.update({f"{year}/{name}": own for name, own in graded(folder, wanted).items()})
            continue
        for place, one in enumerate(several):
            name, mark = f"{year}/{one.name}", f"before-{len(read)}-{place}"
            try:
                files = submissions.read(one.path, wanted, lambda path, mark=mark: open_repository(mark, path)).files
            except submissions.Unreadable as error:
                note(f"{name} is not compared: {error}")
                continue
            read[name] = {file: content.decode("utf-8", "replace") for file, content in files.items()}
    return read
