#!/usr/bin/python3
"""What tools/grade accepts as a submission: folders, archives, archives of classes, repositories."""

import errno
import functools
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
import warnings
import zipfile

from grade_support import (FILES, INTERLEAVED, JAILS, NOTHING_JUDGED, POWERLESS, PROJECT, WANTED, WHOSE, Room, git_in,
                           needs_build, whose)

import earlier
import grader
import grading
import jail
import layouts
import outputs
import repository
import submissions


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
        self.assertEqual([one.name for one in submissions.find([self.folder / "class"], None)], ["ada"])
        self.assertEqual([one.name for one in submissions.find([self.folder / "class"], None, alone=True)], ["class"])
        self.assertEqual([one.name for one in submissions.find([self.folder / "class", self.folder / "student"], None)],
                         ["class", "student"])
        self.assertEqual([one.name for one in submissions.find([self.folder / "class/ada"], None)], ["ada"])
        _, _, before = earlier.find([self.folder / "class"], None)[0]
        self.assertEqual([one.name for one in before], ["ada"])
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

    def test_whose_it_is_stays_known(self):
        """For handing over, because the short name may have lost it."""
        room = self.write("room", {"x": ""})
        names = ["Ada King_12345_assignsubmission_file_", "Zoe\u0308 d'Or_77_assignsubmission_file_a2.comp"]
        for name in names:
            self.write(f"class/{name}" if "." not in name else "class", {"x.comp" if "." not in name else name: ""})
        known = [{"id": "12345", "name": "Ada King"}, {"id": "77", "name": "Zo\xeb d'Or"}]
        self.assertEqual([one.student for one in submissions.find([self.folder / "class"], lambda: room)], known)
        with zipfile.ZipFile(self.folder / "class.zip", "w") as archive:
            for name in names:
                archive.writestr(f"{name}/x.comp" if "." not in name else name, "")
        self.assertEqual([one.student for one in submissions.find([self.folder / "class.zip"], lambda: room)], known)
        for name, student in (("lovelaceada_LATE_4711_815_a2.zip", {"id": "4711", "name": "lovelaceada"}),
                              ("submission_123", None), ("ada.zip", None)):
            self.assertEqual(layouts.student_of(name), student)

    def test_a_folder_of_submissions(self):
        for name in ("submission_1", "submission_2"):
            self.write(f"all/{name}", FILES)
        os.rename(self.zipped("x.zip", FILES), self.folder / "all" / "Submission_1.zip")
        (self.folder / "all" / "link").symlink_to("/etc")
        (self.folder / "all" / "readme.txt").write_text("")
        room = self.write("room", {})
        room.mkdir()
        self.assertEqual([one.name for one in submissions.find([self.folder / "all"], lambda: room)],
                         ["Submission_1", "link", "submission_1-2", "submission_2"])
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

    def test_archives_that_are_not_read_are_somebodys_work(self):
        (self.folder / "class").mkdir()
        zipped = self.zipped("class/read.zip", FILES).read_bytes()
        for name in ("a.rar", "b.TAR.XZ", "c.7z", "d.bundle"):
            (self.folder / "class" / name).write_bytes(b"x")
        (self.folder / "class" / "grades.csv").write_text("x")
        for kind, path in {"folder": self.folder / "class",
                           "zip": self.zipped("class.zip", {"moodle_1_assignsubmission_file/a.rar": b"x",
                                                            "ada_2_assignsubmission_file/a2.zip": zipped})}.items():
            with self.subTest(kind):
                room = self.folder / f"room-{kind}"
                room.mkdir()
                found = submissions.find([path], lambda room=room: room)
                unread = [one for one in found if one.refused]
                self.assertEqual(len(found) - len(unread), 1)
                self.assertEqual(len(unread), 4 if kind == "folder" else 1)
                for one in unread:
                    self.assertIn("pack it as one of these", one.refused[0][1])

    def test_nothing_of_a_class_is_passed_over_in_silence(self):
        """Unreadable submissions belong to somebody, and are listed."""
        place = self.write("all", {f"{who}/{name}": text for who in ("ada", "bo", ".dot", "..x", ".github", ".Trash-0", ".vscode")
                                   for name, text in FILES.items()})
        self.write("all", {"readme.txt": "x", ".DS_Store": "x", "._a.zip": "x"})
        (place / "folder").symlink_to(place / "ada")
        (place / "link.zip").symlink_to(self.zipped("real.zip", FILES))
        (place / "gone").symlink_to("nowhere")
        (place / ".#readme.txt").symlink_to("editor@machine")
        os.mkfifo(place / "fifo.zip")
        os.mkfifo(place / "Eve_3_assignsubmission_file_a2.zip")
        room = self.write("room", {"x": ""})
        found = {one.name: one for one in submissions.find([place], lambda: room)}
        link, pipe = "a symbolic link is no file", "a device, a pipe or a socket is no file"
        self.assertEqual({name: [why for _, why in one.refused] for name, one in found.items()},
                         {"ada": [], "bo": [], "dot": [], "x": [], "folder": [link], "link": [link], "gone": [link],
                          "fifo": [pipe], "Eve_3": [pipe]})
        for name in ("ada", "dot", "x"):
            self.assert_whole(self.read(found[name].path))
        for name in ("folder", "fifo"):
            self.assertEqual(self.read(found[name].path).files, {})

    def test_ways_out_of_the_archive_of_a_class_are_listed(self):
        ada, eve = "Ada_1_assignsubmission_file_", "Eve_2_assignsubmission_file_"
        link = zipfile.ZipInfo("carol")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        path = self.zipped("class.zip", {**{f"{ada}/{name}": text for name, text in FILES.items()},
                                         f"{ada}/../../{WANTED[0]}": "bad", f"../../{eve}/a2.zip": "bad", "/x.zip": "bad"})
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(link, "/etc")
        room = self.write("room", {"x": ""})
        found = {one.name: one for one in submissions.find([path], lambda: room)}
        out = "its path leads out of the submission"
        self.assertEqual({name: one.refused for name, one in found.items()},
                         {"Ada_1": ((f"{ada}/../../{WANTED[0]}", out),), "Eve_2": ((f"../../{eve}/a2.zip", out),),
                          "x": (("/x.zip", out),), "carol": (("carol", "a symbolic link is no file"),)})
        self.assertEqual(found["Eve_2"].student, {"id": "2", "name": "Eve"})
        self.assert_whole(self.read(found["Ada_1"].path))

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
        self.assertEqual([(one.name, one.refused) for one in found if one.refused],
                         [(name, ((path, "its path leads out of the submission"),)) for name, path in (
                             ("out", "../out.zip"), ("abs", "/abs.zip"), ("c-..-..-out", "c/../../out.zip"))])
        self.assertEqual([one.name for one in found if not one.refused], ["a_1", "b_1"])
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

        with unittest.mock.patch.object(grader.Grading, "__init__", lambda *_, **__: None), \
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

    def test_an_encrypted_archive_is_called_so(self):
        path = self.zipped("secret.zip", {**FILES, "inner.zip": self.zipped("inner.zip", FILES).read_bytes()})
        path.write_bytes(path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\x01\0"))
        why = "cannot be read: its archive is encrypted: pack it without a password"
        self.assertEqual(dict(self.read(path).refused), dict.fromkeys([*WANTED, "inner.zip"], why))

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
            with self.assertRaisesRegex(submissions.Unreadable, "it cannot be read: it is no .zip, or one that is cut"
                                        if name == "broken.zip" else "it is a .zip, whatever its name says: name it so"):
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
        """name -> (paths of a class, names of its submissions), as course systems export them."""
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
        # A path that is named like a single submission is one, too.
        own = self.folder / "Eve_12_assignsubmission_file_a2.zip"
        os.rename(self.folder / "eve2.zip", own)
        self.assertEqual([one.name for one in submissions.find([own], None)], ["Eve_12"])

    def test_one_folder_beside_archives_is_not_all(self):
        self.write("all/eve", FILES)
        for name in ("alice", "bob"):
            os.rename(self.zipped(f"{name}.zip", FILES), self.folder / "all" / f"{name}.zip")
        self.assertEqual([one.name for one in submissions.find([self.folder / "all"], None)], ["alice", "bob", "eve"])

    def test_what_an_archive_is_comes_in_words_of_its_own(self):
        zipped, tarred = self.zipped("a", FILES).read_bytes(), gzip.decompress(self.tarred("b", [
            (tarfile.TarInfo(name), text.encode()) for name, text in FILES.items()]).read_bytes())
        for name, data, words in (("a.tar.gz", zipped, "it is a .zip, whatever its name says: name it so"),
                                  ("a.zip", gzip.compress(tarred), "it is a .tar.gz, whatever its name says: name it so"),
                                  ("a.tar", gzip.compress(tarred), "it is a .tar.gz, whatever its name says: name it so"),
                                  ("a.tgz", tarred, "it is a .tar, whatever its name says: name it so"),
                                  ("a.zip", b"Rar!\x1a\7\0", "it is a .rar, whatever its name says: pack it as a .zip"),
                                  ("a.zip", b"", "it is empty: hand it in again"),
                                  ("a.tar", b"", "it is empty: hand it in again"),
                                  ("a.zip", zipped[:-30], "it cannot be read: it is no .zip, or one that is cut off or"),
                                  ("a.tar", bytes(10240), "it is a tar without files: pack it again"),
                                  ("a.tar.gz", gzip.compress(bytes(10240)), "it is a tar without files: pack it again"),
                                  ("a.tar", b"x" * 900, "it cannot be read: it is no tar, or a damaged one: pack it again"),
                                  ("a.tgz", b"x" * 900, "it cannot be read: it is no .tar.gz, or a damaged one: pack it")):
            (self.folder / name).write_bytes(data)
            with self.assertRaises(submissions.Unreadable) as caught:
                self.read(self.folder / name)
            self.assertTrue(str(caught.exception).startswith(words), caught.exception)
        (self.folder / "a.tgz").write_bytes(gzip.compress(tarred))
        self.assert_whole(self.read(self.folder / "a.tgz"))

    def test_a_path_that_stands_twice(self):
        why = "stands in it more than once, and not the same: pack it again"
        for first, again, refused in (("good", "good", []), ("good", "evil", [(WANTED[0], why)])):
            path = self.folder / "twice.zip"
            with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings(action="ignore"):
                for content in (first, again):
                    archive.writestr(WANTED[0], content)
                archive.writestr(WANTED[2], "good")
            handed = self.read(path)
            self.assertEqual(handed.files, {one: b"good" for one in WANTED[:3:2] if (one, why) not in refused})
            self.assertEqual((handed.refused, handed.unused), (refused, []))
            with zipfile.ZipFile(self.folder / "class.zip", "w") as archive, warnings.catch_warnings(action="ignore"):
                for content in (first, again):
                    archive.writestr(f"Eve_12_assignsubmission_file_/{WANTED[0]}", content)
            room = self.write(f"room-{again}", {"x": ""})
            found = submissions.find([self.folder / "class.zip"], lambda room=room: room)
            self.assertEqual([list(one.refused) for one in found], [refused])
            self.assertEqual(self.read(found[0].path).files, {} if refused else {WANTED[0]: b"good"})

    @needs_build
    def test_the_reason_of_no_file_is_named_everywhere(self):
        (self.folder / "all").mkdir()
        inner, other = (self.zipped("a.zip", files).read_bytes() for files in (FILES, dict.fromkeys(WANTED, "x")))
        self.zipped("all/two.zip", {"v1.zip": inner, "v2.zip": other, "a.pdf": "x"})
        secret = self.zipped("all/secret.zip", FILES)
        secret.write_bytes(secret.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\x01\0"))
        self.zipped("all/out.zip", {f"../{INTERLEAVED}": "x"})
        for _ in range(submissions.MOST_DEEP + 1):
            inner = self.zipped("all/deep.zip", {"a.zip": inner}).read_bytes()
        self.zipped("all/inner.zip", {"notes.txt": "x", "z.tar.gz": other})
        self.write("all/link", {"notes.txt": "x"})
        (self.folder / "all/link/src").symlink_to("/etc")
        self.write("all/none", {"notes.txt": "x"})
        patched = {name: of for name, of in NOTHING_JUDGED.items() if name != "prepare"}
        with unittest.mock.patch.multiple(grader.Grading, **patched):
            graded = self.grade(self.folder / "all", "--no-similarity", status=1)
        whys = {"two": f"{WANTED[0]}: refused, is in several archives, and not the same: v1.zip, v2.zip",
                "secret": f"{WANTED[0]}: refused, cannot be read: its archive is encrypted: pack it without a password",
                "out": f"../{INTERLEAVED}: refused, its path leads out of the submission",
                "deep": "a.zip/a.zip/a.zip/a.zip: refused, lies in more than 3 archives, one in the other: pack it "
                        "without them",
                "inner": "z.tar.gz: refused, is a .zip, whatever its name says: name it so",
                "link": "src: refused, a symbolic link is no file", "none": None}
        page, table = ((self.folder / "grades" / name).read_text() for name in ("class.html", "grades.csv"))
        for name, why in whys.items():
            problem = "no file of a task is in it" + (f"; {why}" if why else "")
            self.assertEqual(graded[name]["problem"], problem)
            self.assertIn(f"({problem})\n", self.said)
            self.assertIn(problem, page)
            self.assertIn(problem, table)
            feedback = (self.folder / f"grades/{name}/feedback.md").read_text()
            self.assertIn(f"**Not graded: {outputs.plain(problem)}**", feedback)

    @needs_build
    def test_a_name_adds_no_line_of_its_own(self):
        forged = "tools/grade: bob: 20 of 20, 2 extra"
        (self.folder / "all").mkdir()
        for number, end in enumerate(("\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85", "\n\t")):
            link = zipfile.ZipInfo(f"x{end}{forged}{end}bob,20,20,2")
            link.create_system, link.external_attr = 3, 0o120777 << 16
            with zipfile.ZipFile(self.folder / f"all/eve{number}.zip", "w") as archive:
                archive.writestr(link, "/etc")
        patched = {name: of for name, of in NOTHING_JUDGED.items() if name != "prepare"}
        with unittest.mock.patch.multiple(grader.Grading, **patched):
            graded = self.grade(self.folder / "all", "--no-similarity", status=1)
        texts = [self.said, *((self.folder / "grades" / name).read_text() for name in (
            "grades.csv", *(f"{one}/feedback.md" for one in graded), *(f"{one}/junit.xml" for one in graded)))]
        texts += [result["problem"] for result in graded.values()]
        texts += [json.loads((self.folder / f"grades/{one}/gradescope/results.json").read_text())["output"]
                  for one in graded]
        for text in texts:
            self.assertFalse([line for line in text.splitlines() if line.lstrip().startswith((forged, "bob"))], text)
        self.assertEqual(len(self.said.splitlines()), len(graded))
        self.assertIn("x<U+000A>tools/grade: bob: 20 of 20, 2 extra<U+000A>bob", graded["eve0"]["problem"])

    def test_an_error_of_several_lines_is_a_problem_of_one(self):
        case = grader.Case(1, "eve")
        with case.noting():
            raise RuntimeError("a\ntools/grade: bob: 2 of 2\n" + "x" * 5000)
        self.assertIn("the grader failed on it: RuntimeError: a tools/grade: bob: 2 of 2 xxx", case.problem)
        self.assertLess(len(case.problem), 1100)

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
        self.assertFalse({"grades.csv", "index.html", "similarity.csv", "similarity.html"} & set(names))
        self.assertEqual(names, [one.name for one in submissions.find([self.folder / "all"], None)])

    def deep(self, path):
        """Folders in folders, as no path can name them: made from within."""
        before = os.getcwd()
        (self.folder / path).mkdir(parents=True)
        try:
            os.chdir(self.folder / path)
            for _ in range(1500):
                os.mkdir("aa")
                os.chdir("aa")
            pathlib.Path(WANTED[0].rsplit("/", 1)[-1]).write_text("too deep")
        finally:
            os.chdir(before)

    def test_folders_that_are_too_deep_spoil_one_student(self):
        why = "its path is longer than 1024 bytes"
        self.write("all/ada_11_111_hw", FILES)
        self.zipped("all/mal_12_112_hw.zip", FILES)
        self.deep("all/mal_12_112_hw")
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.folder / "all")])
        room = self.write("room", {"x": ""})
        found = {one.name: one for one in submissions.find([self.folder / "all"], lambda: room)}
        self.assertEqual(list(found), ["ada_11", "mal_12"])
        self.assert_whole(self.read(found["ada_11"].path))
        self.assert_whole(self.read(found["mal_12"].path))
        self.assertEqual([(path[:9], words) for path, words in found["mal_12"].refused],
                         [("hw/aa/aa/", f"{why}, and no file in it is read")])
        handed = self.read(self.folder / "all/mal_12_112_hw")
        self.assertEqual((handed.files, len(handed.refused)), ({}, 1))
        self.assertIn(why, handed.refused[0][1])

    def test_whatever_is_wrong_with_one_student_does_not_stop_the_rest(self):
        ada, eve = "Ada_1_assignsubmission_file_", "Eve_2_assignsubmission_file_"
        members = {f"{who}/{name}": text for who in (ada, eve) for name, text in FILES.items()}
        paths = [self.zipped("class.zip", members), self.write("class", {**members, f"{eve}{WANTED[0][8:]}": "x",
                                                                         f"{ada}notes.txt": "x"})]
        own = submissions.Packed.add
        for path, error, why in ((path, error, why) for path in paths for error, why in (
                (RecursionError("too deep"), "too deep"), (MemoryError(), "MemoryError"), (KeyError("a\nb"), "'a\\nb'"),
                (OSError(errno.ENAMETOOLONG, "a\nb", "x"), "a b"), (UnicodeError("it"), "it"))):
            def add(packed, name, *more, error=error):
                if packed.path.name == "1.zip":
                    raise error
                own(packed, name, *more)

            with self.subTest(path=path.name, error=error), unittest.mock.patch.object(submissions.Packed, "add", add):
                room = self.write(f"room {path.name} {type(error).__name__}", {"x": ""})
                found = submissions.find([path], lambda room=room: room)
                self.assertEqual([one.name for one in found], ["Ada_1", "Eve_2"])
                self.assert_whole(self.read(found[0].path))
                self.assertEqual({words for _, words in found[1].refused}, {f"cannot be read: {why}"})
        full = OSError(errno.ENOSPC, "no room")
        with unittest.mock.patch.object(submissions.Packed, "add", side_effect=full), self.assertRaises(OSError):
            submissions.find(paths[:1], lambda room=room: room)

    def test_a_name_that_is_not_in_the_encoding_it_claims_spoils_one_file(self):
        ada, eve = "Ada_1_assignsubmission_file_", "Eve_2_assignsubmission_file_"
        text = {f"{who}/{name}": text for who in (ada, eve) for name, text in FILES.items()}
        path = self.zipped("class.zip", {**text, f"{eve}/Zo\xeb.zip": "x", f"{ada}/Zo\xeb.txt": "x"})
        path.write_bytes(path.read_bytes().replace("Zo\xeb.zip".encode(), b"Zo\xff\xfe.zip"))
        room = self.write("room", {"x": ""})
        found = submissions.find([path], lambda: room)
        self.assertEqual([one.name for one in found], ["Ada_1", "Eve_2"])
        for one in found:
            self.assert_whole(self.read(one.path))
        self.assertEqual(self.read(found[0].path).unused, ["Zo\xeb.txt"])
        why = "cannot be read: its name is not in UTF-8, as the archive says: pack it again"
        self.assertEqual([one.refused for one in found], [(), (("Zo\xa0\u25a0.zip", why),)])
        path = self.zipped("one.zip", {**FILES, "Zo\xeb.txt": "x"})
        path.write_bytes(path.read_bytes().replace("Zo\xeb".encode(), b"Zo\xff\xfe"))
        self.assert_whole(self.read(path))

    def test_a_class_that_cannot_be_read_is_nobodys(self):
        self.write("all/eve", {"x": ""})
        error = PermissionError(errno.EACCES, "Permission denied", "all/x")
        with unittest.mock.patch.object(submissions, "heads_on_disk", side_effect=error):
            with self.assertRaisesRegex(submissions.Unreadable, "all: it cannot be read: Permission denied: all/x"):
                submissions.find([self.folder / "all"], None)
            several = [self.folder / "all", self.folder / "all/eve"]
            self.assertEqual([one.path for one in submissions.find(several, None)], several)

    def test_an_earlier_year_that_cannot_be_read_stops_nothing(self):
        self.write("year/eve", FILES)
        self.write("year/mal", FILES)
        own, notes = submissions.read, []

        def read(path, *more):
            if path.name == "mal":
                raise KeyError("x")
            return own(path, *more)

        with unittest.mock.patch.object(submissions, "read", read):
            texts = earlier.texts(earlier.find([self.folder / "year"], None), WANTED, None, notes.append)
        self.assertEqual((list(texts), notes), (["year/eve"], ["year/mal is not compared: 'x'"]))

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
        for path in (self.zipped("many.zip", {f"{i}.zip": half for i in range(20)}),
                     self.tarred("many.tar.gz", [(tarfile.TarInfo(f"{i}.zip"), half) for i in range(20)])):
            many = self.read(path)
            self.assertEqual([why for _, why in many.refused], ["is one of more than 8 archives"] * 12, path)

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
    """Read as objects: the repository cannot decide what runs, or which other files are read."""

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

    @unittest.skipUnless(os.getuid() == 0, "without root it is this user")
    def test_git_is_another_user_who_may_do_nothing(self):
        path = self.repository()
        # If git ran as root it would find this program; in a jail the system's is found.
        outside = self.write("programs", {"git": f'#!/bin/sh\ntouch {self.folder}/outside\nexec /usr/bin/git "$@"\n'})
        (outside / "git").chmod(0o755)
        seen = []

        def note(words, *more, **others):
            """The same words with another program in place of git, followed by git."""
            at = len(words) - 1 - [str(word) for word in reversed(words)].index("git")
            seen.append(run([*words[:at], "/bin/sh", "-c", WHOSE], 20).output)
            return run(words, *more, **others)

        run = jail.run
        for kind in JAILS:
            with self.subTest(kind):
                seen.clear()
                grading_ = grader.Grading.__new__(grader.Grading)
                grading_.kind, grading_.work = kind, self.folder
                case = grader.Case(len(kind), "name", user=7)
                with unittest.mock.patch.object(repository.jail, "run", note), \
                        unittest.mock.patch.dict(os.environ, PATH=f"{outside}:{os.environ['PATH']}"):
                    handed = submissions.read(path, WANTED, functools.partial(grading_.open_repository, case))
                self.assertEqual({name: content.decode() for name, content in handed.files.items()}, FILES)
                self.assertGreaterEqual(len(seen), 2)  # the tree, and its content
                for said in seen:
                    self.assertEqual(whose(said), (jail.first_user() + 7, POWERLESS))
                self.assertFalse((self.folder / "outside").exists())

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

    def test_only_what_is_taken_is_read(self):
        """However many of its files may be some that tasks need."""
        path = self.repository()
        self.write("repository", {f"d{at}/{one}": f"{at} of {one}" for at in range(40) for one in WANTED[:3]})
        git_in(path, "add", ".")
        git_in(path, "commit", "-qm", "more")
        asked = []

        def contents(opened, objects):
            asked.extend(objects)
            return own(opened, objects)

        own = repository.Repository.contents
        with unittest.mock.patch.object(repository.Repository, "contents", contents):
            self.assert_whole(path)
            self.assertEqual(len(asked), len(WANTED))
            asked.clear()
            with unittest.mock.patch.object(submissions, "MOST_MEMBERS", 100):
                self.assert_refused(path, "more than 100 files")
            self.assertEqual(asked, [])
        with unittest.mock.patch.object(repository, "MOST_KEPT", 100):
            self.assert_refused(path, "more than 0 MiB of what may be files of tasks")

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


if __name__ == "__main__":
    unittest.main()
