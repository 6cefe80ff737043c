"""Exports the points and the feedback of a class for its course's system: grades/export/."""

import collections
import io
import re
import shlex
import unicodedata
import zipfile

import feedbackpage
import people
import tables
from grader import say
from layouts import plain_name
from outputs import picture_of, points_lines
from printing import one_line, printable
from roster import Roster, require

EXPORT = "export"  # the folder inside that of grades
MOODLE_NUMBER = re.compile(r"(?P<name>.+)_(?P<id>\d+)", re.DOTALL)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})

# A submission that belongs to a student.
Handed = collections.namedtuple("Handed", "result student")


def words(text):
    """A name without case, accents in any form, and everything that is no letter or digit."""
    text = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if unicodedata.category(c) != "Mn")
    return "".join(c if c.isalnum() else " " for c in text).split()


def ways(text):
    """The words of a name, and those with umlauts written with e."""
    text = unicodedata.normalize("NFC", text)
    return [words(text), words(text.translate(UMLAUTS))]


def keys_of(names):
    """The keys of a name, for any order of its parts. names: [last, first], or the whole."""
    keys = set()
    for way in zip(*map(ways, names)):
        parts = [word for part in way for word in part]
        keys.add(" ".join(sorted(parts)))
        # Canvas writes all parts as one word.
        keys.update("".join(parts[i:] + parts[:i]) for i in range(len(parts)))
    return keys - {""}


def named_by(result):
    """(number or None, name) of the student, as far as the submission's name gives them."""
    student = result.get("student")
    if student:
        return student["id"], student["name"]
    found = MOODLE_NUMBER.fullmatch(result["name"])
    return (found["id"], found["name"]) if found else (None, result["name"])


class Matcher:
    def __init__(self, roster):
        self.roster = roster
        self.by_number, self.by_id, self.by_name = {}, {}, {}
        for student in roster.students:
            self.by_number[student.ids[0]] = student
            for one in filter(None, student.ids):
                self.by_id.setdefault(plain_name(one).casefold(), set()).add(student)
            for key in keys_of(student.names) if student.names else []:
                self.by_name.setdefault(key, set()).add(student)

    def are_alike(self, student, name):
        """Whether a name may be the student's: if it has a word of the student's name, or either has no words."""
        own, others = "".join(words(name)), [word for name in student.names for way in ways(name) for word in way]
        return not own or not others or any(word in own for word in others if len(word) > 1) or \
            any(word in "".join(others) for word in words(name) if len(word) > 1)

    def find(self, result):
        """(the student or None, why there is none, whether more than a name matched)."""
        number, name = named_by(result)
        parts = {plain_name(one).casefold() for one in [result["name"], *result["name"].split("_")]}
        # The system's number must not be confused with another student's id of the same value.
        ids = set().union(*(self.by_id.get(one, ()) for one in parts - {number}))
        ids |= {self.by_number[number]} if number in self.by_number else set()
        names = set().union(*(self.by_name.get(key, ()) for key in keys_of([name])))
        found = ids & names or ids | names
        if len(found) > 1:
            rows = " or ".join(str(one.row) for one in sorted(found))
            return None, f"could be row {rows} of {self.roster.path}", False
        if not found:
            return None, f"is not in {self.roster.path}", False
        student = found.pop()
        if number and not names and not self.are_alike(student, name):
            return None, (f"has the number of row {student.row} of {self.roster.path}, where it is "
                          f"{' '.join(reversed(student.names))}'s"), False
        return student, None, student in ids


def matched(results, roster):
    """([Handed], at most one for each student; a line for each submission that is left out)."""
    matcher, found, left_out = Matcher(roster), {}, []
    for result in results:
        student, why, is_certain = matcher.find(result)
        if student:
            found.setdefault(student.row, {True: [], False: []})[is_certain].append(Handed(result, student))
        else:
            left_out.append(f"{result['name']} {why}")
    for row, of in list(found.items()):
        several = of[True] or of[False]
        found[row] = several
        if of[True]:  # a number or a login belongs to one student, but a name may belong to two
            left_out += [f"{one.result['name']} has the name of row {row} of {roster.path}, whose number or login "
                         f"{several[0].result['name']} has" for one in of[False]]
        if len(several) > 1:
            left_out.append(f"{' and '.join(one.result['name'] for one in several)} are all row {row} of {roster.path}")
            del found[row]
    return [one for (one,) in found.values()], left_out


def points_of(final, with_extra):
    return final.points + (final.extra if with_extra else 0)


