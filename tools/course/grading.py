"""tools/grade: submissions in, grades/ out."""

import argparse
import contextlib
import errno
import fcntl
import fnmatch
import functools
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

import cluster
import columns
import earlier
import handover
import limits
import merging
import node
import people
import rescoring
import rubric
import simulation
import slurm
import submissions
import tables
import trying
from grader import DONE, Grading, UsageError, note, say, seed_of, work_folder
from house import HouseError
from markers import MarkerError
from roster import SYSTEMS, RosterError
from rubric import RubricError

HERE = Path(__file__).resolve().parent
USAGE, ENVIRONMENT = 2, 3
CHECK, BUILD = "--check-usage", "build"  # the first word, from tools/grade only; printed if a build is wanted
MOST_SIMULATED = 100_000
PEOPLES = (people.FILE, "grades.csv")  # files that people may have begun before anything is graded


def arguments_of(words):
    parser = argparse.ArgumentParser(
        prog="tools/grade", description="Grades submissions with the a2 that is built here; docs/grading.md says how.",
        epilog="Exit status: 0 all graded, 1 some could not be, 2 wrong usage, 3 something is missing here.")
    parser.add_argument("submissions", nargs="*", type=Path, metavar="SUBMISSION",
                        help="a folder, .zip, .tar, .tar.gz or git repository (its HEAD), or a folder of them; with "
                             "--merge: graders' CSV files")
    parser.add_argument("-o", "--output", type=Path, help="folder for the grades; it is made")
    parser.add_argument("--merge", action="store_true",
                        help="grade nothing: take graders' rows into manual.csv, and make tables and feedback anew")
    parser.add_argument("--rescore", action="store_true",
                        help="grade nothing: points by another --rubric, of what a2 has said already")
    parser.add_argument("--try", action="store_true", dest="trying",
                        help="grade nothing: say what this project's own solution and the empty hand-out earn")
    parser.add_argument("--simulate", type=int, metavar="COUNT",
                        help="grade nothing: say how long a class of COUNT such submissions takes on a cluster")
    parser.add_argument("-j", "--jobs", type=int,
                        help="submissions in work at a time, one of them on the device; default: 2, or with --slurm "
                             "what Slurm allows")
    parser.add_argument("--one", action="store_true", help="each path is one submission, whatever it looks like")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="only submissions of this name, or glob; graded again if they have been, while the others "
                             "stay; again for more")
    parser.add_argument("--again", action="store_true", help="with --only: say old and new points")
    parser.add_argument("--resume", action="store_true", help="go on: what has been graded stays as it is")
    parser.add_argument("--rubric", type=Path,
                        help="what earns points; default: the course's")
    parser.add_argument("-d", "--device", help="the device, as a2 -d has it; default: a2's choice")
    parser.add_argument("-s", "--seed", type=int,
                        help="of the random input, the same for all; default: another one for each grading, which "
                             "grading.json and each result.json have, and --resume keeps")
    parser.add_argument("--build", type=Path, help="folder of the built a2; default: build")
    parser.add_argument("--jail", choices=["auto", "bubblewrap", "user"], default="auto",
                        help="bubblewrap, or another user and limits; default: bubblewrap where it works")
    parser.add_argument("--see", action="append", default=[], metavar="FOLDER",
                        help="what is jailed may read this, too: a compiler or libraries that are none of the "
                             "system's; again for more")
    parser.add_argument("--compile-time", type=int, default=60, metavar="SECONDS", help="for one file; default: 60")
    parser.add_argument("--no-similarity", action="store_true", help="no similarity.csv and similarity.html")
    parser.add_argument("--before", action="append", default=[], type=Path, metavar="FOLDER",
                        help="submissions of an earlier year, or its grades: these are compared with this year's, and "
                             "not graded; again for more; kept for later calls that name none")
    parser.add_argument("--slurm", action="store_true",
                        help="on the nodes of a Slurm cluster; docs/cluster.md says how")
    parser.add_argument("--partition", metavar="NAME", help="the cluster's; default: its own default")
    parser.add_argument("--export", choices=sorted(SYSTEMS), metavar="SYSTEM",
                        help="grade nothing, but write export/ in the folder of grades, to be handed over to "
                             f"{', '.join(sorted(SYSTEMS))}; docs/handing-over.md says how")
    parser.add_argument("--roster", type=Path, metavar="FILE",
                        help="with --export: the class, as that system exports it")
    parser.add_argument("--column", metavar="TEXT", help="with --export: what the heading of the points' column has, "
                                                         "where the roster has several")
    parser.add_argument("--with-extra", action="store_true", help="with --export: extra points are added to the others")
    options = parser.parse_args(words)
    require_sense(parser, options)
    options.wants_build = options.build is None and not (options.export or is_at_the_desk(options))
    options.build = options.build or HERE.parents[1] / "build"
    options.names_rubric = options.rubric is not None
    options.rubric = options.rubric or HERE / "rubric.json"
    if options.partition and not options.slurm:
        parser.error("--partition is one of a cluster: add --slurm")
    if options.seed is not None and not 0 <= options.seed < 1 << 64:
        parser.error("--seed must be a number from 0 to 2^64 - 1")
    if options.jobs is not None and options.jobs < 1:
        parser.error("--jobs must be at least 1")
    return options


