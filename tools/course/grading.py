"""tools/grade: submissions in, grades/ out. Each is prepared beside others, and judged alone on the device."""

import argparse
import concurrent.futures
import contextlib
import fcntl
import fnmatch
import hashlib
import json
import os
import shutil
import sys
import tempfile
import threading
import traceback
from pathlib import Path

import outputs
import similarity
import submissions
from build import Build
from house import House, HouseError
from jail import Jail, run
from judging import Judge, Reference
from rubric import RubricError, load

HERE = Path(__file__).resolve().parent
DONE, NOT_ALL, USAGE, ENVIRONMENT = 0, 1, 2, 3


def say(text):
    print(f"tools/grade: {text}", file=sys.stderr, flush=True)


def arguments_of(words):
    parser = argparse.ArgumentParser(
        prog="tools/grade", description="Grades submissions with the a2 that is built here; docs/grading.md says how.",
        epilog="Exit status: 0 all graded, 1 some could not be, 2 wrong usage, 3 something is missing here.")
    parser.add_argument("submissions", nargs="+", type=Path, metavar="SUBMISSION",
                        help="a folder, .zip, .tar, .tar.gz or git repository (its HEAD), or a folder of them")
    parser.add_argument("-o", "--output", required=True, type=Path, help="folder for the grades; it is made")
    parser.add_argument("-j", "--jobs", type=int, default=2,
                        help="submissions in work at a time, one of them on the device; default: 2")
    parser.add_argument("--only", metavar="NAME", help="only submissions of this name, or glob")
    parser.add_argument("--resume", action="store_true", help="go on: what has been graded stays as it is")
    parser.add_argument("--rubric", type=Path, default=HERE / "rubric.json",
                        help="what earns points; default: the course's")
    parser.add_argument("-d", "--device", help="the device, as a2 -d has it; default: a2's choice")
    parser.add_argument("-s", "--seed", type=int, default=20_240_229,
                        help="of the random input, the same for all; default: always the same")
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build",
                        help="folder of the built a2; default: build")
    parser.add_argument("--jail", choices=["auto", "bubblewrap", "user"], default="auto",
                        help="bubblewrap, or another user and limits; default: bubblewrap where it works")
    parser.add_argument("--compile-time", type=int, default=60, metavar="SECONDS", help="for one file; default: 60")
    parser.add_argument("--no-similarity", action="store_true", help="no similarity.csv")
    options = parser.parse_args(words)
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    return options


def jail_kind(wanted):
    why = Jail.works() if wanted != "user" else "asked for"
    if not why:
        return "bubblewrap"
    if wanted == "bubblewrap":
        raise HouseError(f"{why}; apt-get install bubblewrap, or --jail user")
    if os.getuid() == 0:
        say(f"warning: no bubblewrap ({why}): solutions run as another user with limits, and can read what all can "
            "read, this project among it")
    else:
        say(f"warning: no bubblewrap ({why}): solutions run as you, with limits; grade as root, or in a container of "
            "its own")
    return "user"


def work_folder(output, ending, mode):
    """An empty folder for a grading's work. Not in the output folder, which jailed programs cannot so much as look
    for. A run that was killed leaves it behind, and the next one for the same output removes it."""
    mark = hashlib.sha256(str(output).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()).resolve() / f"a2-grade-{os.getuid()}-{mark}{ending}"
    if folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == os.getuid():
        shutil.rmtree(folder)
    folder.mkdir(mode=mode)
    folder.chmod(mode)
    return folder


