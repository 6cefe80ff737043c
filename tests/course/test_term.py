#!/usr/bin/python3
"""A term from the hand-out to the gradebooks: 24 students, two graders, an appeal, and a rubric that changes."""

import contextlib
import csv
import io
import itertools
import json
import subprocess
import unittest
import zipfile

from grade_support import INTERLEAVED, PROJECT, SEQUENTIAL, Room, needs_build
from independent import filled, independent
from sixty import host_code, kernel
from test_handover import HEADINGS, moodle_row, table

KERNEL, LATER = "shaders/A2Task1Interleaved.comp", "shaders/A2Task1Sequential.comp"

# Host code of reduce/sequential by the three people of independent.py.
SEQUENTIALS = {"one": """\
        std::uint64_t left = count;
        while (left > 1) {
            const std::uint64_t sums = ceilDiv(left, shape.elements);
            if (left != count) {
                vk::MemoryBarrier wait;
                wait.srcAccessMask = vk::AccessFlagBits::eShaderWrite;
                wait.dstAccessMask = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite;
                cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader,
                                   {}, wait, {}, {});
            }
            SequentialPush values{};
            values.live = uint(left);
            values.width = uint(sums);
            cb.pushConstants<SequentialPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, values);
            const WorkGroups grid = gpu.groupsFor(sums, shape.workGroup);
            cb.dispatch(grid.x, grid.y, 1);
            left = sums;
        }
""", "two": """\
        const auto stage = vk::PipelineStageFlagBits::eComputeShader;
        const auto both = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite;
        bool first = true;
        for (auto n = count; n != 1; n = ceilDiv(n, shape.elements), first = false) {
            auto w = ceilDiv(n, shape.elements);
            SequentialPush p = {(uint)n, (uint)w};
            if (!first) cb.pipelineBarrier(stage, stage, {}, vk::MemoryBarrier(both, both), nullptr, nullptr);
            auto g = gpu.groupsFor(w, shape.workGroup);
            cb.pushConstants<SequentialPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, p);
            cb.dispatch(g.x, g.y, 1);
        }
""", "three": """\
        std::vector<SequentialPush> steps;
        for (std::uint64_t n = count, w; n > 1; n = w) {
            w = ceilDiv(n, shape.elements);
            steps.push_back({static_cast<uint>(n), static_cast<uint>(w)});
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (i > 0) {
                const vk::MemoryBarrier memory(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead |
                                               vk::AccessFlagBits::eShaderWrite);
                cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader,
                                   vk::DependencyFlags{}, {memory}, {}, {});
            }
            cb.pushConstants<SequentialPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, steps[i]);
            const WorkGroups n = gpu.groupsFor(steps[i].width, shape.workGroup);
            cb.dispatch(n.x, n.y, 1);
        }
"""}


def rubric(interleaved):
    """Sequential addressing builds on interleaved addressing: it counts only together with that."""
    return {"schema": 1, "title": "Sums", "most_extra": 0, "criteria": [
        {"id": "interleaved", "title": "Interleaved", "task": "reduce/interleaved", "points": interleaved,
         "evidence": [{"kind": "check"}]},
        {"id": "sequential", "title": "Sequential", "task": "reduce/sequential", "points": 2,
         **({"needs": ["interleaved"]} if interleaved > 2 else {}), "evidence": [{"kind": "check"}]}],
        "manual": [{"id": "oral", "title": "Oral", "points": 2}, {"id": "style", "title": "Style"}]}


def with_another(files, path, old, new=""):
    assert files[path].count(old) == 1, (path, old)
    return {**files, path: files[path].replace(old, new)}


