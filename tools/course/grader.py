"""A grading: submissions are prepared in parallel, judged one at a time on the device, and written down."""

import concurrent.futures
import contextlib
import functools
import hashlib
import json
import os
import queue
import secrets
import shlex
import shutil
import sys
import tempfile
import threading
import traceback
from pathlib import Path

import columns
import copies
import copies_page
import earlier
import leftovers
import limits
import outputs
import people
import recorded
import submissions
import tables
import values
from build import Build
from house import House, HouseError
from jail import USERS, Jail, no_network
from judging import SHORT, TIMED_ELEMENTS, Judge, Reference, in_brief
from printing import in_line, one_line
from repository import Repository
from rubric import load

DONE, NOT_ALL = 0, 1
SEED = tables.PLAN  # it has the seed of the random input
MOST_NAMED = 3  # kernels named in a line
MOST_WORDS = 1000  # characters of a problem
LOST = ".lost"  # names of submissions that a machine lost: they are graded again


class UsageError(Exception):
    pass


def say(text):
    print(f"tools/grade: {in_line(text)}", file=sys.stderr, flush=True)


def note(text):
    say(f"note: {text}")


def tell(result):
    why = f" ({result['problem']})" if result["problem"] else ""
    say(f"{result['name']}: {result['points']} of {result['of']}, {result['extra']} extra{why}")


def user_warning(why, open_to_all):
    """open_to_all: of House."""
    if os.getuid() == 0:
        places = shlex.join(map(str, open_to_all))
        return (f"warning: no bubblewrap ({why}): solutions run as another user with limits, and can read what all can "
                "read" + (f", this project's own solutions among it: chmod go= {places}" if places else ""))
    return (f"warning: no bubblewrap ({why}): solutions run as you, with limits; grade as root, or in a container of "
            "its own")


def jail_kind(wanted, house):
    why = Jail.works() if wanted != "user" else "asked for"
    if not why:
        return "bubblewrap"
    if wanted == "bubblewrap":
        raise HouseError(f"{why}; apt-get install bubblewrap, or --jail user")
    say(user_warning(why, house.open_to_all()))
    return "user"


def tell_unlimited(kind):
    """Reports what this machine cannot limit, before anything of a submission runs."""
    notes = limits.notes()
    if kind == "user" and os.getuid() == 0 and not no_network() and not limits.seccomp:
        notes.append("note: submissions have the network of this machine")
    for note in notes:
        say(note)


def seed_of(output, goes_on):
    """The seed of a grading, which no submission can know in advance; a resumed grading keeps its seed."""
    if goes_on:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return int(json.loads((output / SEED).read_text(encoding="utf-8"))["seed"])
    return secrets.randbelow(1 << 32)  # short enough to paste


def mark_of(output):
    """A short name for a grading, the same for the same output folder."""
    return hashlib.sha256(str(output).encode()).hexdigest()[:12]


def folder_of(output, ending):
    """The working folder, on this machine, of a grading into this folder. Not in the output folder, which jailed
    programs cannot even see."""
    return Path(tempfile.gettempdir()).resolve() / f"a2-grade-{os.getuid()}-{mark_of(output)}{ending}"


def work_folder(output, ending, mode):
    """That folder, empty. A killed run leaves it behind, and the next one for the same output removes it."""
    folder = folder_of(output, ending)
    if folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == os.getuid():
        leftovers.remove(folder)
    folder.mkdir(mode=mode)
    folder.chmod(mode)
    return folder


class Case:
    """One submission during the grading. place: its number in the class. refused: (path, why) of files it lacks
    already. user: the number of its jail, which no other submission has at the same time; the reference has 0. student:
    see layouts.student_of.
    """

    def __init__(self, place, name, refused=(), user=1, student=None):
        self.user, self.student = user, student
        self.place, self.name, self.refused = place, name, [tuple(one) for one in refused]
        self.handed = self.build = self.results = self.judged = self.problem = None
        self.log, self.texts = [], {}

    @contextlib.contextmanager
    def noting(self):
        """Errors are recorded as its problem: one broken submission never stops the rest."""
        try:
            yield
        except submissions.Unreadable as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = one_line(f"the grader failed on it: {type(error).__name__}: {error}", MOST_WORDS)
            self.log.append(traceback.format_exc())