def is_from_people(final):
    """Whether people have given any of its points."""
    return any(one["by_hand"] for one in final.criteria) or any(one["points"] is not None for one in final.manual)


def points_by_row(handed, roster, given, with_extra):
    """row -> points, of all graded submissions, by a2 or by hand."""
    points = {}
    for one in handed:
        final = given.final(one.result)
        if one.result["problem"] and not is_from_people(final):
            say(f"warning: {one.result['name']} could not be graded: its cell stays as it is")
            continue
        points[one.student.row] = points_of(final, with_extra)
    over = [row for row, value in points.items() if roster.most is not None and value > roster.most]
    if over:
        say(f"warning: {len(over)} of {roster.path} have more than the {roster.most:g} points that it allows, "
            f"row {min(over)} first: the system may pass over them")
    of = given.final(handed[0].result).of
    if roster.most is not None and roster.most != of:
        say(f"warning: {roster.path} has {roster.most:g} for the most points, the rubric {of:g}: set it in the system "
            "first")
    return points


def in_ascii(text):
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9-]+", "-", text).strip("-")


def folder_of(one, roster):
    """The folder in an archive where the system looks for a student's feedback; else the submission's name."""
    if roster.kind == "moodle":  # mod/assign/feedback/file/importziplib.php: the number between the first underscores
        name = " ".join(one.student.names) or named_by(one.result)[1]
        name = " ".join("".join(c if c.isalnum() or c in "'.-" or unicodedata.category(c)[0] == "M" else " "
                                for c in name).split()) or "Participant"
        return f"{name}_{one.student.ids[0]}_assignsubmission_file_"
    if roster.kind == "ilias":  # ilExAssignment: the number after the last underscore
        parts = [in_ascii(name) for name in one.student.names]
        return "multi_feedback_a2/" + "_".join([*filter(None, parts), *map(in_ascii, reversed(one.student.ids))])
    return one.result["name"]


def archive_of(handed, roster, folder):
    """A .zip of everyone's feedback, with the same bytes each time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in handed:
            own = folder / one.result["name"]
            text = feedback_of(own)
            for name, content in (("feedback.html", feedbackpage.page(text, picture_of(own))), ("feedback.md", text)):
                info = zipfile.ZipInfo(f"{folder_of(one, roster)}/{name}")  # from 1980, the earliest possible time
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(info, content)
    return stream.getvalue()


def feedback_of(folder):
    return (folder / "feedback.md").read_text(encoding="utf-8", errors="replace")


def require_merged(folder, results, given):
    """The table agrees with manual.csv now, and so must the feedback, including what people have added to it."""
    for result in results:
        lines = feedback_of(folder / result["name"]).split("\n")
        if not set(printable("\n".join(points_lines(result, given.final(result)))).split("\n")).issubset(lines):
            raise people.PeopleError(f"{folder / people.FILE} has changed since the feedback was made: tools/grade "
                                     f"--merge -o {shlex.quote(str(folder))} first")


def export(folder, system, path, column=None, with_extra=False):
    """Writes export/SYSTEM.csv and export/feedback.zip. Raises RosterError, PeopleError, PlanError."""
    plan, by_name = tables.plan_of(folder), people.results_of(folder)
    results, roster, target = list(by_name.values()), Roster(path, system, column), folder / EXPORT
    require(results, folder, "holds no graded submission")
    other = tables.not_alike(folder, by_name, plan)
    if other:  # points by one rubric would be exported beside points by another
        raise people.PeopleError(other)
    require(not (target / "result.json").exists(), target, "is a submission's folder, and what is handed over needs "
                                                           "it: rename it")
    given = people.read(folder)
    require_merged(folder, results, given)
    handed, left_out = matched(results, roster)
    for line in left_out:
        say(f"warning: {one_line(line)}: left out")
    require(handed, path, f"none of the {len(results)} submissions in {folder} is in it")
    points = points_by_row(handed, roster, given, with_extra)
    table, archive = roster.filled(points), archive_of(handed, roster, folder)
    tables.replace_all({target / f"{system}.csv": table, target / "feedback.zip": archive})
    left = len(roster.students) - len(handed)
    if left:
        say(f"note: {left} of {len(roster.students)} students in {path} have no submission here: their cells stay as "
            "they are")
    say(f"{len(points)} of {len(results)} submissions are in {target}/{system}.csv, in the column "
        f"'{one_line(roster.rows[0][roster.points], 60)}'; feedback of {len(handed)}: {target}/feedback.zip")