# Each student's submission, and its points: interleaved and sequential by a2, then the talk (None: there was none),
# then all with the first rubric, then all with the second, in which interleaved is worth 3 and sequential needs it.
# Added up by hand. Students who copied from each other, or worked together, share a letter.
CLASS = [
    # name             what              a2     talk   first second  with
    ("Abel Anna",      "one",            2, 2,  2,     6,    7,      "A"),
    ("Bauer Ben",      "two",            2, 2,  1.5,   5.5,  6.5,    "B"),
    ("Cruz Bea",       "two",            2, 2,  1,     5,    6,      "B"),
    ("Dorn Cora",      "three",          2, 2,  0,     4,    5,      "C"),
    ("Ebert Dirk",     "three",          2, 2,  0.5,   4.5,  5.5,    "C"),
    ("Falk Dora",      "renamed",        2, 2,  2,     6,    7,      "A"),
    ("Graf Eva",       "handout",        0, 0,  None,  0,    0,      None),
    ("Hahn Finn",      "first alone",    2, 0,  1,     3,    4,      "A"),
    ("Ihle Gil",       "second alone",   0, 2,  1,     3,    1,      "B"),
    ("Jung Hana",      "no barrier",     0, 2,  1,     3,    1,      "A"),
    ("Kern Ida",       "one unread",     0, 2,  0,     2,    0,      "B"),
    ("Lang Jan",       "no semicolon",   0, 2,  0,     2,    0,      "A"),
    ("Mohr Kim",       "no kernel",      0, 2,  1.5,   3.5,  1.5,    "A"),
    ("Nolte Lea",      "both wrong",     0, 0,  0.5,   0.5,  0.5,    "C"),
    ("Otto Max",       "a file less",    2, 0,  1,     3,    4,      "A"),
    ("Paul Nina",      "no archive",     0, 0,  1,     1,    1,      None),
    ("Quast Olaf",     "endless",        0, 2,  0,     2,    0,      "C"),
    ("Rau Pia",        "folders round",  2, 2,  1,     5,    6,      "B"),
    ("Sack Quin",      "files",          2, 2,  2,     6,    7,      "A"),
    ("Müller Zoë",     "one",            2, 2,  1.5,   5.5,  6.5,    "A"),
    ("Uhl Sven",       "throws",         0, 2,  1,     3,    1,      "B"),
    ("Voss Tina",      "one too few",    0, 2,  2,     4,    2,      "A"),
    ("Wolf Udo",       "appeal",         2, 2,  1,     5,    6,      "C"),
    ("Xu Vera",        "override",       0, 2,  1,     4.5,  2.5,    "B"),
]


def zipped(files, folder=""):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(folder + name, text)
    return stream.getvalue()


WAIT = """\
                cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader,
                                   {}, wait, {}, {});
"""


def makings(handout):
    """The submission, by the words of CLASS: {path: text or bytes}."""
    one, two, three = ({**{file: files[file] for file in (KERNEL, LATER, INTERLEAVED)},
                        SEQUENTIAL: filled(SEQUENTIAL, [SEQUENTIALS[name]])} for name, files in independent().items())
    part = {file: handout[file] for file in one}
    return {
        "one": one, "two": two, "three": three, "handout": handout,
        "renamed": {file: (kernel if file.endswith(".comp") else host_code)(text, 7) for file, text in one.items()},
        "first alone": {**one, LATER: part[LATER], SEQUENTIAL: part[SEQUENTIAL]},
        "second alone": {**two, KERNEL: part[KERNEL], INTERLEAVED: part[INTERLEAVED]},
        "no barrier": with_another(one, INTERLEAVED, WAIT),
        "one unread": with_another(two, KERNEL, "push.count);", "push.count - 1);"),
        "no semicolon": with_another(one, INTERLEAVED, "step = 1;", "step = 1"),
        "no kernel": {**one, KERNEL: "No kernel yet.\n"},
        "both wrong": with_another(with_another(three, KERNEL, "e = 1", "e = 0"), LATER, "+=", "-="),
        "a file less": {file: text for file, text in one.items() if file != LATER},
        "endless": with_another(three, KERNEL, "e++", ""),
        "throws": with_another(two, INTERLEAVED, "bool first = true;", "bool first = count < std::vector<int>().at(1);"),
        "one too few": with_another(one, KERNEL, "push.invocations", "push.invocations - 1"),
        "appeal": three,
        "override": with_another(two, KERNEL, "data[left] = total", "data[left] == total"),
    }


