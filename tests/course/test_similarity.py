#!/usr/bin/python3
"""Who handed in the same: every pair, in bounded time."""

import unittest
import unittest.mock

from grade_support import INTERLEAVED, JAILS, PROJECT, Room, needs_build, solutions

import jail
import similarity


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
        for kind in JAILS:
            own, commands = jail.Jail(kind, 0), []

            def run(words, *more, commands=commands, **others):
                commands.append([str(word) for word in words])
                return jail_run(words, *more, **others)

            jail_run = jail.run
            with unittest.mock.patch.object(jail, "run", run):
                self.assertEqual(len(similarity.pairs(House, [INTERLEAVED], texts, self.folder, own)), 1)
            own.clean_up()
            self.assertTrue(commands and all("prlimit" in words for words in commands))


if __name__ == "__main__":
    unittest.main()