def require_sense(parser, options):
    """Checks which options go together."""
    modes = {"--merge": options.merge, "--rescore": options.rescore, "--try": options.trying,
             "--export": options.export is not None, "--simulate": options.simulate is not None}
    chosen = [name for name, is_chosen in modes.items() if is_chosen]
    if len(chosen) > 1:
        parser.error(f"{', '.join(list(modes)[:-1])} and {list(modes)[-1]} are one at a time")
    if options.output is None and not options.trying:
        parser.error("-o FOLDER is missing: where the grades go, or are")
    grades = not chosen
    if options.submissions and not grades and not options.merge:
        parser.error(f"{options.submissions[0]}: {chosen[0]} takes no submissions")
    if options.simulate is not None and not 1 <= options.simulate <= MOST_SIMULATED:
        parser.error(f"--simulate takes a number of submissions from 1 to {MOST_SIMULATED}")
    if options.export and not options.roster:
        parser.error(f"--export needs --roster FILE: the class, as {options.export} exports it")
    if not options.export and (options.roster or options.column is not None or options.with_extra):
        parser.error("--roster, --column and --with-extra go with --export")
    if not options.submissions and grades:
        parser.error("there is no SUBMISSION to grade: name one, or a folder of them")
    if options.before and (options.no_similarity or not grades):
        parser.error("--before names what to compare with, and nothing is compared here: leave it out")
    if options.rescore and options.rubric is None:
        parser.error("--rescore takes --rubric FILE: what earns points now")
    if (options.merge or options.simulate) and options.rubric is not None:
        parser.error(f"{chosen[0]} takes no --rubric: that of the grading counts")
    if not grades and (options.only or options.resume or options.slurm):
        parser.error("--only, --resume and --slurm are for grading")
    if options.again and (not options.only or options.resume or options.slurm):
        parser.error("--again goes with --only NAME, and neither with --resume nor with --slurm")


def is_at_the_desk(options):
    return options.merge or options.rescore or options.simulate is not None


def at_the_desk(options):
    """Runs the modes that need neither a device nor a build."""
    if not options.output.is_dir():
        raise UsageError(f"{options.output}: there is no such folder of grades")
    with locked(options.output):
        if options.merge:
            lines, new = merging.merge(options.output, options.submissions)
            lines.append(f"new cells in {options.output / people.FILE}: {new}" if options.submissions else
                         "tables and feedback are made anew")
        elif options.simulate:
            lines = simulation.simulate(options.output, options.simulate)
        else:
            lines, of = rescoring.rescore(options.output, options.rubric)
            lines.append(f"submissions with other points: {len(lines)} of {of}")
    print("\n".join(lines), flush=True)
    return DONE


def on_trial(options, work):
    options.output = Path(tempfile.gettempdir()) / f"a2-try-{os.getpid()}"  # nothing is written there
    options.seed = seed_of(options.output, False) if options.seed is None else options.seed
    lines, wrong = trying.try_rubric(Grading(options, work("", 0o711)))
    print("\n".join(lines), flush=True)
    for line in wrong:
        say(f"error: {options.rubric}: {line}")
    return USAGE if wrong else DONE


def wanted_of(found, options):
    """Those of the found submissions that were asked for."""
    for only in options.only:
        if not any(fnmatch.fnmatchcase(one.name, only) for one in found):
            raise UsageError(f"--only {only}: there is no such submission")
    if not found:
        raise UsageError(f"{options.submissions[0]}: there is no submission in it")
    wanted = options.only or ["*"]
    return [one for one in found if any(fnmatch.fnmatchcase(one.name, only) for only in wanted)]


def require_graded(output, found):
    for one in found:
        if not (output / one.name / "result.json").is_file():
            raise UsageError(f"--again: {one.name} is not graded yet: leave out --again")


def graded_before(grading, found):
    """The results of those that are graded again; None for a damaged one, which is the reason."""
    names = [one.name for one in found]
    results = people.results_of(grading.output, names)
    said = people.read(grading.output, grading.coming(one for one in found if one.name not in results))
    return {name: said.final(results[name]) if name in results else None for name in names}


def require_place(output, paths):
    """Grades go into a folder with nothing else in it and no submission."""
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: is no folder: choose another -o")
    place = output.resolve()
    for path in (one.resolve() for one in paths):
        if path.is_dir() and (place == path or path in place.parents or place in path.parents):
            raise UsageError(f"-o {output}: grades go outside of what is graded, and {path} is that: choose another -o")
    others = [one.name for one in output.iterdir() if one.name[0] != "." and one.name not in PEOPLES] \
        if output.is_dir() and not (output / tables.PLAN).exists() and not any(output.glob(people.RESULTS)) else []
    if others:
        raise UsageError(f"{output}: holds other things than grades, '{sorted(others)[0]}' for one: choose another -o")


