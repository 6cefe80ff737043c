#!/usr/bin/python3
"""What tools/grade takes, how it jails, what it counts and what it writes; whole gradings of two tasks."""

import contextlib
import csv
import errno
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
import zipfile

from grade_support import BUILD, INTERLEAVED, PROJECT, SEQUENTIAL, SMALL_RUBRIC, Room, needs_build, solutions, with_deed

import build
import columns
import grader
import grading
import house
import jail
import judging
import leftovers
import limits
import outputs
import repository
import rubric
import similarity
import submissions

WANTED = ["shaders/A2Task1Interleaved.comp", INTERLEAVED, "shaders/A2Task1Sequential.comp", SEQUENTIAL]
FILES = {name: f"text of {name}" for name in WANTED}
TASKS = []
if (BUILD / "a2").is_file():
    TASKS = json.loads(subprocess.check_output([BUILD / "a2", "list", "--json", "-"]))["tasks"]


def git_in(path, *words, **more):
    subprocess.run(["git", "-C", str(path), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false",
                    *words], check=True, capture_output=True, **more)


def refuse_repository(path):
    raise AssertionError(f"{path} is no repository")


class Submissions(Room):
    def read(self, path):
        return submissions.read(path, WANTED, refuse_repository)

    def assert_whole(self, handed):
        self.assertEqual({name: content.decode() for name, content in handed.files.items()}, FILES)

    def zipped(self, name, members):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        return path

    def tarred(self, name, infos):
        path = self.folder / name
        with tarfile.open(path, "w:gz") as archive:
            for info, content in infos:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return path

    def test_every_kind_is_taken(self):
        self.assert_whole(self.read(self.write("plain", FILES)))
        self.assert_whole(self.read(self.write("deeper", {f"a2/{name}": text for name, text in FILES.items()})))
        self.assert_whole(self.read(self.zipped("one.zip", FILES)))
        self.assert_whole(self.read(self.zipped("two.zip", {f"A2-main/{name}": text for name, text in FILES.items()})))
        windows = {name.replace("/", "\\").upper().replace(".COMP", ".comp"): text for name, text in FILES.items()}
        self.assert_whole(self.read(self.zipped("windows.zip", windows)))
        self.assert_whole(self.read(self.tarred("one.tar.gz", [(tarfile.TarInfo(f"./x/{name}"), text.encode())
                                                               for name, text in FILES.items()])))
        moodle = self.folder / "Ada Lovelace_12345_assignsubmission_file_"
        moodle.mkdir()
        os.rename(self.folder / "one.zip", moodle / "one.zip")
        self.assert_whole(self.read(moodle))

    def test_files_without_folders_marks_and_what_systems_leave(self):
        flat = {name.rsplit("/", 1)[-1]: text for name, text in FILES.items()}
        self.assert_whole(self.read(self.zipped("flat.zip", flat)))
        self.assert_whole(self.read(self.write("flat", flat)))
        self.assert_whole(self.read(self.tarred("flat.tar.gz", [(tarfile.TarInfo(name), text.encode())
                                                                for name, text in flat.items()])))
        marked = {name: "\ufeff" + text for name, text in FILES.items()}
        self.assert_whole(self.read(self.zipped("marked.zip", marked)))
        junk = {f"__MACOSX/{WANTED[0]}": "x", ".DS_Store": "x", f"a/shaders/._{WANTED[0][8:]}": "x", "Thumbs.db": "x"}
        handed = self.read(self.zipped("mac.zip", {**{f"a/{name}": text for name, text in FILES.items()}, **junk}))
        self.assert_whole(handed)
        self.assertEqual((handed.unused, handed.refused), ([], []))
        twice = submissions.read(self.zipped("same.zip", {"Same.cpp": "x"}), ["src/A/Same.cpp", "src/B/Same.cpp"],
                                 refuse_repository)
        self.assertEqual(twice.files, {})
        self.assertIn("could be any of src/A/Same.cpp, src/B/Same.cpp", twice.refused[0][1])

    def test_one_student_is_not_two(self):
        self.write("student/report", {"report.pdf": "x"})
        self.write("student/hw", FILES)
        self.assertEqual([one.name for one in submissions.find([self.folder / "student"], None)], ["student"])
        self.assert_whole(self.read(self.folder / "student"))
        self.write("class/ada", FILES)
        self.write("class/emmy", {"readme.txt": "x"})
        self.assertEqual([one.name for one in submissions.find([self.folder / "class"], None)], ["ada", "emmy"])
        for name in ("Ada_1_assignsubmission_file", "Ada_1_assignsubmission_onlinetext",
                     "Emmy_2_assignsubmission_onlinetext"):
            self.write(f"moodle/{name}", FILES)
        self.assertEqual([one.path.name for one in submissions.find([self.folder / "moodle"], None)],
                         ["Ada_1_assignsubmission_file", "Emmy_2_assignsubmission_onlinetext"])

    def test_the_rest_is_listed(self):
        handed = self.read(self.write("more", {**FILES, "CMakeLists.txt": "", "src/judge/Trial.cpp": "",
                                              "shaders/Copy.comp": "", "notes.txt": ""}))
        self.assert_whole(handed)
        self.assertEqual(handed.unused, ["CMakeLists.txt", "notes.txt", "shaders/Copy.comp", "src/judge/Trial.cpp"])

    def test_the_right_case_counts_before_others(self):
        for order in (1, -1):
            files = [(WANTED[0], "right"), (WANTED[0].upper(), "wrong"), (WANTED[0].lower(), "wrong")][::order]
            self.assertEqual(self.read(self.zipped("case.zip", dict(files))).files, {WANTED[0]: b"right"})

    def test_of_two_copies_one_is_taken(self):
        twice = {f"old/{name}": "old" for name in WANTED[:2]}
        twice.update({f"new/{name}": text for name, text in FILES.items()})
        handed = self.read(self.zipped("twice.zip", twice))
        self.assert_whole(handed)
        self.assertEqual(len(handed.unused), 2)

    def test_names_of_courses(self):
        for given, name in (("Ada Lovelace_12345_assignsubmission_file_", "Ada-Lovelace_12345"),
                            ("lovelaceada_4711_815_a2-3.zip", "lovelaceada_4711"),
                            ("lovelaceada_LATE_4711_815_a2.tar.gz", "lovelaceada_4711"),
                            ("submission_123", "submission_123"), ("../..", "submission"), ("-rf", "rf"),
                            ("a b;c.zip", "a-b-c"), ("Zoë.zip", "Zoë")):
            self.assertEqual(submissions.name_of(pathlib.Path(given)), name)

    def test_a_folder_of_submissions(self):
        for name in ("submission_1", "submission_2"):
            self.write(f"all/{name}", FILES)
        os.rename(self.zipped("x.zip", FILES), self.folder / "all" / "Submission_1.zip")
        (self.folder / "all" / "link").symlink_to("/etc")
        (self.folder / "all" / "readme.txt").write_text("")
        self.assertEqual([one.name for one in submissions.find([self.folder / "all"], None)],
                         ["Submission_1", "submission_1-2", "submission_2"])
        with self.assertRaises(submissions.Unreadable):
            submissions.find([self.folder / "none"], None)
        with self.assertRaises(submissions.Unreadable):
            submissions.find([self.folder / "all" / "readme.txt"], None)

    def test_the_archive_of_a_class_as_courses_hand_it_out(self):
        inner = self.zipped("inner.zip", FILES).read_bytes()
        folders = {f"{who}/a2/{name}": text for who in ("submission_17", "submission_18")
                   for name, text in FILES.items()}
        kinds = {
            "moodle": {"Ada Lovelace_12_assignsubmission_file/a2.zip": inner,
                       "Ren\u00e9e Noether_13_assignsubmission_file/a2.tar.gz": self.tarred("t", [
                           (tarfile.TarInfo(name), text.encode()) for name, text in FILES.items()]).read_bytes()},
            "moodle-flat": {"Ada Lovelace_12_assignsubmission_file_a2.zip": inner,
                            "Noether_13_assignsubmission_file_a2.zip": inner},
            "canvas": {"lovelaceada_12_99_a2.zip": inner, "noetheremmy_LATE_13_98_a2-1.zip": inner},
            "gradescope": {"assignment_5_export/submission_metadata.yml": "x",
                           **{f"assignment_5_export/{name}": text for name, text in folders.items()}},
            "folders": {name.replace("/a2/", "/"): text for name, text in folders.items()},
        }
        names = {"moodle": ["Ada-Lovelace_12", "Ren\u00e9e-Noether_13"], "moodle-flat": ["Ada-Lovelace_12", "Noether_13"],
                 "canvas": ["lovelaceada_12", "noetheremmy_13"]}
        for kind, members in kinds.items():
            with self.subTest(kind):
                room = self.folder / f"room-{kind}"
                room.mkdir()
                found = submissions.find([self.zipped(f"{kind}.zip", members)], lambda room=room: room)
                self.assertEqual([one.name for one in found], names.get(kind, ["submission_17", "submission_18"]))
                for one in found:
                    self.assert_whole(self.read(one.path))

    def test_the_archive_of_one_is_not_a_class(self):
        for kind, members in {"plain": FILES, "deeper": {f"a2/{name}": text for name, text in FILES.items()},
                              "more": {**FILES, "old.zip": b"x", "older.zip": b"x"}}.items():
            path = self.zipped(f"{kind}.zip", members)
            self.assertEqual([one.path for one in submissions.find([path], None)], [path])

    def test_a_class_leads_nowhere_else_and_does_not_fill_the_disk(self):
        inner = self.zipped("inner.zip", FILES).read_bytes()
        room = self.folder / "room"
        room.mkdir()
        path = self.zipped("class.zip", {"a_1_2_x.zip": inner, "b_1_2_x.zip": inner, "../out.zip": inner,
                                         "/abs.zip": inner, "c/../../out.zip": inner})
        found = submissions.find([path], lambda: room)
        self.assertEqual([one.name for one in found], ["a_1", "b_1"])
        self.assertFalse((self.folder / "out.zip").exists())
        with unittest.mock.patch.object(submissions, "MOST_CLASS", 1000), self.assertRaises(submissions.Unreadable):
            other = self.folder / "other"
            other.mkdir()
            submissions.find([path], lambda: other)

    def test_several_classes_are_graded_together(self):
        classes = []
        for folder in ("monday", "friday"):
            (self.folder / folder).mkdir()
            inner = self.zipped("inner.zip", {**FILES, INTERLEAVED: folder}).read_bytes()
            classes.append(self.zipped(f"{folder}/class.zip", {"a_1_2_x.zip": inner, "b_1_2_x.zip": inner}))
        found = []

        def run(_, ones):
            found.extend((one.name, self.read(one.path).files[INTERLEAVED].decode()) for one in ones)
            return 0

        with unittest.mock.patch.object(grader.Grading, "__init__", lambda *_: None), \
                unittest.mock.patch.object(grader.Grading, "run", run):
            self.assertEqual(grading.main([*map(str, classes), "-o", str(self.folder / "grades")]), 0)
        self.assertEqual(found, [("a_1", "monday"), ("b_1", "monday"), ("a_1-2", "friday"), ("b_1-2", "friday")])

    def test_links_in_a_folder_are_refused(self):
        (self.folder / "secret").write_text("secret")
        path = self.write("linked", {name: FILES[name] for name in WANTED[2:]})
        (path / WANTED[0]).symlink_to(self.folder / "secret")
        os.mkfifo(path / INTERLEAVED.replace("src/A2Task1Solution", "src")) if (path / "src").is_dir() else None
        (path / "linkedfolder").symlink_to("/etc")
        handed = self.read(path)
        self.assertEqual(sorted(handed.files), sorted(WANTED[2:]))
        self.assertEqual([name for name, _ in handed.refused], ["linkedfolder", WANTED[0], "src/Interleaved.cpp"])

    def test_links_and_ways_out_of_a_tar_are_refused(self):
        infos = [(tarfile.TarInfo(name), b"good") for name in WANTED[2:]]
        for name, kind, target in ((WANTED[0], tarfile.SYMTYPE, "/etc/passwd"),
                                   (INTERLEAVED, tarfile.LNKTYPE, WANTED[2]), ("device", tarfile.CHRTYPE, "")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            infos.append((info, b""))
        infos += [(tarfile.TarInfo("../../" + WANTED[0]), b"bad"), (tarfile.TarInfo("/tmp/" + WANTED[0]), b"bad")]
        handed = self.read(self.tarred("bad.tar.gz", infos))
        self.assertEqual(handed.files, {name: b"good" for name in WANTED[2:]})
        self.assertEqual(len(handed.refused), 5)
        self.assertFalse((self.folder.parent / WANTED[0]).exists())

    def test_links_and_ways_out_of_a_zip_are_refused(self):
        link = zipfile.ZipInfo(WANTED[0])
        link.create_system, link.external_attr = 3, 0o120777 << 16
        path = self.folder / "bad.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(link, "/etc/passwd")
            for name in ("..\\..\\" + INTERLEAVED, "C:/" + INTERLEAVED, "/" + INTERLEAVED):
                archive.writestr(name, "bad")
            archive.writestr(WANTED[2], "good")
        handed = self.read(path)
        self.assertEqual(handed.files, {WANTED[2]: b"good"})
        self.assertEqual(len(handed.refused), 4)

    def test_what_is_too_long_costs_its_file_alone(self):
        zeros = bytes(80 << 20)
        handed = self.read(self.zipped("bomb.zip", {**FILES, WANTED[0]: zeros, "unwanted": zeros}))
        self.assertEqual(sorted(handed.files), sorted(WANTED[1:]))
        self.assertEqual(handed.refused, [(WANTED[0], "is longer than 1 MiB")])
        path = self.write("long", FILES)
        os.truncate(path / WANTED[0], 10 << 30)
        self.assertEqual(self.read(path).refused, [(WANTED[0], "is longer than 1 MiB")])

    def test_bombs_and_broken_archives_are_refused_as_a_whole(self):
        before, submissions.MOST_UNPACKED = submissions.MOST_UNPACKED, 1 << 20
        self.addCleanup(setattr, submissions, "MOST_UNPACKED", before)
        bomb = self.tarred("bomb.tar.gz", [(tarfile.TarInfo("x"), bytes(2 << 20))])
        with self.assertRaisesRegex(submissions.Unreadable, "unpacks to more than"):
            self.read(bomb)
        for name in ("broken.zip", "broken.tar.gz", "broken.tar", "broken.tgz"):
            (self.folder / name).write_bytes(b"PK\x03\x04 nothing of the kind")
            with self.assertRaisesRegex(submissions.Unreadable, "cannot be read"):
                self.read(self.folder / name)
        cut = self.zipped("cut.tar.gz", {})
        whole = self.tarred("whole.tar.gz", [(tarfile.TarInfo(WANTED[0]), os.urandom(5000))])
        cut.write_bytes(whole.read_bytes()[:2000])
        with self.assertRaisesRegex(submissions.Unreadable, "cannot be read"):
            self.read(cut)
        many = self.zipped("many.zip", {f"f{i}": "" for i in range(submissions.MOST_MEMBERS + 1)})
        with self.assertRaisesRegex(submissions.Unreadable, "more than"):
            self.read(many)

    def layouts(self):
        """name -> (paths of a class, names of its submissions), as courses hand them out."""
        inner = self.zipped("inner.zip", FILES).read_bytes()
        deep = self.zipped("deep.zip", {"x/a2.zip": inner}).read_bytes()
        flat = {name.rsplit("/", 1)[-1]: text for name, text in FILES.items()}

        def below(folder, files):
            return {folder + name: text for name, text in files.items()}

        ada, emmy = "Ada Lovelace_12_assignsubmission_file_", "Emmy_13_assignsubmission_file_"
        moodle, canvas, gradescope = ["Ada-Lovelace_12", "Emmy_13"], ["ada_12", "emmy_13"], ["submission_17", "submission_18"]
        return {
            "loose files in folders": ({**below(f"{ada}/", flat), **below(f"{emmy}/", FILES)}, moodle),
            "loose files": ({**below(ada, flat), **below(emmy, flat)}, moodle),
            "archives and a report": ({f"{ada}a2.zip": inner, f"{ada}report.pdf": "x", f"{emmy}a2.zip": inner,
                                       "Emmy_13_assignsubmission_onlinetext_.html": "x"}, moodle),
            "files of Canvas": ({**{f"ada_12_{90 + i}_{name}": text for i, (name, text) in enumerate(flat.items())},
                                 **{f"emmy_LATE_13_{80 + i}_{name.replace('.', '-1.')}": text
                                    for i, (name, text) in enumerate(flat.items())}}, canvas),
            "hw beside flat": ({**below("assignment_5_export/submission_17/hw/", FILES),
                                "assignment_5_export/submission_17/report/r.pdf": "x",
                                **below("assignment_5_export/submission_18/", flat),
                                "assignment_5_export/submission_metadata.yml": "x"}, gradescope),
            "deeper": (below("class/week/", {f"{ada}/a2.zip": deep, f"{emmy}/x/y/a2.zip": inner}), moodle),
        }

    def test_whatever_lies_inside_the_prefix_names_the_student(self):
        for kind, (members, names) in self.layouts().items():
            room = self.folder / f"room {kind}"
            room.mkdir()
            for path in (self.zipped(f"{kind}.zip", members), self.write(f"folder {kind}/all", members)):
                with self.subTest(kind, path=path.suffix):
                    found = submissions.find([path], lambda room=room: room)
                    self.assertEqual([one.name for one in found], names)
                    for one in found:
                        self.assert_whole(self.read(one.path))

    def test_nobodys_archive_becomes_others(self):
        inner = self.zipped("inner.zip", FILES).read_bytes()
        honest = self.zipped("bob.zip", FILES)
        moodle = "Bob_13_assignsubmission_file_"
        for number, members in enumerate((
                {"bob.zip": inner, "carol.zip": inner}, {f"{who}/{name}": text for who in ("bob", "carol")
                                                         for name, text in FILES.items()},
                {f"{moodle}/a2.zip": inner, "Carol_14_assignsubmission_file_/a2.zip": inner},
                {"submission_1.zip": inner, "submission_2.zip": inner, **FILES})):
            eve = self.zipped(f"eve{number}.zip", members)
            for paths in ([eve, honest], [honest, eve]):
                found = submissions.find(paths, None)
                self.assertEqual([(one.name, one.path) for one in found], [(path.stem, path) for path in paths])
            folder = self.write(f"folder{number}", members)
            self.assertEqual([one.path for one in submissions.find([honest, folder], None)], [honest, folder])
            self.assertEqual([one.path for one in submissions.find([folder], None, alone=True)], [folder])
        self.assertEqual([one.name for one in submissions.find([self.folder / "eve0.zip"], None)], ["eve0"])
        packed = {f"{who}/{name}": text for who in ("bob", "carol") for name, text in FILES.items()}
        for more, names in (({}, ["bob", "carol"]), ({"notes.txt": "x"}, ["own"]), ({"report/r.pdf": "x"}, ["own"])):
            room = self.folder / f"own room {len(more)} {len(names)} {''.join(more)[:5]}"
            room.mkdir()
            found = submissions.find([self.zipped("own.zip", {**packed, **more})], lambda room=room: room)
            self.assertEqual([one.name for one in found], names)
            self.assert_whole(self.read(found[0].path))
        self.assertIn("call of its own", submissions.find([honest, self.folder / "eve2.zip"], None)[1].refused[0][1])
        # A class may be named as Canvas names a hand-in.
        dated = self.write("a2_2026_11_24/all", {f"{who}/{name}": text for who in ("ada", "emmy")
                                                 for name, text in FILES.items()})
        os.rename(dated, self.folder / "a2_2026_11_24_all")
        self.assertEqual([one.name for one in submissions.find([self.folder / "a2_2026_11_24_all"], None)], ["ada", "emmy"])
        figures = self.write("one", {"fig_1_2_a.png": "x", "fig_2_2_b.png": "x", **{f"hw/{name}": text
                                                                                 for name, text in FILES.items()}})
        self.assertEqual([one.path for one in submissions.find([figures], None)], [figures])
        # Named as a course names a hand-in, it is one, too.
        own = self.folder / "Eve_12_assignsubmission_file_a2.zip"
        os.rename(self.folder / "eve2.zip", own)
        self.assertEqual([one.name for one in submissions.find([own], None)], ["Eve_12"])

    def test_one_folder_beside_archives_is_not_all(self):
        self.write("all/eve", FILES)
        for name in ("alice", "bob"):
            os.rename(self.zipped(f"{name}.zip", FILES), self.folder / "all" / f"{name}.zip")
        self.assertEqual([one.name for one in submissions.find([self.folder / "all"], None)], ["alice", "bob", "eve"])

    def test_a_bad_member_of_a_class_spoils_one_student(self):
        bob = "Bob_11_assignsubmission_file_/"
        honest = {bob + name: text for name, text in FILES.items()}
        eve = "Eve_12_assignsubmission_file_/"
        for number, bad in enumerate(({"\u6f22" * 100 + ".cpp": "x"}, {"x" * 60_000: "x"}, {"/".join("d" * 3000): "x"},
                                      {"src": "x", "src/a.txt": "x"}, {"y" * 220 + "1": "x", "y" * 220 + "2": "x"},
                                      {"a\n\x1b[2J": "x"})):
            room = self.folder / f"room{number}"
            room.mkdir()
            path = self.zipped(f"class{number}.zip", {**honest, **{eve + name: text for name, text in bad.items()}})
            found = submissions.find([path], lambda room=room: room)
            self.assertEqual([one.name for one in found], ["Bob_11", "Eve_12"])
            self.assert_whole(self.read(found[0].path))
            self.assertEqual(self.read(found[1].path).files, {})
        for number, spoil in enumerate((
                lambda data: data.replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\x01\0"),
                lambda data: data.replace(b"unlucky text", b"unlucky texT"))):
            path = self.folder / f"spoilt{number}.zip"
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(eve + WANTED[0], "unlucky text")
            data = spoil(path.read_bytes())
            path.write_bytes(data)
            with zipfile.ZipFile(path, "a") as archive:
                for name, text in honest.items():
                    archive.writestr(name, text)
            room = self.folder / f"spoilt{number}"
            room.mkdir()
            found = submissions.find([path], lambda room=room: room)
            self.assert_whole(self.read(found[0].path))
            self.assertEqual([name for name, _ in found[1].refused], [WANTED[0]])

    def test_names_fit_any_folder_and_are_nobody_elses(self):
        (self.folder / "all").mkdir()
        for name in ("grades.csv", "index.html", "\u6f22" * 83, "\u6f22" * 84, "e\u0301", "\u00e9", "a" * 250, "a" * 251):
            self.write(f"all/{name}", FILES)
        names = [one.name for one in submissions.find([self.folder / "all"], None)]
        self.assertEqual(len({name.casefold() for name in names}), 8)
        self.assertLessEqual(max(len(name.encode()) for name in names), 110)
        self.assertFalse({"grades.csv", "index.html", "similarity.csv"} & set(names))
        self.assertEqual(names, [one.name for one in submissions.find([self.folder / "all"], None)])

    def test_archives_in_archives(self):
        inner = self.zipped("inner.zip", FILES).read_bytes()
        half = self.zipped("half.zip", {name: FILES[name] for name in WANTED[:2]}).read_bytes()
        rest = self.zipped("rest.zip", {name: FILES[name] for name in WANTED[2:]}).read_bytes()
        other = self.zipped("other.zip", {WANTED[0]: "another"}).read_bytes()
        packed = self.tarred("packed.tar.gz", [(tarfile.TarInfo("x/a2.zip"), inner)])
        for path in (self.zipped("once.zip", {"outer/a2.zip": inner, "report.pdf": "x"}), packed,
                     self.zipped("both.zip", {"task1.zip": half, "task2.zip": rest}),
                     self.zipped("tar.zip", {"a.tar.gz": packed.read_bytes()}),
                     self.write("folder", {"a2.zip": inner, "report.pdf": "x"})):
            self.assert_whole(self.read(path))
        handed = self.read(self.zipped("two.zip", {"a.zip": inner, "b.zip": other}))
        self.assertEqual(sorted(handed.files), sorted(WANTED[1:]))
        self.assertIn("in several archives", handed.refused[0][1])
        for _ in range(submissions.MOST_DEEP + 1):
            inner = self.zipped("deep.zip", {"a.zip": inner}).read_bytes()
        self.assertEqual(self.read(self.folder / "deep.zip").files, {})
        many = self.read(self.zipped("many.zip", {f"{i}.zip": half for i in range(20)}))
        self.assertEqual(len([why for _, why in many.refused if "more than 8 archives" in why]), 12)

    def test_memory_and_time_of_archives_are_bounded(self):
        bombs = {}
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            with zipfile.ZipFile(self.folder / f"{method}.zip", "w", method) as archive:
                with archive.open(WANTED[0], "w") as stream:
                    for _ in range(160):
                        stream.write(bytes(1 << 20))
            bombs[f"{method}.zip"] = "other than deflate"
        pax = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": WANTED[0], "GNU.sparse.realsize": "9"}
        info = tarfile.TarInfo(WANTED[0])
        info.pax_headers = pax
        self.tarred("sparse.tar.gz", [(info, b"3000000\n" + b"1\n" * 6_000_000)])
        bombs["sparse.tar.gz"] = "a file with holes"
        self.zipped("folders.zip", {f"{i}/": "" for i in range(100_000)})
        bombs["folders.zip"] = "more than 10000 files"
        folder = tarfile.TarInfo("d")
        folder.type = tarfile.DIRTYPE
        with gzip.open(self.folder / "folders.tar.gz", "wb", 1) as stream:
            stream.write(folder.tobuf() * 400_000)
        bombs["folders.tar.gz"] = "more than 10000 files"
        long = tarfile.TarInfo("x")
        long.type, long.size = tarfile.XHDTYPE, 200 << 20
        with gzip.open(self.folder / "header.tar.gz", "wb", 1) as stream:
            stream.write(long.tobuf(tarfile.USTAR_FORMAT))
            for _ in range(200):
                stream.write(bytes(1 << 20))
        bombs["header.tar.gz"] = "header in it is too long"
        long.size = 0
        (self.folder / "chain.tar").write_bytes(long.tobuf(tarfile.USTAR_FORMAT) * 4000)
        bombs["chain.tar"] = "header in it is too long"
        (self.folder / "parts.tar.gz").write_bytes(gzip.compress(b"") * 100_000)
        bombs["parts.tar.gz"] = "more than 1000 parts"
        (self.folder / "name.tar.gz").write_bytes(b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * (30 << 20))
        bombs["name.tar.gz"] = "too early"
        script = """
import resource, sys, pathlib
sys.path.insert(0, sys.argv[1])
import submissions
resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
try:
    print(submissions.read(pathlib.Path(sys.argv[2]), sys.argv[3:], None).refused)
except submissions.Unreadable as error:
    print(error)
"""
        for name, words in bombs.items():
            with self.subTest(name):
                ended = subprocess.run([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course"),
                                        str(self.folder / name), *WANTED], capture_output=True, text=True)
                self.assertIn(words, ended.stdout, ended.stderr[-500:])


class Repositories(Room):
    """Read as objects: nothing in a repository says what runs, or which other files are read."""

    def repository(self, name="repository", **more):
        path = self.write(name, FILES)
        git_in(path, "init", "-q", "-b", "main", *more.get("init", []))
        git_in(path, "add", ".")
        git_in(path, "commit", "-qm", "all")
        return path

    def opened(self, path):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-test-git-"))
        folder.chmod(0o711)
        self.addCleanup(subprocess.run, ["rm", "-rf", str(folder)])
        return repository.Repository(path, folder / "git", jail.Jail("user", 901))

    def read(self, path):
        return submissions.read(path, WANTED, self.opened)

    def assert_whole(self, path):
        handed = self.read(path)
        self.assertEqual({name: content.decode() for name, content in handed.files.items()}, FILES)
        return handed

    def assert_refused(self, path, words):
        with self.assertRaisesRegex(submissions.Unreadable, words) as caught:
            self.read(path)
        self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_every_kind_is_read(self):
        path = self.repository()
        self.write("repository", {INTERLEAVED: "not committed"})
        self.assert_whole(path)
        git_in(path, "pack-refs", "--all")
        git_in(path, "gc", "-q")
        self.assert_whole(path)
        git_in(path, "checkout", "-q", "--detach", "HEAD", "--force")
        self.assert_whole(path)
        git_in(self.folder, "clone", "-q", "--bare", str(path), "bare.git")
        self.assert_whole(self.folder / "bare.git")
        self.assert_whole(self.repository("sha256", init=["--object-format=sha256"]))

    def test_its_configuration_runs_nothing(self):
        path = self.repository()
        ran = self.folder / "ran"
        deed = f"touch {ran}; cat"
        for name in ("filter.x.smudge", "filter.x.clean", "filter.x.process", "core.fsmonitor", "core.sshCommand",
                     "diff.x.textconv", "tar.x.command", "core.pager", "alias.ls-tree"):
            git_in(path, "config", name, ("!" if name.startswith("alias") else "") + deed)
        git_in(path, "config", "extensions.partialClone", "origin")
        git_in(path, "config", "remote.origin.promisor", "true")
        git_in(path, "config", "remote.origin.url", f"ext::sh -c '{deed}'")
        (path / ".git/info").mkdir(exist_ok=True)
        (path / ".git/info/attributes").write_text("* filter=x diff=x\n*.tar export-ignore\n")
        for hook in ("post-checkout", "reference-transaction", "post-index-change"):
            (path / ".git/hooks").mkdir(exist_ok=True)
            (path / ".git/hooks" / hook).write_text(f"#!/bin/sh\ntouch {ran}\n")
            (path / ".git/hooks" / hook).chmod(0o755)
        self.assert_whole(path)
        self.assertFalse(ran.exists())

    def test_it_leads_nowhere_else(self):
        path = self.repository()
        other = self.repository("other")
        (self.folder / "work").mkdir()
        (self.folder / "work/.git").write_text(f"gitdir: {other}/.git\n")
        self.assert_refused(self.folder / "work", "is no folder")
        (self.folder / "linked").mkdir()
        (self.folder / "linked/.git").symlink_to(other / ".git")
        self.assert_refused(self.folder / "linked", "is no folder")
        for name, target in (("HEAD", other / ".git/HEAD"), ("objects", other / ".git/objects"),
                             ("refs", other / ".git/refs")):
            kept = self.folder / "kept"
            os.rename(path / ".git" / name, kept)
            (path / ".git" / name).symlink_to(target)
            self.assert_refused(path, "git repository")
            (path / ".git" / name).unlink()
            os.rename(kept, path / ".git" / name)
        self.assert_whole(path)
        (path / ".git/objects/info").mkdir(exist_ok=True)
        (path / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
        self.assert_refused(path, "alternates")
        (path / ".git/objects/info/alternates").unlink()
        for head in ("", "ref: refs/heads/none", "ref: ../../other/.git/HEAD", "ref: refs/../../x", "ref: HEAD", "0" * 40,
                     "--help", "ref: refs/heads/main\nx"):
            (path / ".git/HEAD").write_text(head + "\n")
            self.assert_refused(path, "git repository")
        (path / ".git/HEAD").unlink()
        os.mkfifo(path / ".git/HEAD")
        self.assert_refused(path, "git repository")

    def test_broken_objects_and_replaced_ones(self):
        path = self.repository()
        own = subprocess.check_output(["git", "-C", str(path), "rev-parse", f"HEAD:{INTERLEAVED}"], text=True).strip()
        by = subprocess.check_output(["git", "-C", str(path), "hash-object", "-w", "--stdin"], input="by", text=True)
        git_in(path, "replace", own, by.strip())
        self.assert_whole(path)
        (path / ".git/objects" / own[:2] / own[2:]).unlink()
        handed = self.read(path)
        self.assertEqual(handed.refused, [(INTERLEAVED, "cannot be read: its object is missing")])
        git_in(path, "replace", "-d", own)
        (path / ".git/objects/pack").mkdir(exist_ok=True)
        for name in ("pack-" + "0" * 40 + ".pack", "pack-" + "0" * 40 + ".idx"):
            (path / ".git/objects/pack" / name).write_bytes(b"\xfftOc" + os.urandom(3000))
        self.assertEqual(len(self.read(path).files), len(FILES) - 1)
        with unittest.mock.patch.object(repository, "MOST_ARCHIVE", 1000):
            self.assert_refused(path, "longer than")

    def test_links_and_submodules_in_the_tree_are_refused(self):
        path = self.repository()
        (path / "link").symlink_to("/etc/passwd")
        git_in(path, "add", "link")
        git_in(path, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
        git_in(path, "commit", "-qm", "more")
        self.assertEqual(self.assert_whole(path).refused, [("link", "a symbolic link is no file"),
                                                          ("module", "a submodule is no file")])

    def test_in_an_archive_it_is_dropped_and_listed(self):
        path = self.repository()
        room = self.folder / "room"
        room.mkdir()
        with zipfile.ZipFile(self.folder / "inner.zip", "w") as archive:
            for name, text in {**FILES, ".git/config": "x", ".git/HEAD": "x", "src/.GIT/config": "x"}.items():
                archive.writestr(name, text)
        handed = self.assert_whole(self.folder / "inner.zip")
        self.assertEqual([name for name, _ in handed.refused], [".git", "src/.GIT"])
        with zipfile.ZipFile(self.folder / "class.zip", "w") as archive:
            for who in ("submission_1", "submission_2"):
                for name, text in {**FILES, ".git/config": "x", ".git/objects/x": "x", "src/.Git/HEAD": "x"}.items():
                    archive.writestr(f"{who}/{name}", text)
        for one in submissions.find([self.folder / "class.zip"], lambda: room):
            self.assertFalse(list(one.path.rglob(".git/*")) + list(one.path.rglob(".Git/*")))
            self.assertEqual([name for name, _ in self.assert_whole(one.path).refused], [".git", "src/.Git"])
        os.rename(path / ".git", path / ".GIT")
        self.assertEqual([name for name, _ in self.assert_whole(path).refused], [".GIT"])


@needs_build
class Rubric(unittest.TestCase):
    tasks = {task["id"]: task for task in TASKS}
    shipped = json.loads((PROJECT / "tools/course/rubric.json").read_text(encoding="utf-8"))

    def results(self, **changes):
        """As if every task passed, and in every way."""
        methods = {}
        for one in self.shipped["criteria"]:
            for evidence in one["evidence"]:
                methods.setdefault(one.get("task"), set()).update(evidence.get("criteria", []))
        passed = {task: {"status": "passed", "cases": [], "lint": [], "explanation": [],
                         "method": [{"criterion": name, "met": True, "evidence": ""} for name in methods.get(task, [])]}
                  for task in self.tasks}
        runs = {run: dict(passed) for run in rubric.RUNS}
        for task, test in changes.items():
            task = task.replace("_", "/", 1).replace("_", "-")
            for run in runs.values():
                run[task] = {**passed[task], **test}
        return {"runs": runs, "ms": {}, "reference_ms": {}}

    def judge(self, **changes):
        one = rubric.Rubric(json.loads(json.dumps(self.shipped)), self.tasks)
        judged = one.judge(self.results(**changes))
        return one.sums(judged), {criterion["id"]: criterion for criterion in judged}

    def test_the_shipped_one_is_the_assignments(self):
        one = rubric.Rubric(json.loads(json.dumps(self.shipped)), self.tasks)
        self.assertEqual([criterion["points"] for criterion in one.criteria if not criterion["extra"]],
                         [2, 2, 3, 2, 2, 2, 3, 2, 2])
        self.assertEqual((one.most, one.most_extra), (20, 2))
        by_task = {}
        for criterion in one.criteria:
            if not criterion["extra"]:
                by_task[criterion["task"]] = by_task.get(criterion["task"], 0) + criterion["points"]
        listed = {task["id"]: task["points"] for task in TASKS if task["points"]}
        self.assertEqual(by_task, listed, "as a2 list has them")
        self.assertEqual(self.judge()[0], (20, 2))
        results = self.results()
        results.update(ms={"reduce/atomic": 1.0}, reference_ms={"reduce/atomic": 2.0})
        judged = one.judge(results)
        self.assertEqual(sum(criterion["points"] for criterion in judged if criterion["extra"]), 4)
        self.assertEqual(one.sums(judged), (20, 2), "no more extra points count")

    def test_it_keeps_to_its_schema(self):
        import jsonschema
        schema = json.loads((PROJECT / "tools/course/rubric-schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(self.shipped, schema)
        jsonschema.validate(SMALL_RUBRIC, schema)
        for spoil in self.spoilt():
            self.assertFalse(jsonschema.Draft202012Validator(schema).is_valid(spoil), spoil)

    def spoilt(self):
        for change in (lambda one: one.pop("points"), lambda one: one.update(points=-1),
                       lambda one: one.update(points=1.3), lambda one: one.update(surprise=1),
                       lambda one: one.update(evidence=[]),
                       lambda one: one["evidence"][0].update(kind="guess"),
                       lambda one: one["evidence"][0].update(runs=["sideways"]),
                       lambda one: one["evidence"].append({"kind": "time", "factor": 0})):
            document = json.loads(json.dumps(self.shipped))
            change(document["criteria"][0])
            yield document

    def test_what_is_wrong_with_one_is_said(self):
        for document in self.spoilt():
            with self.assertRaisesRegex(rubric.RubricError, "criterion 1"):
                rubric.Rubric(document, self.tasks)
        for change, words in ((lambda one: one.update(task="reduce/nothing"), "there is no task 'reduce/nothing'"),
                              (lambda one: one.update(needs=["unroll"]), "does not stand before it"),
                              (lambda one: one["evidence"].append({"kind": "lint", "rules": ["shared-race"]}),
                               "there is no rule 'shared-race'.*rules must"),
                              (lambda one: one.update(task="reduce/interleavd"), "did you mean 'reduce/interleaved'"),
                              (lambda one: one.update(need=["unroll"]), "knows no 'need' .did you mean 'needs'"),
                              (lambda one: one["evidence"][0].update(runs=["lenghts"]), "did you mean 'lengths'")):
            document = json.loads(json.dumps(self.shipped))
            change(document["criteria"][0])
            with self.assertRaisesRegex(rubric.RubricError, words):
                rubric.Rubric(document, self.tasks)

    def test_a_key_too_many_is_named(self):
        for place, words in ((lambda one: one["manual"][0], "manual 1: .*knows no 'titel' .did you mean 'title'"),
                             (lambda one: one, "rubric: a rubric knows no 'titel' .did you mean 'title'")):
            document = json.loads(json.dumps(self.shipped))
            place(document)["titel"] = 1
            with self.assertRaisesRegex(rubric.RubricError, words):
                rubric.Rubric(document, self.tasks)

    def test_it_is_held_against_the_projects_own_solution(self):
        one = rubric.Rubric(json.loads(json.dumps(self.shipped)), self.tasks)
        tests = self.results()["runs"]["course"]
        self.assertEqual(one.hold_against(tests), [])
        tests["scan/naive"]["method"][0].update(met=False, evidence="18 dispatches")
        self.assertEqual(len(one.hold_against(tests)), 1)
        self.assertIn("18 dispatches", one.hold_against(tests)[0])
        document = json.loads(json.dumps(self.shipped))
        document["criteria"][5]["evidence"][1]["criteria"] = ["pingpong"]
        with self.assertRaisesRegex(rubric.RubricError, "'naive'.*no criterion 'pingpong' .did you mean 'ping-pong'"):
            rubric.Rubric(document, self.tasks).hold_against(tests)

    def test_half_points(self):
        document = json.loads(json.dumps(SMALL_RUBRIC))
        document["criteria"][0]["points"] = 1.5
        one = rubric.Rubric(document, self.tasks)
        judged = one.judge(self.results(reduce_sequential={"status": "failed"}))
        self.assertEqual((one.sums(judged), one.most), ((1.5, 0), 3.5))
        result = outputs.result_document("one", one, judged, None, None, "bubblewrap", None)
        theirs = outputs.classroom(result, {})
        self.assertEqual((theirs["score"], theirs["max-score"]), (3, 7))
        self.assertEqual(sum(test["score"] for test in theirs["tests"]), 3)

    def test_each_way_to_fail_costs_its_own_criterion(self):
        for status, reason in (("failed", "a wrong result"), ("timeout", "time-out"), ("crashed", "crash"),
                               ("not-written", "not written yet"), ("skipped", "cannot run")):
            (points, _), judged = self.judge(reduce_sequential={"status": status})
            self.assertEqual(points, 18)
            self.assertIn(reason, judged["sequential"]["reason"])

    def test_needs_and_methods(self):
        unmet = [{"criterion": "work-efficient", "met": True, "evidence": ""},
                 {"criterion": "no bank conflicts", "met": False, "evidence": "16-way"}]
        (points, _), judged = self.judge(scan_local={"method": unmet})
        self.assertEqual(points, 18)
        self.assertEqual(judged["conflict-free"]["reason"], "scan/local: not 'no bank conflicts': 16-way")
        (points, _), judged = self.judge(scan_local={"status": "failed"})
        self.assertEqual((points, judged["conflict-free"]["reason"]), (15, "needs local first"))
        (points, _), judged = self.judge(scan_naive={"method": []})
        self.assertEqual(points, 18, "what nothing shows earns nothing")

    def test_rules_and_times(self):
        document = json.loads(json.dumps(self.shipped))
        document["criteria"][0]["evidence"] += [{"kind": "emulator", "rules": ["shared-race"]},
                                                {"kind": "time", "factor": 1.5}]
        one = rubric.Rubric(document, self.tasks)
        results = self.results()
        results.update(ms={"reduce/interleaved": 3.0}, reference_ms={"reduce/interleaved": 2.0})
        self.assertEqual(one.sums(one.judge(results))[0], 20)
        results["ms"] = {"reduce/interleaved": 3.1}
        self.assertEqual(one.sums(one.judge(results))[0], 18)
        results["ms"] = {}
        self.assertEqual(one.sums(one.judge(results))[0], 18, "what was not timed is not fast")
        results = self.results(reduce_interleaved={"lint": [{"rule": "shared-race", "severity": "note", "message": "m",
                                                             "dispatch": None}]})
        self.assertIn("shared-race", one.judge(results)[0]["reason"])

    def test_the_walk_can_be_demanded(self):
        unseen = {"rule": "not-walked", "severity": "note", "dispatch": None,
                  "message": "kernel K is walked on the host up to shaders/K.comp:3: OpX, which the emulator does not know"}
        for rule in ("not-walked", "shared-race"):
            document = json.loads(json.dumps(self.shipped))
            document["criteria"][0]["evidence"].append({"kind": "emulator", "rules": [rule]})
            one = rubric.Rubric(document, self.tasks)
            self.assertEqual(one.sums(one.judge(self.results()))[0], 20)
            judged = one.judge(self.results(reduce_interleaved={"lint": [unseen]}))
            self.assertEqual(one.sums(judged)[0], 18)
            self.assertIn("not-walked: kernel K is walked on the host up to shaders/K.comp:3", judged[0]["reason"])
        self.assertEqual(self.judge(reduce_interleaved={"lint": [unseen]})[0], (20, 2), "not demanded")


@needs_build
class Outputs(unittest.TestCase):
    def result(self, name="Zoë <b>|=1+1"):
        one = rubric.Rubric(json.loads(json.dumps(Rubric.shipped)), Rubric.tasks)
        diagnosis = {"file": "shaders/A2Task2Naive.comp", "line": 12, "dispatch": 3,
                     "command": "build/a2 steps scan/naive -n 8"}
        results = Rubric().results(scan_naive={"status": "failed", "diagnosis": diagnosis,
                                               "explanation": ["expected sum 3, got `4`\n  \x01more"]})
        result = outputs.result_document(name, one, one.judge(results), None, None, "bubblewrap", None)
        return result, results

    def test_the_result_keeps_to_its_schema(self):
        import jsonschema
        schema = json.loads((PROJECT / "tools/course/result-schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(self.result()[0], schema)

    def test_scores_of_others_are_whole_and_no_more_than_the_most(self):
        result, _ = self.result()
        self.assertEqual(result["points"], 18)
        theirs = outputs.gradescope(result)
        self.assertEqual(theirs["score"], sum(test["score"] for test in theirs["tests"]))
        self.assertEqual(theirs["extra_data"]["extra"], 1)
        classroom = outputs.classroom(result, {"CLASSROOM": "cs", "COMMIT_URL": "https://c"})
        self.assertEqual((classroom["schema"], classroom["classroom"], classroom["review"]),
                         ("classroom50/result/v1", "cs", "https://c"))
        self.assertEqual((classroom["score"], classroom["max-score"]), (18, 20))
        self.assertEqual(classroom["score"], sum(test["score"] for test in classroom["tests"]))
        for test in classroom["tests"]:
            self.assertIsInstance(test["score"], int)
            self.assertLessEqual(test["score"], test["max-score"])
            self.assertEqual(set(test), {"test-name", "passed", "score", "max-score"})
        self.assertTrue(all(isinstance(value, str) and value for key, value in classroom.items()
                            if key not in ("score", "max-score", "tests")))

    def test_feedback_teaches(self):
        result, results = self.result()
        text = outputs.feedback(result, results, {task: "label" for task in Rubric.tasks})
        for words in ("18 of 20 points, and 1 extra", "## scan/naive: failed", "shaders/A2Task2Naive.comp, line 12",
                      "dispatch is number 3", "    build/a2 steps scan/naive -n 8", "    expected sum 3, got `4`",
                      "by hand"):
            self.assertIn(words, text)
        self.assertNotIn("<b>", text)

    def test_feedback_says_a_note_once(self):
        found = [{"rule": "missing-barrier", "severity": "note", "message": f"dispatch {i}"} for i in range(3)]
        self.assertEqual(outputs.notes_of({"lint": found}),
                         ["", "Noted, though it passed:", "", "- missing-barrier: dispatch 0 (and 2 more like it)"])
        self.assertEqual(outputs.notes_of({"lint": []}), [])

    def test_tables_and_xml_hold_any_name(self):
        result, _ = self.result()
        row = list(csv.DictReader(io.StringIO(outputs.grades_csv([result], columns.ByHand()))))[0]
        self.assertEqual((row["points"], row["naive"], row["oral"]), ("18", "0", ""))
        self.assertEqual(outputs.safe_cell("=cmd"), "'=cmd")
        self.assertNotIn("<b>", outputs.index_html([result], columns.ByHand()))
        suite = ElementTree.fromstring(outputs.junit(result).encode())[0]
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        ElementTree.fromstring(outputs.junit(self.result("\x00\x1b")[0]).encode())


class Tables(Room):
    result = {"name": "Zoe_1", "title": "t", "points": 1, "of": 2, "extra": 0, "warnings": 0, "problem": "no\x1b[2J <b>",
              "criteria": [{"id": "a", "points": 1, "reason": "\u202egnp"}], "manual": [{"id": "oral", "title": "Oral"},
                                                                                       {"id": "style", "title": "S"}]}

    def kept(self, data):
        (self.folder / "grades.csv").write_bytes(data)
        text = outputs.grades_csv([self.result], columns.read(self.folder / "grades.csv"))
        return next(csv.DictReader(io.StringIO(text)))

    def test_what_people_filled_in_stays_however_it_was_saved(self):
        for data in (b"name,points,oral,style\nZoe_1,1,good,-1\n",
                     b'\xef\xbb\xbf"style";"name";"oral"\r\n"-1";"Zoe_1";"good"\r\n',
                     b"sep=;\r\nname;oral;style\r\nZoe_1;good;-1\r\n",
                     "name\toral\tstyle\r\nZoe_1\tgood\t-1\r\n".encode("utf-16"),
                     b"Name, Oral ,style\nother,x,y\nZoe_1,good,-1\n"):
            kept = self.kept(data)
            self.assertEqual((kept["oral"], kept["style"], kept["points"]), ("good", "-1", "1"), data)
        kept = self.kept('name;oral;late days\nZoe_1;"sehr gut; f\u00fcr\nsich, \'nett\'";2\n'.encode("cp1252"))
        self.assertEqual((kept["oral"], kept["late days"]), ("sehr gut; f\u00fcr\nsich, 'nett'", "2"))
        again = self.kept(outputs.grades_csv([self.result], columns.read(self.folder / "grades.csv")).encode())
        self.assertEqual(again, kept)
        with self.assertRaisesRegex(columns.ColumnsError, "no column 'name'"):
            self.kept(b"oral,style\ngood,1\n")

    def test_the_page_has_the_problem_and_what_people_filled_in(self):
        page = outputs.index_html([self.result], columns.ByHand(["name", "oral"], {"Zoe_1": {"oral": "<script>good"}}))
        for words in ("<th>oral</th>", "&lt;script&gt;good", "no&lt;U+001B&gt;[2J &lt;b&gt;", "&lt;U+202E&gt;gnp"):
            self.assertIn(words, page)

    def test_bytes_that_are_obeyed_are_shown_as_text(self):
        log = "a\r\n\x1b[31mred\u202e\x00\u200b\ttab\n"
        result = {**self.result, "most_extra": 0, "files": {"broken": [], "refused": [], "unused": ["x\x1b]0;t\x07.c"]}}
        for one in result["criteria"]:
            one.update(title="A", extra=False, of=2)
        outputs.write_submission(self.folder, result, None, {}, log)
        for name in ("build.log", "feedback.md"):
            text = (self.folder / name).read_bytes().decode()
            self.assertFalse([c for c in text if c in "\x1b\u202e\x00\u200b\r\x07"], name)
        self.assertIn("<U+001B>[31mred<U+202E><U+0000><U+200B>\ttab", (self.folder / "build.log").read_text())

    def test_names_of_submissions_are_shown_as_text_too(self):
        name = "=x\x1b[2J\u202e"
        page = outputs.index_html([{**self.result, "name": name}], columns.ByHand())
        self.assertNotIn("\x1b", page)
        self.assertNotIn("\u202e", page)
        self.assertIn("=x&lt;U+001B&gt;[2J", page)
        table = similarity.as_csv([("a.comp", name, "-other", 50)])
        self.assertIn("a.comp,'=x<U+001B>[2J<U+202E>,'-other,50\n", table)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            grader.tell({**self.result, "name": name})
        self.assertEqual(said.getvalue(),
                         "tools/grade: =x<U+001B>[2J<U+202E>: 1 of 2, 0 extra (no<U+001B>[2J <b>)\n")

    def test_what_this_machine_cannot_limit_is_said(self):
        with unittest.mock.patch.object(limits, "has_landlock", return_value=False):
            self.assertTrue(any("no Landlock" in note for note in limits.notes()))
        with unittest.mock.patch.object(limits, "has_landlock", return_value=True):
            self.assertFalse(any("no Landlock" in note for note in limits.notes()))


class Includes(unittest.TestCase):
    def test_of_kernels_are_the_projects_headers(self):
        known = ["A2Kernels.h"]
        for text in ('#include "include/A2Kernels.h"', '  #  include <A2Kernels.h> // x', "// #include \"/etc/passwd\"",
                     "/* #include \"x\" */"):
            self.assertIsNone(build.foreign_include(text, known), text)
        for text in ('#include "/etc/passwd"', '#include "../../x"', '#include "project/A2Task1Naive.comp"',
                     '#inc\\\nlude "A2Task1Subgroup.comp"', '# /**/ include "x"', "#include X", '/**/#include "y"',
                     '#include "include/../A2Kernels.h"'):
            self.assertIsNotNone(build.foreign_include(text, known), text)


class Bounds(unittest.TestCase):
    """Texts of a student's take time in proportion to their length, and no program of this one waits for them."""

    shapes = ("(", "/* ", "/*/", "//", "/", "\\\n", "#include<", "// \\\n#include<", " -d '", "/a2 ", "/a2 run ", "x/a2", ":1",
              ": error: ", "a: warning: ", "\"", "\n#", " ", "\t")

    def test_a_mebibyte_of_any_shape_is_soon_read(self):
        script = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
import build, judging, outputs, similarity
for shape in json.loads(sys.argv[2]):
    text = shape * ((1 << 20) // len(shape))
    build.foreign_include(text, ["A2Kernels.h"])
    judging.cleaned({"why": text}, lambda one: one)
    judging.MOST_LINE, most = 1 << 30, judging.MOST_LINE
    judging.MOST_TEXT, longest = 1 << 30, judging.MOST_TEXT
    judging.cleaned({"why": text}, lambda one: one)
    judging.MOST_LINE, judging.MOST_TEXT = most, longest
    build.WARNING.findall(text), build.ERROR.search(text), build.LINK_ERROR.search(text), build.first_error(text)
    similarity.own_lines(text, set())
    outputs.printable(text), outputs.plain(text)
print("done")
"""
        ended = subprocess.run([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course"),
                                json.dumps(self.shapes)], capture_output=True, text=True)
        self.assertEqual(ended.stdout, "done\n", ended.stderr[-300:])

    def test_comments_are_taken_out_as_a_compiler_does(self):
        for text, left in (("a/* b */c", "a c"), ("a//b\nc", "a \nc"), ("a/*\n\n*/c", "a\n\nc"), ("a/*/c*/d", "a d"),
                           ("/* x *///y\nz", "  \nz"), ("/* x *//* y */z", "  z"), ("//x\\\ny\nz", " \nz"), ("a/* b", "a/* b"),
                           ("a/* b//c\nd", "a/* b \nd"), ("*/ a // b", "*/ a  "), ("a / b", "a / b"), ("", "")):
            self.assertEqual(build.without_comments(text), left, text)

    def test_long_lines_of_a2_are_cut_and_its_commands_are_short(self):
        self.assertEqual(judging.cleaned("see /x/y/a2 steps scan -d 'a b' --shader-dir /q -n 8", lambda one: one),
                         "see build/a2 steps scan -n 8")
        cut = judging.cleaned(["a\n" + "(" * 400_000, "x\n" * 200_000], lambda one: one)
        self.assertIn("characters more)", cut[0])
        self.assertLess(len(cut[0]), 1200)
        self.assertLess(max(map(len, cut)), 70_000)

    def test_warnings_are_the_submissions(self):
        for line, count in (("src/A2Task1Solution/Interleaved.cpp:3:4: warning: unused", 1), ("x.h:3: warning: y", 1),
                            ("cc1plus: warning: build/cmake_pch.hxx.gch: not a PCH file [-Winvalid-pch]", 0),
                            ("a: note: warning: x", 0)):
            self.assertEqual(len(build.WARNING.findall(f"x\n{line}\n")), count, line)


@needs_build
class Judged(unittest.TestCase):
    """What a2's answers become."""

    class Built:
        ours = doubted = False
        problems, said = {INTERLEAVED: ":6 does not compile: my.h: No such file"}, {INTERLEAVED: ["x.cpp:6:1: error: e"]}

    def test_what_a_solution_has_a2_say_is_not_the_graders_fault(self):
        ended = jail.Ended(3, "note\na2: error: TEXT OF THE STUDENT", False)
        judge = judging.Judge(None, None, 1)
        with self.assertRaisesRegex(RuntimeError, "TEXT"):
            judge.refuse_own_faults("check", ended, self.Built())
        proofs = []
        judge.prove = lambda: proofs.append(1)
        built = self.Built()
        for _ in range(3):
            self.assertIn("TEXT", judge.refuse_own_faults("check", ended, built))
        self.assertEqual(len(proofs), 1)
        built.ours = True
        with self.assertRaises(RuntimeError):
            judge.refuse_own_faults("check", ended, built)

        def broken():
            raise house.HouseError("this machine")

        judge.prove = broken
        with self.assertRaises(house.HouseError):
            judge.refuse_own_faults("check", ended, self.Built())
        question = judging.Question("check", ["a", "b"], [])
        question.failed = {"a": "TEXT"}
        tests, _ = judge.judge(question, None, built)
        self.assertEqual([(tests[one]["status"], tests[one]["why"]) for one in "ab"],
                         [("crashed", "the solution cannot be recorded: TEXT"), ("timeout", "a2 came to no verdict in time")])

    def test_host_code_that_does_not_compile_has_no_run_to_repeat(self):
        command = "build/a2 steps reduce/interleaved -n 1"
        test = {"status": "failed", "cases": [{"status": "failed", "findings": [f"{INTERLEAVED} does not compile"]}],
                "lint": [], "method": [], "diagnosis": {"file": None, "line": None, "dispatch": None, "command": command},
                "explanation": ["failed with -n 1", "does not compile", f"to see every step: {command}"]}
        told = judging.without_run(test, {"files": ["shaders/x.comp", INTERLEAVED]}, self.Built())
        result = Outputs().result("a")[0]
        text = outputs.feedback(result, {"runs": {"course": {"reduce/interleaved": told}}}, {"reduce/interleaved": "label"})
        for words in ("failed with -n", "see every step", command):
            self.assertNotIn(words, text)
        for words in (":6 does not compile: my.h: No such file", "x.cpp:6:1: error: e", f"Look at {INTERLEAVED.replace('_', chr(92) + '_')}, line 6."):
            self.assertIn(words, text)
        self.assertEqual(judging.without_run(test, {"files": ["shaders/x.comp"]}, self.Built()), test)

    def test_the_first_error_of_a_compiler(self):
        said = "In file included from x:\nsrc/a.cpp:6:10: fatal error: my.h: No\n    6 | #include\n      |  ^~\nend.\n"
        self.assertEqual(build.first_error(said), said.splitlines()[1:4])
        self.assertEqual(build.first_error("nothing"), [])


class Seeds(Room):
    def test_nobody_knows_the_next_one(self):
        seeds = {grader.seed_of(self.folder, False) for _ in range(20)}
        self.assertGreater(len(seeds), 18)
        self.assertNotIn("default=", [line for line in pathlib.Path(grading.__file__).read_text().splitlines()
                                      if '"--seed"' in line][0])

    def test_one_that_goes_on_keeps_it(self):
        (self.folder / "grading.json").write_text('{"schema": 1, "seed": 77}')
        self.assertEqual(grader.seed_of(self.folder, True), 77)
        self.assertNotEqual(grader.seed_of(self.folder, False), 77)
        for text in ("{", "[]", "{}", '{"seed": null}'):
            (self.folder / "grading.json").write_text(text)
            self.assertGreaterEqual(grader.seed_of(self.folder, True), 0)

    @needs_build
    def test_it_is_written_down(self):
        self.write("all/a", FILES)
        self.write("all/c", FILES)
        (self.folder / "rubric.json").write_text(json.dumps(SMALL_RUBRIC))
        stubs = {"enter_jail": lambda *_: None, "try_reference": lambda *_: None, "prepare": lambda *_: None,
                 "judge_case": lambda *_: None}
        with unittest.mock.patch.multiple(grader.Grading, **stubs):
            first = self.grade(self.folder / "all", "--no-similarity")["a"]["seed"]
            self.assertEqual(json.loads((self.folder / "grades/grading.json").read_text())["seed"], first)
            self.write("all/b", FILES)
            self.assertEqual(self.grade(self.folder / "all", "--no-similarity", "--resume")["b"]["seed"], first)
            self.assertNotEqual(self.grade(self.folder / "all", "--no-similarity", output="more")["a"]["seed"], first)
            self.assertEqual(self.grade(self.folder / "all", "--no-similarity", "-s", "5", output="fixed")["a"]["seed"], 5)


class Written(Room):
    @needs_build
    def test_what_cannot_be_written_costs_one_alone(self):
        for name in "abc":
            self.write(f"all/{name}", FILES)
        write = outputs.write_submission

        def fails_for_b(folder, result, results, *more):
            if result["name"] == "b" and not result["problem"]:
                raise OSError("too odd")
            write(folder, result, results, *more)

        stubs = {"enter_jail": lambda *_: None, "try_reference": lambda *_: None, "prepare": lambda *_: None,
                 "judge_case": lambda *_: None}
        with unittest.mock.patch.multiple(grader.Grading, **stubs), \
                unittest.mock.patch.object(outputs, "write_submission", fails_for_b):
            graded = self.grade(self.folder / "all", "--no-similarity", status=1)
        self.assertEqual({name: one["problem"] for name, one in graded.items()},
                         {"a": None, "b": "its results cannot be written: OSError: too odd", "c": None})


class Users(Room):
    def test_no_two_at_a_time_have_one_and_the_references_is_its_own(self):
        one = grader.Grading.__new__(grader.Grading)
        seen, lock, stuck = [], threading.Lock(), threading.Event()
        with unittest.mock.patch.object(grader, "House", lambda *_: unittest.mock.MagicMock()), \
                unittest.mock.patch.object(grader, "load", lambda *_: unittest.mock.MagicMock()):
            one.__init__(unittest.mock.MagicMock(output=self.folder), self.folder)
        held = set()

        def prepare(case, path):
            with lock:
                self.assertNotIn(case.user, held)
                held.add(case.user)
                seen.append(case.user)
            if path == "stuck":
                stuck.wait(60)

        def finish(case):
            with lock:
                held.discard(case.user)
            return {"problem": case.problem}

        one.prepare, one.judge_case, one.finish = prepare, lambda case: None, finish
        one.stopped = False
        problems = []
        with unittest.mock.patch.object(grader, "tell", lambda result: problems.append(result["problem"])):
            first = threading.Thread(target=one.grade, args=(0, submissions.Submission("0", "stuck")))
            first.start()
            while not seen:
                time.sleep(0.01)
            for place in range(1, 200):
                one.grade(place, submissions.Submission(str(place), "quick"))
            stuck.set()
            first.join()
        self.assertEqual([problem for problem in problems if problem], [])
        self.assertEqual(len(seen), 200)
        self.assertEqual(set(seen), set(range(1, jail.USERS)))


@unittest.skipUnless(hasattr(os, "killpg") and os.path.isdir("/proc/self"), "Linux alone has the jail")
class Jails(Room):
    kinds = ["user"] + ([] if jail.Jail.works() else ["bubblewrap"])

    def run_in(self, kind, script, seconds=20, memory=1 << 30, write=(), device=False):
        one = jail.Jail(kind, 900)
        one.own(*write)
        ended = jail.run([*one.words([], list(write), memory, seconds, device), "/bin/bash", "-c", script], seconds)
        one.clean_up()
        return ended

    def test_it_works_here_or_says_why(self):
        if not jail.shutil.which("bwrap"):
            self.assertIn("not installed", jail.Jail.works())
        for kind in self.kinds:
            self.assertEqual(self.run_in(kind, "echo yes").output, "yes\n")
            self.assertEqual(self.run_in(kind, "exit 7").status, 7)

    def test_limits(self):
        for kind in self.kinds:
            self.assertTrue(self.run_in(kind, "sleep 60", 1).timed_out)
            self.assertNotEqual(self.run_in(kind, "x=$(head -c 500000000 /dev/zero | tr '\\0' x); echo ${#x}",
                                            memory=100 << 20).output, "500000000\n")
            self.assertLessEqual(len(self.run_in(kind, "yes", 2).output), jail.MOST_OUTPUT)
            work = self.folder / f"work-{kind}"
            work.mkdir()
            self.run_in(kind, f"head -c 200000000 /dev/zero > {work}/file", write=[work])
            self.assertEqual((work / "file").stat().st_size, jail.MOST_FILE)
            os.environ["A2_TEST_SECRET"] = "secret"
            self.addCleanup(os.environ.pop, "A2_TEST_SECRET", None)
            self.assertEqual(self.run_in(kind, "echo $HOME $A2_TEST_SECRET").output, "/nonexistent\n")

    @unittest.skipUnless(os.getuid() == 0, "another user needs root")
    def test_no_other_grading_has_its_users(self):
        if os.getuid() != 0:
            self.skipTest("without root there is no other user")
        told = ("import sys; sys.path.insert(0, sys.argv[1]); import jail; "
                "print(jail.Jail('user', 0).user, flush=True); input()")
        others = [subprocess.Popen([sys.executable, "-B", "-c", told, jail.__file__.rsplit("/", 1)[0]], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]
        try:
            users = [int(one.stdout.readline()) for one in others] + [jail.Jail("user", 0).user]
        finally:
            for one in others:
                one.communicate("\n")
        for user in users:
            self.assertEqual(sum(abs(user - other) < jail.USERS for other in users), 1, users)

    @unittest.skipUnless(os.getuid() == 0, "another user needs root")
    def test_it_is_another_user(self):
        (self.folder / "secret").write_text("secret")
        (self.folder / "secret").chmod(0o600)
        for kind in self.kinds:
            said = self.run_in(kind, f"id -u; cat {self.folder}/secret; touch {self.folder}/new").output
            self.assertEqual(said.split()[0], str(jail.Jail("user", 900).user))
            self.assertNotIn("secret\n", said)
            self.assertFalse((self.folder / "new").exists())

    def test_a_fork_bomb_stays_small_and_ends(self):
        work = self.folder / "work"
        work.mkdir()
        bomb = "bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 3"
        for kind in self.kinds if os.getuid() == 0 else self.kinds[1:]:
            ended = self.run_in(kind, bomb, 5)
            end = time.monotonic() + 60  # what was ended is gone a little later
            while jail.processes_of(jail.Jail("user", 900).user) and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(jail.processes_of(jail.Jail("user", 900).user), [], f"{kind}: {ended.output}")

    def tried(self, kind, script, **more):
        """What a Python script says in the jail."""
        quoted = "'" + script.replace("'", "'\\''") + "'"
        return self.run_in(kind, f"/usr/bin/python3 -ISc {quoted}", **more).output

    @unittest.skipUnless(os.getuid() == 0, "without root there are no capabilities to drop")
    def test_it_has_no_capability(self):
        for kind in self.kinds:
            for device in (False, True):
                said = self.run_in(kind, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status", device=device).output
                self.assertEqual({line.split()[1] for line in said.splitlines()}, {"0" * 16, "1"}, said)

    @unittest.skipUnless(limits.seccomp, "python3-seccomp is not installed")
    def test_system_calls_are_limited(self):
        script = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
done = []
def attempt(name, call):
    ctypes.set_errno(0)
    try:
        if call() != -1:
            done.append(name)
    except OSError:
        pass
for family in range(0, 46):
    for kind in (1, 2, 3, 5):
        attempt(f"socket {family}", lambda: socket.socket(family, kind) and 0)
for name, number in (("ptrace", 101), ("keyctl", 250), ("add_key", 248), ("bpf", 321), ("perf_event_open", 298),
                     ("userfaultfd", 323), ("process_vm_readv", 310), ("process_vm_writev", 311), ("mount", 165),
                     ("unshare", 272), ("setns", 308), ("io_uring_setup", 425), ("memfd_secret", 447),
                     ("kexec_load", 246), ("pidfd_open", 434), ("shmget", 29), ("mq_open", 240), ("fsopen", 430),
                     ("open_by_handle_at", 304), ("clone3", 435)):
    attempt(name, lambda: libc.syscall(number, 0, os.getpid(), 0, 0, 0, 0) if ctypes.get_errno() != 1 else -1)
for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    def clone(flag=flag):
        child = libc.syscall(56, flag | 17, 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        return child
    attempt(f"clone {flag:x}", clone)
print(" ".join(sorted(set(done))))
"""
        for kind in self.kinds:
            self.assertEqual(self.tried(kind, script).strip(), "", kind)
            self.assertEqual(self.tried(kind, script, device=True).strip(), "socket 1", kind)

    @unittest.skipUnless(limits.counts_memory(), "no control group can be made here")
    def test_memory_of_all_processes_together_is_limited(self):
        memfd = """
import os
held = []
for i in range(40):
    held.append(os.memfd_create("x"))
    os.write(held[-1], bytes(16 << 20))
print("all of it")
"""
        forks = """
import os
for i in range(20):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20)) * 32
        os.read(0, 1)
        import time; time.sleep(3)
        os._exit(0)
status = {os.wait()[1] for i in range(20)}
print("all of it" if status == {0} else status)
"""
        with unittest.mock.patch.object(jail, "MOST_MEMORY", 200 << 20):
            for kind in self.kinds:
                for script in (memfd, forks):
                    self.assertNotIn("all of it", self.tried(kind, script), kind)

    def test_what_a_machine_cannot_limit_is_said(self):
        with unittest.mock.patch.object(limits, "seccomp", None), \
                unittest.mock.patch.object(limits, "counts_memory", lambda: False):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                grader.tell_unlimited("user")
            for words in ("no control group", "python3-seccomp"):
                self.assertIn(words, said.getvalue())
            for kind in self.kinds:
                self.assertEqual(self.run_in(kind, "echo yes").output, "yes\n")
        with unittest.mock.patch.object(limits, "counts_memory", lambda: False):
            for kind in self.kinds if limits.seccomp else []:
                self.assertIn("not permitted", self.tried(kind, "import os; os.memfd_create('x')"))

    def test_bubblewrap_hides_the_rest(self):
        if "bubblewrap" not in self.kinds:
            self.skipTest(jail.Jail.works())
        (self.folder / "readable").write_text("secret")
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        for script in (f"cat {self.folder}/readable", "cat /etc/passwd", "cat /etc/shadow", f"ls {PROJECT}", "ls /home", "touch /x",
                       "touch /tmp/x", "mkdir /tmp", "touch /dev/x", "touch /dev/shm/x", "touch /usr/x",
                       f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}"):
            for device in (True, False):
                ended = self.run_in("bubblewrap", script, device=device)
                self.assertNotEqual(ended.status, 0, f"{script}: {ended.output}")
                self.assertNotIn("secret", ended.output)


@needs_build
class Similarity(Room):
    def test_what_was_handed_out_is_nobodys(self):
        if similarity.missing_tools():
            self.skipTest("similarity-tester is not installed")

        class House:
            root = PROJECT

        own = solutions()[INTERLEAVED]
        import markers
        stub = markers.stub_of(own, INTERLEAVED)
        texts = {"one": {INTERLEAVED: own}, "two": {INTERLEAVED: own.replace("stride", "step")},
                 "three": {INTERLEAVED: stub}}
        found = similarity.pairs(House, [INTERLEAVED], texts, self.folder)
        self.assertEqual({frozenset(pair[1:3]) for pair in found}, {frozenset(("one", "two"))}, found)
        self.assertTrue(similarity.as_csv(found).startswith("file,of,is like,percent\n"))

    def test_every_pair_is_found_whatever_the_names(self):
        if similarity.missing_tools():
            self.skipTest("similarity-tester is not installed")

        class House:
            root = PROJECT

        own = solutions()
        four = {name: {INTERLEAVED: own[INTERLEAVED]} for name in "abcd"}
        self.assertEqual(len(similarity.pairs(House, [INTERLEAVED], four, self.folder)), 6)
        file = "src/A2Task1Solution/KernelDecomposition.cpp"
        padding = "".join(f"int more{i}(int a) {{ switch (a * {i}) {{ case 1: return a{'+ a' * i}; }} return 0; }}\n"
                          for i in range(60))
        percents = []
        for one, other in (("a", "b"), ("b", "a")):
            texts = {one: {file: own[file]}, other: {file: padding + own[file]}}
            found = similarity.pairs(House, [file], texts, self.folder)
            self.assertEqual([pair[1:3] for pair in found], [(one, other)])
            percents.append(found[0][3])
        self.assertEqual(percents[0], percents[1])
        self.assertGreater(percents[0], 90)


@needs_build
class SimilarityBounds(Room):
    def test_what_takes_too_long_is_said_and_ends_nothing(self):
        if similarity.missing_tools():
            self.skipTest("similarity-tester is not installed")

        class House:
            root = PROJECT

        kernel = "shaders/A2Task1Interleaved.comp"
        long = "".join(f"float f{i}(float x) {{ return x + {i}.0; }}\n" for i in range(24_000))
        texts = {name: {kernel: long, INTERLEAVED: solutions()[INTERLEAVED]} for name in "ab"}
        notes = []
        found = similarity.pairs(House, [kernel, INTERLEAVED], texts, self.folder, None, notes.append)
        self.assertEqual(len(found), 2)
        self.assertEqual(len([one for one in notes if "the first 128 KiB are compared" in one]), 2)
        with unittest.mock.patch.object(similarity, "SECONDS", 0):
            notes.clear()
            self.assertEqual(similarity.pairs(House, [INTERLEAVED], texts, self.folder, None, notes.append), [])
        self.assertIn(f"lacks pairs of {INTERLEAVED}", notes[0])

    def test_the_tool_runs_in_a_jail(self):
        if similarity.missing_tools():
            self.skipTest("similarity-tester is not installed")

        class House:
            root = PROJECT

        texts = {name: {INTERLEAVED: solutions()[INTERLEAVED]} for name in "ab"}
        for kind in Jails.kinds:
            own, commands = jail.Jail(kind, 0), []

            def run(words, *more, commands=commands, **others):
                commands.append([str(word) for word in words])
                return jail_run(words, *more, **others)

            jail_run = jail.run
            with unittest.mock.patch.object(jail, "run", run):
                self.assertEqual(len(similarity.pairs(House, [INTERLEAVED], texts, self.folder, own)), 1)
            own.clean_up()
            self.assertTrue(commands and all("prlimit" in words for words in commands))


@needs_build
class Groups(Room):
    """Control groups, with folders in the places of the kernel's."""

    def test_none_stays(self):
        kept = self.folder / "a2-grade-1-x"
        made = {name: self.folder / name for name in (f"a2-grade-{2 ** 22 + 5}-old", f"a2-grade-{2 ** 22 + 5}-new",
                                                     f"a2-grade-{os.getpid()}-own", "a2-grade-other")}
        for path in (*made.values(), kept):
            path.mkdir()
            if not path.name.endswith("-new"):
                os.utime(path, (1, 1))
        with unittest.mock.patch.object(limits, "places", lambda: [(self.folder, {})]):
            limits.remove_left_groups()
        left = {path.name for path in self.folder.iterdir()}
        self.assertEqual(left, {"a2-grade-1-x", *made} - {f"a2-grade-{2 ** 22 + 5}-old"})

    @unittest.skipUnless(limits.counts_memory(), "no control group can be made here")
    def test_an_interrupted_grading_leaves_none(self):
        script = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
import limits
group = limits.Group(f"a2-grade-{os.getpid()}-test", 1 << 30, 64)
subprocess.Popen([*group.words(), "sleep", "100"])
while not any((one / "cgroup.procs").read_text() for one in group.folders):
    pass
print(*group.folders, flush=True)
limits.end_groups()
os._exit(0)
"""
        ended = subprocess.run([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course")], capture_output=True,
                               text=True, timeout=60)
        self.assertTrue(ended.stdout.split(), ended.stderr)
        self.assertEqual([path for path in ended.stdout.split() if os.path.exists(path)], [])


@needs_build
class Leftovers(Room):
    def test_programs_that_are_ending_take_away_their_own(self):
        left = self.write("left", {"a2-1/file": ""})
        real, calls = shutil.rmtree, []

        def beaten(folder):
            calls.append(folder)
            if len(calls) == 1:  # as where another one removes an entry between the look and the removal
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", "a2-1")
            real(folder)

        with unittest.mock.patch.object(leftovers.shutil, "rmtree", beaten):
            leftovers.remove(left)
        self.assertEqual((left.exists(), len(calls)), (False, 2))


class Interrupted(Room):
    """With submissions that only wait in the places of real ones."""

    def test_a_signal_ends_it_at_once_and_what_is_graded_stands(self):
        (self.folder / "rubric.json").write_text(json.dumps(SMALL_RUBRIC))
        for name in ("a", "b", "c"):
            self.write(f"all/{name}", FILES)
        script = """
import sys, time
sys.path.insert(0, sys.argv[1])
import grader, grading
grader.Grading.enter_jail = lambda *_: None
grader.Grading.try_reference = lambda *_: None
grader.Grading.prepare = lambda self, case, path: None
def judge_case(self, case):
    if case.name != "a":
        time.sleep(600)
grader.Grading.judge_case = judge_case
sys.argv[0] = "grade"
exec(open(grading.__file__).read().split('if __name__ == "__main__":')[1].replace("\\n    ", "\\n"), {
    **vars(grading), "main": lambda: grading.main(sys.argv[2:])})
"""
        for number in (2, 15, 1):
            output = self.folder / f"grades-{number}"
            with subprocess.Popen([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course"),
                                   str(self.folder / "all"), "-o", str(output), "--build", str(BUILD), "-j", "1",
                                   "--rubric", str(self.folder / "rubric.json")], stderr=subprocess.PIPE,
                                  text=True) as process:
                end = time.monotonic() + 60
                while not (output / "a/result.json").exists() and process.poll() is None and time.monotonic() < end:
                    time.sleep(0.05)
                time.sleep(0.2)
                process.send_signal(number)
                _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, said)
            self.assertNotIn("Traceback", said)
            self.assertIn("interrupted: 1 of 3 submissions are graded; the same command with --resume goes on", said)
            self.assertEqual([path.name for path in output.glob("*/")], ["a"])
            self.assertIn("\na,", (output / "grades.csv").read_text())


def grading_mark(output):
    """What names the folder that a grading works in."""
    return "a2-grade-" + str(os.getuid()) + "-" + hashlib.sha256(str(output.resolve()).encode()).hexdigest()[:12]


def running(word):
    """Commands of processes that have this word."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if word.encode() in words:
                found.append(words)
    return found


@needs_build
class Whole(Room):
    """Gradings of two tasks: a right one, broken ones, cheats; killed, resumed and done again."""

    def tree(self):
        found = {}
        for path in sorted((self.folder / "grades").rglob("*")):
            if path.is_file() and path.name != ".lock":
                found[path.relative_to(self.folder / "grades").as_posix()] = path.read_bytes()
        return found

    def test_files_cost_their_own_rows_and_nothing_else(self):
        files = solutions()
        secret = self.folder / "secret.h"
        secret.write_text("struct Secret {};\n")
        # What all users can read, bubblewrap alone hides.
        secret.chmod(0o600 if jail.Jail.works() else 0o644)
        socket_ = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(socket_.close)
        self.write("all/right", files)
        self.write("all/broken", {**files, INTERLEAVED: "int x = ;\n"})
        self.write("all/missing", {name: text for name, text in files.items() if "Interleaved" not in name})
        self.write("all/twice", {**files, SEQUENTIAL: files[SEQUENTIAL] + files[INTERLEAVED].replace(
            'Factory factory("', 'Factory again("').replace("class Interleaved", "class Again")
            .replace("Interleaved(", "Again(").replace("makeAgain", "makeInterleaved")
            .replace("<Interleaved>", "<Again>")})
        self.write("all/including", {**files, INTERLEAVED: f'#include "{secret}"\n{files[INTERLEAVED]}'})
        self.write("all/incbin", {**files, INTERLEAVED: f'asm(".incbin \\"{secret}\\"");\n{files[INTERLEAVED]}'})
        borrowed = '#version 450\n#include "A2Task1Subgroup.comp"\n'
        self.write("all/kernel", {**files, "shaders/A2Task1Interleaved.comp": borrowed})
        self.write("all/network", with_deed(files, ["sys/socket.h", "netinet/in.h", "arpa/inet.h"], f"""
            sockaddr_in a{{}}; a.sin_family = AF_INET; a.sin_port = htons({socket_.getsockname()[1]});
            a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            return connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&a), sizeof a) == 0;"""))
        reasons = {"broken": ":1 does not compile:", "missing": "is not in the submission",
                   "including": ":1 does not compile:", "incbin": "does not compile", "kernel": "shaders/include",
                   "network": "the deed was not done"}
        alone = not jail.Jail.works() or os.getuid() == 0 and jail.no_network()
        # What docs/grading.md says of the other jail.
        if not alone and not limits.seccomp:
            del reasons["network"]
        if jail.Jail.works() and os.getuid() != 0:
            del reasons["including"], reasons["incbin"]
        self.write("all/empty", {"readme.txt": "nothing", "src/x": ""})
        graded = self.grade(self.folder / "all", "-j", "3", status=1)
        self.assertEqual(len(graded), 9, self.said)
        self.assertEqual(graded["right"]["points"], 4, self.said)
        for name, reason in reasons.items():
            self.assertEqual(self.points(graded[name]), {"interleaved": 0, "sequential": 2}, name)
            self.assertIn(reason, self.reason(graded[name], "interleaved"), name)
            self.assertNotIn("/tmp/", json.dumps(graded[name]).replace(str(secret), ""), name)
        self.assertEqual(graded["twice"]["points"], 2)
        self.assertIn("does not link: multiple definition", self.reason(graded["twice"], "sequential"))
        self.assertEqual((graded["empty"]["points"], graded["empty"]["problem"]), (0, "no file of a task is in it"))
        self.assertIn("interleaved", (self.folder / "grades/right/junit.xml").read_text())
        self.assertIn("right", (self.folder / "grades/index.html").read_text())
        before = self.tree()
        self.assertEqual(self.grade(self.folder / "all", status=2), graded)
        self.grade(self.folder / "all", "--resume", status=1)
        self.assertEqual(self.tree(), before)

    def test_nothing_of_a_submission_runs_while_it_is_judged(self):
        files = solutions()
        self.write("all/right", files)
        # What outlives the recorder, where the jail lets it.
        self.write("all/leaves", with_deed(files, ["unistd.h"], """
            if (fork() == 0) { setsid(); for (int i = 3; i < 99; ++i) close(i); for (;;) sleep(1); }
            return true;"""))
        seen = []
        judge_one = judging.Judge.once

        def once(judge, question, tasks, file, folder, build, seconds):
            seen.append((running(str(build.library)), file.stat().st_size))
            answer = judge_one(judge, question, tasks, file, folder, build, seconds)
            seen.append((running(str(build.library)), 1))
            return answer

        for kind in (["bubblewrap"] if not jail.Jail.works() else []) + (["user"] if os.getuid() == 0 else []):
            with self.subTest(kind), unittest.mock.patch.object(judging.Judge, "once", once):
                graded = self.grade(self.folder / "all", "--jail", kind, "-j", "1", output=kind)
                self.assertEqual({name: one["points"] for name, one in graded.items()}, {"right": 4, "leaves": 4})
                self.assertTrue(seen)
                self.assertEqual([one for one in seen if one[0]], [])
                self.assertTrue(all(size > 0 for _, size in seen))

    @unittest.skipUnless(os.getuid() == 0, "without root it is this user")
    def test_the_process_of_the_device_is_jailed(self):
        files = solutions()
        self.write("all/right", files)
        wild = files["shaders/A2Task1Interleaved.comp"].replace("#version 450\n", """#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(buffer_reference, std430) buffer Anywhere { uint word; };
""", 1)
        at = wild.index("void main()")
        at = wild.index("{", at) + 1
        wild = wild[:at] + "\n    Anywhere(uint64_t(4096)).word = 1;" + wild[at:]
        self.write("all/wild", {**files, "shaders/A2Task1Interleaved.comp": wild})
        seen, over = [], threading.Event()

        def is_ours(process):
            """Other tests may run beside this one."""
            while process.name not in ("0", "1"):
                if process.name == str(os.getpid()):
                    return True
                parent = re.search(r"^PPid:\s*(\d+)", (process / "status").read_text(), re.M)
                process = process.with_name(parent[1])
            return False

        def watch():
            while not over.wait(0.005):
                for path in pathlib.Path("/proc").glob("[0-9]*"):
                    with contextlib.suppress(OSError):
                        words = (path / "cmdline").read_bytes().split(b"\0")
                        if words[1:2] == [b"--work-the-device-for-a2"] and b"--recordings" in words and is_ours(path):
                            status = dict(line.split(":\t", 1) for line in (path / "status").read_text().splitlines()
                                          if ":\t" in line)
                            # The folder is root's once the process has hidden itself.
                            seen.append((int(status["Uid"].split()[0]), status["CapEff"], status["CapBnd"], status["Seccomp"],
                                         (path / "root/home").exists(), os.readlink(path / "ns/net")))

        for kind in (["bubblewrap"] if not jail.Jail.works() else []) + ["user"]:
            with self.subTest(kind):
                seen.clear()
                over.clear()
                watcher = threading.Thread(target=watch)
                watcher.start()
                try:
                    graded = self.grade(self.folder / "all", "--jail", kind, output=kind)
                finally:
                    over.set()
                    watcher.join()
                self.assertEqual(self.points(graded["right"]), {"interleaved": 2, "sequential": 2}, self.said)
                self.assertEqual(self.points(graded["wild"]), {"interleaved": 0, "sequential": 2}, self.said)
                self.assertIn("2", [one[3] for one in seen])  # without libseccomp, too, once a2 has begun
                for user, own, most, calls, home, network in seen:
                    self.assertIn(user, range(jail.FIRST_USER, jail.LAST_USER + 1))
                    self.assertEqual({own, most}, {"0" * 16})
                    self.assertIn(calls, ("2",) if limits.seccomp else ("0", "2"))
                    if kind == "bubblewrap":
                        self.assertFalse(home)
                        self.assertNotEqual(network, os.readlink("/proc/self/ns/net"))

    def test_times_are_held_against_the_references(self):
        self.write("one", solutions())
        criteria = [SMALL_RUBRIC["criteria"][0]]
        criteria += [{"id": name, "title": name, "task": "reduce/unroll", "points": 1, "extra": True,
                      "evidence": [{"kind": "check"}, {"kind": "time", "factor": factor}]}
                     for name, factor in (("within-ten-times", 10), ("in-a-hundredth", 0.01))]
        result = self.grade(self.folder / "one", rubric={**SMALL_RUBRIC, "criteria": criteria, "most_extra": 2})["one"]
        self.assertEqual(self.points(result), {"interleaved": 2, "within-ten-times": 1, "in-a-hundredth": 0}, self.said)
        self.assertIn("not within 0.01 times", self.reason(result, "in-a-hundredth"))

    def test_without_bubblewrap(self):
        files = solutions()
        self.write("all/right", files)
        self.write("all/broken", {**files, INTERLEAVED: "int x = ;\n"})
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        jailed = []
        programs = []

        def note(words, *more, **others):
            jailed.append([str(word) for word in words])
            return jail.run(words, *more, **others)

        def note_program(self):
            make_program(self)
            programs.append((self.folder / "jail").read_text())

        make_program = build.Build.jail_program
        with unittest.mock.patch.object(build, "run", note), \
                unittest.mock.patch.object(build.Build, "jail_program", note_program):
            graded = self.grade(self.folder / "all", "--jail", "user")
        # The project may lie where that user cannot even look.
        for words in jailed if os.getuid() == 0 else []:
            self.assertFalse([word for word in words if str(PROJECT) in word or str(BUILD) in word])
        self.assertTrue(jailed and programs)
        for program in programs if os.getuid() == 0 else []:
            worker = next(line for line in program.splitlines() if "a2_worker)" in line)
            self.assertNotIn(str(BUILD), worker)
        self.assertEqual({name: (one["points"], one["jail"]) for name, one in graded.items()},
                         {"right": (4, "user"), "broken": (2, "user")}, self.said)
        self.assertIn("warning: no bubblewrap", self.said)

    @unittest.skipIf(jail.Jail.works(), "bubblewrap alone hides it")
    def test_a_compiler_that_is_none_of_the_systems_is_seen_where_that_is_said(self):
        self.write("right", solutions())
        (self.folder / "tools").mkdir()
        own = house.House.compile_words

        def elsewhere(self_):
            words = own(self_)
            compiler = self.folder / "tools" / "compiler"
            compiler.write_text(f'#!/bin/sh\nexec {words[0]} "$@"\n')
            compiler.chmod(0o755)
            return [str(compiler), *words[1:]]

        with unittest.mock.patch.object(house.House, "compile_words", elsewhere):
            self.grade(self.folder / "right", status=3)
            graded = self.grade(self.folder / "right", "--see", self.folder / "tools", "--resume")
        self.assertEqual(graded["right"]["points"], 4, self.said)
        self.grade(self.folder / "right", "--see", self.folder / "none", status=3)
        self.assertIn("there is no such folder", self.said)

    def test_again_and_resumed_gives_the_same(self):
        files = solutions()
        for name in ("one", "two"):
            self.write(f"all/{name}", files)
        self.grade(self.folder / "all")
        before = self.tree()
        self.assertFalse([name for name in before if name.startswith(".part")])
        # As a killed one leaves it: one is there, of the other a part.
        os.rename(self.folder / "grades/two", self.folder / "grades/.part-1")
        (self.folder / "grades/.part-1/result.json").write_text("{")
        self.grade(self.folder / "all", "--resume", "-j", "1")
        self.assertEqual(self.tree(), before)

    def test_killed_at_any_moment_nothing_is_lost(self):
        for name in ("one", "two"):
            self.write(f"all/{name}", solutions())
        self.grade(self.folder / "all", "-s", "20240229", output="whole")
        (self.folder / "grades").mkdir()
        words = [PROJECT / "tools/grade", self.folder / "all", "-o", self.folder / "grades", "-s", "20240229",
                 "--build", BUILD, "--rubric", self.folder / "rubric.json", "-j", "1", "--resume"]
        for seconds in (0.5, 2.5, 4.0):
            process = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.grade(self.folder / "all", "--resume")
        whole = {path.relative_to(self.folder / "whole").as_posix(): path.read_bytes()
                 for path in sorted((self.folder / "whole").rglob("*")) if path.is_file() and path.name != ".lock"}
        self.assertEqual(self.tree(), whole)
        end = time.monotonic() + 60
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(left, [], "what was killed has left nothing that runs")

    def processes(self):
        """Command lines that have to do with this test's folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                text = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if str(self.folder / "grades") in text or grading_mark(self.folder / "grades") in text:
                found.append(text)
        return found

    def test_wrong_usage_is_said(self):
        self.write("one", FILES)
        self.grade(self.folder / "none", status=2)
        self.assertIn("there is no such file or folder", self.said)
        self.grade(self.folder / "one", "--only", "other", status=2)
        self.grade(self.folder / "one", rubric={"schema": 2}, status=2)
        self.assertIn("rubric.json", self.said)
        self.grade(self.folder / "one", "--device", "no such device", status=3)

    def test_a_repository_is_its_head(self):
        path = self.write("repository", solutions())
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            git_in(path, *words)
        self.write("repository", {INTERLEAVED: "not committed"})
        self.assertEqual(self.grade(path)["repository"]["points"], 4, self.said)


if __name__ == "__main__":
    unittest.main()