class Grading:
    """device_of: see Judge. before: submissions of earlier years, as earlier.find() gives them."""

    def __init__(self, options, work, device_of=None, before=()):
        self.options, self.work, self.before = options, work, before
        self.house = House(options.build, options.see)
        self.rubric = load(options.rubric, self.house.rows)
        asked = {task for tasks in self.rubric.runs().values() for task in tasks}
        self.tasks = [task for task in self.house.rows if task in asked]
        self.wanted = self.house.files_of(self.tasks)
        # Of the project's own solution: tasks that are timed, or one that shows that this machine can judge.
        tried = self.rubric.timed() | self.rubric.evidenced()
        self.own_tasks = [task for task in self.tasks if task in tried] or self.tasks[:1]
        self.judge = Judge(self.house, options.device, options.seed, device_of)
        self.kind = self.reference = None
        self.proving, self.users = threading.Lock(), queue.Queue()
        for user in range(1, USERS):
            self.users.put(user)
        self.output = options.output.resolve()
        self.say_lock = threading.Lock()
        self.writing, self.stopped = threading.Lock(), False
        self.stale = set()  # headings that the machine wrote earlier

    def enter_jail(self, wanted):
        self.kind = jail_kind(wanted, self.house)
        tell_unlimited(self.kind)
        self.house.prepare(self.work / "compiler")
        if self.kind == "user" and os.getuid() == 0:
            self.house.copy_for_others(self.work / "house")

    def build_at(self, user, name):
        own = Jail(self.kind, user, self.house.hidden())
        return Build(self.house, own, self.work / name, self.options.compile_time, name == "reference")

    def timed_tasks(self):
        return [task for task in self.own_tasks if task in self.rubric.timed()]

    def own_files(self):
        files = self.house.files_of(self.own_tasks)
        return {file: (self.house.root / file).read_bytes() for file in files}

    def build_reference(self, user):
        build = self.build_at(user, "reference")
        build.make(self.wanted, self.own_files())
        build.jail_program()
        return build

    def expect_reference(self, build, folder):
        """A machine on which the reference fails must give no grades."""
        tests, _ = self.judge.ask("check", self.own_tasks, SHORT, folder, build)
        for task in self.own_tasks:
            if tests[task]["status"] != "passed":
                lines = [*build.log, *outputs.lines_of(tests[task])]
                raise HouseError(f"this project's own {task} ends here as {tests[task]['status']}: "
                                 f"{' '.join(' '.join(lines).split())[:600]}")
        return tests

    def hold_rubric_against_reference(self, build, folder):
        """Raises RubricError, and HouseError if the reference itself fails."""
        runs = {"course": self.expect_reference(build, folder)}
        for run, tasks in self.rubric.runs().items():
            if run != "course":
                runs[run], _ = self.judge.ask("check", sorted(tasks), in_brief(run), folder, build)
        for line in self.rubric.hold_against(runs):
            say(f"warning: this project's own solution does not earn {line}")

    def try_reference(self):
        folder = self.report_folder("reference")
        build = self.build_reference(0)
        self.hold_rubric_against_reference(build, folder)
        if self.rubric.timed():
            self.reference = Reference(self.judge, self.timed_tasks(), folder, build)

        def prove():
            with self.proving, self.reference.alone if self.reference else contextlib.nullcontext():
                self.expect_reference(build, folder)

        self.judge.prove = prove

    def report_folder(self, name):
        folder = self.work / f"{name}.report"
        folder.mkdir(mode=0o700)
        return folder

    def open_repository(self, case, path):
        """A git repository, of which only objects are read, in this submission's own jail."""
        folder = self.work / f"{case.place}.git"
        try:
            return Repository(path, folder, Jail(self.kind, case.user))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def prepare(self, case, path):
        """Reads it, compiles and links it."""
        read = submissions.read(path, self.wanted, functools.partial(self.open_repository, case))
        case.texts = read.files
        case.handed = {"taken": sorted(read.files),
                       "missing": [file for file in self.wanted if file not in read.files],
                       "unused": read.unused, "refused": sorted([*read.refused, *case.refused])}
        if not read.files:
            raise submissions.Unreadable(submissions.none_of(case.handed["refused"], self.wanted))
        case.build = self.build_at(case.user, f"{case.place}")
        with case.build.spending("record"):
            case.build.make(self.wanted, read.files, case.handed["refused"])

    def judge_case(self, case):
        folder = self.report_folder(f"{case.place}")
        case.results, case.judged = self.judge.judge_all(self.rubric, case.build, folder, self.reference)

    def finish(self, case):
        """Writes its results into a folder that appears in one step. Returns its result."""
        build, log, problem = case.build, case.log, case.problem
        if build:
            build.jail.clean_up()
            log = [build.shown(text) for text in [*build.log, *log]]
            problem = problem and build.shown(problem)
        judged = case.judged or self.rubric.judge({"runs": {}, "ms": {}, "reference_ms": {}})
        timed = case.results and "timed" in case.results
        taken = ("ms", "reference_ms", "reference_spread", "turns", "not_timed")
        times = {"elements": TIMED_ELEMENTS, "tasks": case.results["timed"],
                 **{key: case.results[key] for key in taken}} if timed else None
        made = outputs.made_with(self.rubric, self.house.version, self.judge.device_name if case.results else None)
        result = outputs.result_document(case.name, self.rubric, judged, case.handed, build, self.kind, problem,
                                         self.options.seed, made, times, case.student)
        self.write(case, result, "\n".join(log))
        for left in (f"{case.place}", f"{case.place}.report"):
            shutil.rmtree(self.work / left, ignore_errors=True)
        return result

    def finish_anyhow(self, case):
        """If writing fails, that is its problem, too, as far as that can be written."""
        try:
            return self.finish(case)
        except Exception as error:
            case.problem = one_line(f"its results cannot be written: {type(error).__name__}: {error}", MOST_WORDS)
            case.handed = case.results = case.judged = None
            case.texts = {}
            return self.finish(case)

    def grade(self, place, one):
        user = self.users.get()  # the one that was free for the longest time
        try:
            case = Case(place, one.name, one.refused, user, one.student)
            with case.noting():
                self.prepare(case, one.path)
                self.judge_case(case)
            if self.stopped:  # meanwhile failures are not the submission's fault
                return
            result = self.finish_anyhow(case)
        finally:
            self.users.put(user)
        with self.say_lock:
            tell(result)

    def write(self, case, result, log):
        part = self.output / f".part-{case.place}"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        outputs.write_submission(part, result, case.results, self.labels(), log, case.build and case.build.spent)
        for file, content in case.texts.items():  # the graded files, for readers, and for the pairs
            path = part / "files" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        with self.writing:
            if self.stopped:
                return
            target, old = self.output / case.name, self.output / f".part-{case.place}-old"
            if target.exists():  # graded again
                os.rename(target, old)
            os.rename(part, target)
        shutil.rmtree(old, ignore_errors=True)

    def labels(self):
        return {task: row["label"] for task, row in self.house.rows.items()}

    def plan(self, before):
        """grading.json: if only some of a class are graded again, the rubric of the rest stays."""
        rubric = {"title": self.rubric.title, "sha256": self.rubric.sha256}
        if self.options.only and before:
            rubric = before.get("rubric")
        return {"schema": 1, "seed": self.options.seed, "a2": self.house.version, "rubric": rubric,
                "tasks": {task: {"label": label} for task, label in self.labels().items()}, **self.years(before)}

    def years(self, before):
        """The folders of earlier years for grading.json: those named now, or else those named before."""
        folders = earlier.as_kept(self.options.before, self.output) or before.get("before")
        return {"before": folders} if folders else {}

    def require_same_rubric(self):
        """A resumed grading uses one rubric throughout."""
        known = tables.plan_of(self.output).get("rubric") if any(self.output.glob(people.RESULTS)) else None
        if known and known["sha256"] != self.rubric.sha256:
            raise UsageError(f"{self.options.rubric}: this grading has another rubric ({known['title']}, sha256 "
                             f"{known['sha256'][:16]}): take that one, or first tools/grade --rescore -o "
                             f"{self.options.output} --rubric {self.options.rubric}")

    def coming(self, found):
        """The submissions that will be graded, for people.read()."""
        criteria = [{"id": one["id"], "of": one["points"]} for one in self.rubric.criteria]
        return {one.name: {"criteria": criteria, "manual": self.rubric.manual} for one in found}

    def grades_again(self):
        """Whether named submissions are graded even if they have been graded before."""
        return self.options.only and not self.options.resume and not self.options.slurm

    def require_readable(self, found):
        """Checks what people wrote, and results that stay: errors are reported before anything is graded."""
        there = people.results_of(self.output, [one.name for one in found if self.grades_again()])
        self.stale, own = tables.machines_headings(there.values()), {one["id"] for one in self.rubric.criteria}
        # Without results the owner of a column is not known.
        columns.read(self.output / "grades.csv", {*there, *(one.name for one in found)}, {*self.stale, *own},
                     own - self.stale if there else ())
        people.read(self.output, self.coming(found))
        return there

    def is_graded(self, name):
        return (self.output / name / "result.json").is_file()

    def is_another(self, one, result):
        """Whether the files of a submission that keeps its grade have changed. A repository, which only a jail may
        read, is not checked."""
        try:
            if one.path.is_dir() and submissions.is_repository(one.path):
                return False
            now = submissions.read(one.path, self.wanted, None).files
        except Exception:  # whatever is wrong with it stands in its result
            now = {}
        kept = self.output / one.name / earlier.FILES
        if not kept.is_dir():
            return result["problem"] is not None and bool(now)
        return now != {file: (kept / file).read_bytes() for file in self.wanted if (kept / file).is_file()}

    def left_to_do(self, found):
        """(place, submission) of those that are not graded yet."""
        lost = self.output / LOST
        if self.options.resume and lost.is_file():
            for name in json.loads(lost.read_text(encoding="utf-8")):
                shutil.rmtree(self.output / name, ignore_errors=True)
            lost.unlink()
        results = self.require_readable(found)
        graded = [one.name for one in found if self.is_graded(one.name)]
        for one in found:
            if os.path.lexists(self.output / one.name) and one.name not in graded:
                raise UsageError(f"{self.output / one.name} is there, and holds no grades: choose another -o")
        if self.grades_again():
            graded = []
        if graded and not self.options.resume:
            raise UsageError(f"{self.output} has grades of {', '.join(sorted(graded)[:3])} already: --resume goes on, "
                             "or choose another -o")
        for one in found:
            if one.name in graded and self.is_another(one, results[one.name]):
                say(f"{one.name} is another one now: --only {shlex.quote(one.name)} --again grades it anew")
        before = {}
        with contextlib.suppress(tables.PlanError):
            before = tables.plan_of(self.output)
        if len(graded) < len(found):
            replace(self.output / SEED, outputs.as_json(self.plan(before)))
        elif self.options.before:
            replace(self.output / SEED, outputs.as_json({"schema": 1, **before, **self.years(before)}))
        return [(place, one) for place, one in enumerate(found) if one.name not in graded]

    def remove_parts(self):
        """Removes what a killed grading has left."""
        for left in self.output.glob(".part-*"):
            leftovers.remove(left)

    def run(self, found):
        todo = self.left_to_do(found)
        self.remove_parts()
        if todo:
            self.enter_jail(self.options.jail)
            self.try_reference()
        pool = concurrent.futures.ThreadPoolExecutor(self.options.jobs or 2)
        try:
            for future in [pool.submit(self.grade, place, one) for place, one in todo]:
                future.result()
        except KeyboardInterrupt:
            with self.writing:
                self.stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            try:
                self.tables()
            except (people.PeopleError, columns.ColumnsError, OSError) as error:
                say(f"error: {error}")
            graded = sum(self.is_graded(one.name) for one in found)
            say(f"interrupted: {graded} of {len(found)} submissions are graded; the same command with --resume goes on")
            raise
        pool.shutdown()
        return self.summary(found)

    def tables(self):
        """Writes grades.csv, index.html, and the files with the people's part. Columns that people fill in are kept."""
        results = people.results_of(self.output)
        said = people.read(self.output)
        tables.replace_all(tables.texts_of(self.output, results, said, self.labels(), self.stale))

    def offer_manual(self, results):
        """manual.csv for people to fill in, once a class is graded; after that only they change it."""
        cells = people.empty_rows(results)
        path = self.output / people.FILE
        if cells and not self.options.only and not os.path.lexists(path):
            replace(path, people.as_csv(cells))

    def summary(self, found):
        """Writes the files about everything graded into this folder; the status is that of `found`, which were asked
        for."""
        results = people.results_of(self.output)
        try:
            self.tables()
            self.offer_manual(results)
            if not self.options.no_similarity:
                self.compare()
                self.tables()  # the picture of the class shows who shares code
        except KeyboardInterrupt:
            say("interrupted: all is graded; the same command with --resume makes the tables")
            raise
        return NOT_ALL if any(results[one.name]["problem"] for one in found if one.name in results) else DONE

    def compare(self):
        """similarity.csv and similarity.html."""
        def open_repository(mark, path):
            return self.open_repository(Case(mark, mark, user=0), path)

        self.kind = self.kind or ("user" if Jail.works() else "bubblewrap")
        own = earlier.graded(self.output, self.wanted)
        before = earlier.texts(self.before, self.wanted, open_repository, note)
        texts, names = {**own, **before}, (own, before)
        given = copies.handed_out(self.house, self.wanted)
        ways = {copies.TOKENS: copies.compared(
            copies.TOKENS, lambda file: copies.token_pieces(texts, file, given, note), self.wanted, *names)}
        computed = {}
        if values.is_missing():
            note(f"similarity.csv lacks what kernels compute without {values.TOOL}: apt-get install {values.TOOL}, "
                 "where the distribution has it")
        else:
            folder = self.work / "similarity"
            folder.mkdir(mode=0o711)
            computed = values.of_all(texts, folder, self.house.root / "shaders/include", self.kind)
            ways[copies.VALUES] = copies.compared(
                copies.VALUES, lambda file: {name: set(of[file]) for name, of in computed.items() if file in of},
                [file for file in self.wanted if file.endswith(".comp")], *names)
            lacking = [f"{name}'s {file}" for name, files in texts.items() for file in files
                       if file.endswith(".comp") and file not in computed.get(name, ())]
            if lacking:
                more = f" and of {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
                note(f"{values.TOOL} makes no SPIR-V of {', '.join(lacking[:MOST_NAMED])}{more}: compared by tokens "
                     "alone")
        recordings = recorded.of_all(self.output, own, self.house.rows)
        ways[copies.RECORDED] = copies.compared_freely(
            lambda file: {name: set(of[file]) for name, of in recordings.items() if file in of},
            [file for file in self.wanted if not file.endswith(".comp")], own)
        rows = copies.rows(ways)
        if len(rows) > copies.MOST_ROWS:
            note(f"similarity.csv has the first {copies.MOST_ROWS} of {len(rows)} rows")
        replace(self.output / "similarity.csv", copies.as_csv(rows))
        replace(self.output / "similarity.html", copies_page.Page(rows, texts, given, computed, recordings, before)
                .html())


def replace(path, content):
    """Writes text or bytes in one step: the old content stays until the new one is complete."""
    tables.replace_all({path: content})