def require_seed(options):
    """A whole grading has one seed."""
    there = tables.plan_of(options.output).get("seed") if options.output.is_dir() else None
    if None not in (there, options.seed) and there != options.seed and any(options.output.glob(people.RESULTS)):
        raise UsageError(f"--seed {options.seed}: this grading has the seed {there}: leave --seed out, or choose another "
                         "-o")


@contextlib.contextmanager
def locked(folder, make=True):
    """Two gradings at once would overwrite each other."""
    if make:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    elif not folder.is_dir():
        raise UsageError(f"{folder}: there are no grades; -o names the folder that a grading has made")
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"another tools/grade works on {folder}") from None
        yield


@contextlib.contextmanager
def interruptible():
    """SIGTERM and SIGHUP, unless they are ignored, end a grading like Ctrl-C. Returns a list that gets their number."""
    got = []

    def end(number, _):
        for one in kept:  # one is enough: the rest is quick
            signal.signal(one, signal.SIG_IGN)
        got.append(number)
        raise KeyboardInterrupt

    kept = {}
    if threading.current_thread() is threading.main_thread():
        kept = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
                if signal.getsignal(one) != signal.SIG_IGN}
    for one in kept:
        signal.signal(one, end)
    try:
        yield got
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)


def ask_for_build():
    print(BUILD)
    return DONE


def main(words=None):
    words = sys.argv[1:] if words is None else words
    os.umask(0o022)  # another user reads the files that are made for the jail
    is_check = words[:1] == [CHECK]
    words = words[is_check:]
    if words[:1] == [cluster.TASK]:
        return DONE if is_check else node.main(words[1:])
    options = arguments_of(words)
    if is_check and not options.wants_build:
        return DONE
    with interruptible() as got, contextlib.ExitStack() as stack:
        def work(ending, mode=0o700):
            folder = work_folder(options.output.resolve(), ending, mode)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            return folder

        try:
            if options.export:
                with locked(options.output, make=False):
                    handover.export(options.output, options.export, options.roster, options.column, options.with_extra)
                return 0
            if is_at_the_desk(options):
                return at_the_desk(options)
            if is_check:
                rubric.read(options.rubric)
            if options.trying:
                return ask_for_build() if is_check else on_trial(options, work)
            if options.slurm:
                slurm.require()
            unpacked = functools.cache(lambda: work("-class"))
            found = wanted_of(submissions.find(options.submissions, unpacked, options.one), options)
            require_place(options.output, options.submissions)
            require_seed(options)
            earlier.require_others(options.before, options.submissions, options.output)
            before = earlier.find(options.before, unpacked)
            if options.again:
                require_graded(options.output, found)
            if is_check:
                return ask_for_build()
            with locked(options.output):
                if options.seed is None:
                    options.seed = seed_of(options.output, options.resume or options.slurm or options.only)
                earlier.note_others(options.before, options.output, note)
                if not options.before and not options.no_similarity:
                    before = earlier.find_kept(options.output, unpacked, note)
                grading = Grading(options, work("", 0o711), before=before)
                if options.resume or options.only and not options.names_rubric:  # name another one for only some
                    grading.require_same_rubric()
                earned = graded_before(grading, found) if options.again else {}
                status = cluster.run(grading, found) if options.slurm else grading.run(found)
                after = tables.finals_of(options.output) if earned else {}
                for name, final in earned.items():
                    print(tables.change_of(name, final, after[name]), flush=True)
                return status
        except KeyboardInterrupt:
            if options.trying or is_at_the_desk(options):
                say("interrupted")
            elif not options.output.is_dir() or not list(options.output.glob(people.RESULTS)):
                say("interrupted: nothing is graded yet")
            return 128 + (got[0] if got else signal.SIGINT)
        except (merging.MergeError, rescoring.NotTaken) as error:
            for line in error.lines:
                say(f"error: {line}")
            return USAGE
        except (UsageError, RubricError, columns.ColumnsError, submissions.Unreadable, people.PeopleError,
                tables.PlanError, MarkerError, RosterError) as error:
            say(f"error: {error}")
            return USAGE
        except OSError as error:
            if error.errno == errno.ENOSPC and not (options.export or options.trying or is_at_the_desk(options)):
                say(f"error: {options.output}: {error.strerror}: make room, and the same command with --resume goes on")
            else:
                say(f"error: {error}")
            return ENVIRONMENT
        except (HouseError, RuntimeError) as error:
            say(f"error: {error}")
            return ENVIRONMENT


if __name__ == "__main__":
    status = main()
    if status > 128:  # at once, without threads that still wait for a submission; its programs end with this one
        sys.stderr.flush()
        limits.end_groups()
        os._exit(status)
    sys.exit(status)