def handed_in(what, made):
    """The files of a student's folder in the course's archive."""
    if what == "no archive":
        return {"abgabe.zip": b"PK\3\4 and nothing more"}
    if what == "files":
        return {file.rpartition("/")[2]: text for file, text in made["one"].items()}
    folder = "a2-final/a2/" if what == "folders round" else ""
    return {"abgabe.zip": zipped(made["two" if what == "folders round" else what], folder)}


def named(name):
    return name.replace(" ", "-")


def logins():
    """name -> (number, surname, first name, login)."""
    return {name: (number, *name.split(), f"s{number}") for number, (name, *_) in enumerate(CLASS, 101)}


def identity(name):
    return f"{named(name)}_{logins()[name][0]}"


def by_hand(column):
    return {identity(one[0]): one[column] for one in CLASS}


FIRST, SECOND = 5, 6  # columns of CLASS


@needs_build
class Term(Room):
    maxDiff = None

    def run_grade(self, *words, status=0, used=None):
        """Its stdout; its stderr is in self.said."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.grade(*words, rubric=used, status=status)
        return printed.getvalue()

    def totals(self):
        with open(self.folder / "grades/grades.csv", encoding="utf-8-sig", newline="") as file:
            return {row["name"]: float(row["points"]) for row in csv.DictReader(file)}

    def read(self, name):
        return (self.folder / "grades" / name).read_text(encoding="utf-8")

    def hand_in(self, made):
        """The archive that Moodle makes of a class."""
        entries = {f"{name}_{logins()[name][0]}_assignsubmission_file_/{file}": content
                   for name, what, *_ in CLASS for file, content in handed_in(what, made).items()}
        (self.folder / "class.zip").write_bytes(zipped(entries))

    def graders(self, second_says):
        """The entries of two people, each for half of the class, and both for Cruz Bea."""
        rows = [[identity(name), "oral", str(talk), ""] for name, _, _, _, talk, *_ in CLASS if talk is not None]
        ada, bob = rows[:12], [[identity("Cruz Bea"), "oral", second_says, ""], *rows[12:]]
        bob.append([identity("Xu Vera"), "interleaved", "1.5", "one character, the idea is right"])
        head = ["name", "criterion", "points", "comment"]
        self.write("", {"ada.csv": table([head, *ada]),
                        "bob.csv": table([head, *([one[0], one[1], one[2].replace(".", ","), one[3]] for one in bob)], ";")})
        return self.folder / "ada.csv", self.folder / "bob.csv"

    def test_from_the_handout_to_the_gradebooks(self):
        subprocess.run([PROJECT / "tools/handout", "--folder", "--tasks", "reduce/interleaved", "--tasks",
                        "reduce/sequential", "--no-proof", self.folder / "handout"], check=True, capture_output=True)
        handout = {file: (self.folder / "handout" / file).read_text(encoding="utf-8")
                   for file in (KERNEL, INTERLEAVED, LATER, SEQUENTIAL)}
        made = makings(handout)
        for file, text in handout.items():
            self.assertNotEqual(text, (PROJECT / file).read_text(encoding="utf-8"), "a solution was handed out")
        self.write("2025/otto", made["three"])
        self.write("2025/emma", handout)
        self.hand_in({**made, "appeal": with_another(made["three"], KERNEL, "push.count)", "push.counts)")})

        # Graded, and compared with last year's.
        self.run_grade(self.folder / "class.zip", "--before", self.folder / "2025", used=rubric(2), status=1)
        got = {path.parent.name: json.loads(path.read_text(encoding="utf-8"))
               for path in (self.folder / "grades").glob("*/result.json")}
        found = {name: tuple(self.points(one).values()) for name, one in got.items()}
        wanted = {identity(name): (a, b) for name, _, a, b, *_ in CLASS}
        wanted[identity("Wolf Udo")] = (0, 2)
        self.assertEqual(found, wanted)
        with open(self.folder / "grades/similarity.csv", encoding="utf-8", newline="") as file:
            pairs = {(row["first"], row["second"]) for row in csv.DictReader(file)}
        by_group = {}
        for name, *_, group in CLASS:
            if group:
                by_group.setdefault(group, []).append(identity(name))
        by_group["C"].append("2025/otto")
        self.assertEqual(pairs - {pair for who in by_group.values() for pair in itertools.permutations(who, 2)}, set(),
                         "honest ones are no pairs")
        for pair in (("Abel-Anna_101", "Falk-Dora_106"), ("Bauer-Ben_102", "Cruz-Bea_103"),
                     ("Dorn-Cora_104", "2025/otto"), ("Ebert-Dirk_105", "2025/otto")):
            self.assertIn(pair, pairs)

        # Two graders: they disagree about one cell, and nothing changes until they agree.
        before = self.read("manual.csv"), self.read("grades.csv")
        self.run_grade("--merge", *self.graders("2"), status=2)
        self.assertIn(f"{identity('Cruz Bea')}", self.said)
        self.assertEqual(before, (self.read("manual.csv"), self.read("grades.csv")))
        self.run_grade("--merge", *self.graders("1"))

        # One student appeals: the wrong file was handed in.
        self.hand_in(made)
        said = self.run_grade(self.folder / "class.zip", "--only", identity("Wolf Udo"), "--again", "--no-similarity",
                              used=rubric(2))
        self.assertEqual(said, f"{identity('Wolf Udo')}: 3 -> 5 of 6\n")
        self.assertEqual(self.totals(), by_hand(FIRST))

        # Another rubric, without a device.
        said = self.run_grade("--rescore", used=rubric(3))
        self.assertEqual(self.totals(), by_hand(SECOND))
        self.assertEqual(sorted(said.splitlines()[:-1]), sorted(
            f"{name}: {old:g} -> {by_hand(SECOND)[name]:g} of 7 (before: of 6)" for name, old in by_hand(FIRST).items()))
        self.export_to_all()

    def export_to_all(self):
        """The table of each of four systems, with one more student, whose cell is unchanged."""
        class_ = [*logins().values(), (999, "Zapf", "Otto", "s999")]
        rosters = {
            "moodle": (4, 1, [HEADINGS, *(moodle_row(number, f"{first} {last}", most="7.00")
                                          for number, last, first, _ in class_)]),
            "canvas": (5, 2, [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Sums (78)"],
                              ["    Points Possible", "", "", "", "", "7"],
                              *([f"{last}, {first}", str(number), "", login, "1", ""]
                                for number, last, first, login in class_)]),
            "blackboard": (4, 1, [["Last Name", "First Name", "Username", "Student ID", "Sums [Total Pts: 7 Score] |1"],
                                  *([last, first, login, str(number), ""] for number, last, first, login in class_)]),
            "ilias": (6, 1, [["update", "usr_id", "login", "lastname", "firstname", "status", "mark", "notice",
                              "comment", "plagiarism", "plag_comment"],
                             *(["0", str(number), login, last, first, "notgraded", "", "", "", "", ""]
                               for number, last, first, login in class_)])}
        points = [f"{one[SECOND]:g}" for one in CLASS]
        for system, (column, heads, rows) in rosters.items():
            path = self.folder / f"{system}.csv"
            path.write_text(table(rows), encoding="utf-8")
            self.run_grade("--export", system, "--roster", path)
            with open(self.folder / f"grades/export/{system}.csv", encoding="utf-8", newline="") as file:
                filled_in = [row[column] for row in csv.reader(file)]
            self.assertEqual(filled_in[heads:], [*points, ""], system)
            with zipfile.ZipFile(self.folder / "grades/export/feedback.zip") as archive:
                self.assertEqual(len(archive.namelist()), 2 * len(CLASS), system)


if __name__ == "__main__":
    unittest.main()