class Grading:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.house = House(options.build)
        self.rubric = load(options.rubric, self.house.rows)
        asked = {task for tasks in self.rubric.runs().values() for task in tasks}
        self.tasks = [task for task in self.house.rows if task in asked]
        self.wanted = self.house.files_of(self.tasks)
        self.kind = jail_kind(options.jail)
        if self.kind == "user" and os.getuid() == 0:
            self.house.copy_for_others(self.work / "house")
        self.judge = Judge(self.house, options.device, options.seed)
        self.reference = None
        self.output = options.output.resolve()
        self.say_lock = threading.Lock()

    def build_at(self, place, name):
        return Build(self.house, Jail(self.kind, place), self.work / name, self.options.compile_time)

    def try_reference(self):
        """A machine on which the reference fails must give no grades. Also takes its times, where times earn points."""
        build = self.build_at(0, "reference")
        folder = self.report_folder("reference")
        rows = [task for task in self.tasks if task in self.rubric.timed()] or self.tasks[:1]
        files = self.house.files_of(rows)
        build.make(self.wanted, {file: (self.house.root / file).read_bytes() for file in files})
        build.jail_program()
        tests, _ = self.judge.ask("check", rows, ["--course", "--up-to", "1024"], folder, build)
        for task in rows:
            if tests[task]["status"] != "passed":
                lines = [*build.log, *outputs.lines_of(tests[task])]
                raise HouseError(f"this project's own {task} ends here as {tests[task]['status']}: "
                                 f"{' '.join(' '.join(lines).split())[:600]}")
        if self.rubric.timed():
            self.reference = Reference(self.judge, rows, folder, build)
            self.reference.measure()

    def report_folder(self, name):
        folder = self.work / f"{name}.report"
        folder.mkdir(mode=0o700)
        return folder

    def archive_of(self, repository):
        """HEAD of a repository that somebody else has made, as a tar: read in the jail, by a git that asks nobody."""
        inside = Jail(self.kind, 0).words([repository.resolve()], [], 2 << 30, 60, as_user=False)
        ended = run([*inside, "git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C",
                     str(repository.resolve()), "archive", "--format=tar", "HEAD"], 60, binary=True,
                    most=submissions.MOST_UNPACKED + 1)
        if ended.status != 0 or ended.timed_out:
            raise submissions.Unreadable("git archive HEAD fails in it")
        return ended.output

    def grade(self, place, one):
        """Grades one submission into its folder, which appears in one step. Its result."""
        folder = self.output / one.name
        handed = build = results = problem = None
        judged = self.rubric.judge({"runs": {}, "ms": {}, "reference_ms": {}})
        log, texts = [], {}
        try:
            read = submissions.read(one.path, self.wanted, self.archive_of)
            texts = read.files
            handed = {"taken": sorted(read.files), "missing": [file for file in self.wanted if file not in read.files],
                      "unused": read.unused, "refused": read.refused}
            if not read.files:
                raise submissions.Unreadable("no file of a task is in it")
            build = self.build_at(place + 1, f"{place}")
            build.make(self.wanted, read.files)
            results, judged = self.judge.judge_all(self.rubric, build, self.report_folder(f"{place}"), self.reference)
        except submissions.Unreadable as error:
            problem = str(error)
        except Exception as error:  # one broken submission never stops the rest
            problem = f"the grader failed on it: {type(error).__name__}: {error}"
            log.append(traceback.format_exc())
        if build:
            build.jail.clean_up()
            log = [build.shown(text) for text in [*build.log, *log]]
            problem = problem and build.shown(problem)
        result = outputs.result_document(one.name, self.rubric, judged, handed, build, self.kind, problem)
        self.write(folder, place, result, results, "\n".join(log), texts)
        for left in (f"{place}", f"{place}.report"):
            shutil.rmtree(self.work / left, ignore_errors=True)
        with self.say_lock:
            why = f" ({problem})" if problem else ""
            say(f"{one.name}: {result['points']} of {result['of']}, {result['extra']} extra{why}")
        return result

    def write(self, folder, place, result, results, log, texts):
        part = self.output / f".part-{place}"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        labels = {task: row["label"] for task, row in self.house.rows.items()}
        outputs.write_submission(part, result, results, labels, log)
        for file, content in texts.items():  # what was graded, for the reader, and for the pairs
            path = part / "files" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        os.rename(part, folder)

    def run(self, found):
        graded = {one.name for one in found if (self.output / one.name / "result.json").is_file()}
        if graded and not self.options.resume:
            raise UsageError(f"{self.output} has grades of {', '.join(sorted(graded)[:3])} already: --resume goes on, "
                             "or choose another -o")
        for left in self.output.glob(".part-*"):  # of one that was killed
            shutil.rmtree(left)
        todo = [(place, one) for place, one in enumerate(found) if one.name not in graded]
        if todo:
            self.try_reference()
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for future in [pool.submit(self.grade, place, one) for place, one in todo]:
                future.result()
        return self.summary()

    def summary(self):
        """Files about all that has been graded into this folder."""
        results, texts = [], {}
        for path in sorted(self.output.glob("*/result.json")):
            with open(path, encoding="utf-8") as file:
                results.append(json.load(file))
            own = path.parent / "files"
            texts[path.parent.name] = {
                file: (own / file).read_text(encoding="utf-8", errors="replace")
                for file in self.wanted if (own / file).is_file()}
        replace(self.output / "grades.csv", outputs.grades_csv(results))
        replace(self.output / "index.html", outputs.index_html(results))
        if not self.options.no_similarity:
            missing = similarity.missing_tools()
            if missing:
                say(f"note: no similarity.csv without {', '.join(missing)}: apt-get install similarity-tester, "
                    "where the distribution has it")
            else:
                folder = self.work / "similarity"
                folder.mkdir()
                replace(self.output / "similarity.csv",
                        similarity.as_csv(similarity.pairs(self.house, self.wanted, texts, folder)))
        return NOT_ALL if any(result["problem"] for result in results) else DONE


class UsageError(Exception):
    pass


def replace(path, text):
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8", errors="replace")
    os.replace(part, path)


@contextlib.contextmanager
def locked(folder):
    """Two gradings at once would take each other's places."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"another tools/grade works on {folder}") from None
        yield


def main(words=None):
    options = arguments_of(words)
    os.umask(0o022)  # another user reads what is made for the jail
    with contextlib.ExitStack() as stack:
        def work(ending, mode=0o700):
            folder = work_folder(options.output.resolve(), ending, mode)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            return folder

        try:
            found = [one for one in submissions.find(options.submissions, lambda: work("-class"))
                     if not options.only or fnmatch.fnmatchcase(one.name, options.only)]
            if not found:
                raise UsageError(f"--only {options.only}: there is no such submission")
            with locked(options.output):
                return Grading(options, work("", 0o711)).run(found)
        except (UsageError, RubricError, submissions.Unreadable) as error:
            say(f"error: {error}")
            return USAGE
        except (HouseError, RuntimeError, OSError) as error:
            say(f"error: {error}")
            return ENVIRONMENT


if __name__ == "__main__":
    sys.exit(main())
