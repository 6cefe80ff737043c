"""Prepares the files of one submission for a2: a folder of kernels, and a library of the host code that compiles."""

import contextlib
import json
import re
import shlex
import shutil
import time
from pathlib import Path

from jail import run

MEMORY = 4 << 30  # bytes of address space that a compiler may have
A2_NEEDS = ("A2Digest", "A2LabAddPeak")  # kernels with which a2 checks results
MOST_WORDS = 300  # characters of a reason

FIND_FOLDER = """\
for word; do [ "$before" != -o ] || target=$word; before=$word; done
folder=${target%/*}
"""
# a2 made the folder for one run of glslang, and reads the result when this has ended. Meanwhile it belongs to the other
# user.
COMPILE_AS = FIND_FOLDER.replace("{", "{{").replace("}", "}}") + """\
chown -hR {user}:{user} -- "$folder" || exit 125
{compiler} "$@"
status=$?
chown -h 0:0 -- "$folder"
if [ -L "$target" ] || ! [ -f "$target" ]; then rm -rf -- "$target"; fi
[ $status -le 128 ] || kill -$((status - 128)) $$
exit $status
"""

WARNING = re.compile(r"^[^\n:]+:\d+(?::\d+)?: warning: ", re.MULTILINE)  # at a place, so not of the compiler itself
ERROR = re.compile(r":(\d+):\d+: (?:fatal )?error: ([^\n]*)")
LINK_ERROR = re.compile(r"undefined reference to [^\n]*|multiple definition of [^\n;]*|duplicate symbol: [^\n]*")
COMMENT = re.compile(r"/[/*]")
MOST_SAID = 4  # lines of a compiler's error
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(?P<what>[^\n]*)", re.MULTILINE)


def with_plain_ends(text):
    """A kernel's text as its compiler reads it, which takes a return alone as the end of a line, too."""
    return re.sub("\r\n?", "\n", text)


def without_comments(text):
    """GLSL or C++ without comments and continued lines, so that directives begin lines."""
    text = text.replace("\\\r\n", "").replace("\\\n", "")
    kept, at, last = [], 0, text.rfind("*/")
    found = COMMENT.search(text)
    while found:
        start, end = found.span()
        if found[0] == "//":
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
        elif last >= end:  # otherwise it has no end, and is looked for only once
            end = text.find("*/", end) + 2
        comment = found[0] == "//" or last >= start + 2
        kept += [text[at:start], ("\n" * text.count("\n", start, end) or " ") if comment else found[0]]
        at = end
        found = COMMENT.search(text, at)
    return "".join([*kept, text[at:]])


def first_error(said):
    """The lines of a compiler's first error: the place, the message, and the line of the source."""
    lines = said.splitlines()
    for i, line in enumerate(lines):
        if ERROR.search(line):
            behind = [one for one in lines[i + 1:i + MOST_SAID] if one.startswith(" ")]
            return [one[:MOST_WORDS] for one in [line, *behind]]
    return []


def foreign_include(text, known):
    """The first file that a kernel includes and that is none of the project's headers for kernels; or None."""
    for found in INCLUDE.finditer(without_comments(with_plain_ends(text))):
        name = re.fullmatch(r'["<](?:include/)?([^">/\\]+)[">]', found["what"].strip())
        if not name or name[1] not in known:
            return found["what"].strip()
    return None


def one_reason(why):
    """A reason that can stand in a line of any source."""
    return "".join(c if " " <= c <= "~" else "?" for c in why)[:MOST_WORDS]


def named(file, why):
    """A file of Build.problems and its problem: "src/X.cpp:12 does not compile: ..."."""
    return f"{file}{why}" if why.startswith(":") else f"{file} {why}"


class Build:
    """log: the compiler's whole output. warnings: their number. problems: file -> why it does not count, ":12 does not
    compile: ..." if the line is known. refused: (path, why) of parts of the submission that are not read. said: file ->
    the compiler's first error. questions: what has been recorded of it so far. elsewhere: folders where another machine
    had it. spent: seconds for recording and judging, without waiting. ours: whether it is the reference. doubted: see
    Judge.refuse_own_faults."""

    def __init__(self, house, jail, folder, seconds, ours=False):
        self.ours, self.doubted, self.said, self.refused = ours, False, {}, ()
        self.house, self.jail, self.folder, self.seconds = house, jail, folder, seconds
        self.objects, self.log, self.warnings, self.problems = folder / "obj", [], 0, {}
        self.questions, self.elsewhere = [], []
        self.spent = {"record": 0.0, "judge": 0.0}
        self.library = self.objects / "solutions.so"
        # Files that a2 makes for glslang while it records, and files of the device's process.
        self.tmp, self.device_tmp = folder / "tmp", folder / "device"
        self.asked = folder / "asked.recordings"  # judged by the device's process
        for path in (folder, self.objects, folder / "src", folder / "shaders", self.tmp, self.device_tmp):
            path.mkdir()
        self.jail.let_into(folder)
        self.tmp.chmod(0o711)  # each folder in it belongs to its owner only
        self.device_tmp.chmod(0o700)
        self.jail.own(self.objects, self.device_tmp)

    @contextlib.contextmanager
    def spending(self, what):
        """Adds the seconds spent in it."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.spent[what] += time.monotonic() - begun

    def shown(self, text):
        """Without the paths of this machine."""
        for folder in (*self.folders(), self.house.root):
            text = text.replace(f"{folder}/", "")
        return text

    def folders(self):
        """The folders of this grading only."""
        return [*(str(copy) for _, copy in self.house.copies), str(self.folder), *self.elsewhere]

    def make(self, wanted, files, refused=()):
        self.refused = refused
        self.kernels([file for file in wanted if file.endswith(".comp")], files)
        sources = [file for file in wanted if file.endswith(".cpp")]
        for file in sources:
            self.compile(file, files.get(file))
        self.link(sources)
        return self

    # If a folder of kernels lacks one, a2 takes it from the project, which has the solutions: so none may be missing.
    def kernels(self, wanted, files):
        target = self.folder / "shaders"
        shutil.copytree(self.house.root / "shaders/include", target / "include")
        of_rows = {file for row in self.house.rows.values() for file in row["files"] if file.endswith(".comp")}
        others = {f"shaders/{path.name}" for path in (self.house.root / "shaders").glob("A2*.comp")
                  if not path.name.startswith(A2_NEEDS)}
        for file in sorted(of_rows | others):
            content = files.get(file) if file in wanted else None
            if content is None:
                why = self.lacking(file) if file in wanted else "is not part of what is graded"
                content = self.stand_in(file, why, file in wanted)
            else:
                what = foreign_include(content.decode("utf-8", "replace"), self.house.includes)
                if what is not None:
                    content = self.stand_in(file, f"includes {what[:80]}, which is none of shaders/include", True)
            (target / file.removeprefix("shaders/")).write_bytes(content)

    def lacking(self, file):
        """Why a file is missing."""
        ending = "/" + file.rsplit("/", 1)[-1].lower()
        whys = [why for path, why in self.refused if ("/" + path.replace("\\", "/").lower()).endswith(ending)]
        return "is not in the submission" + (f": one was refused, {whys[0]}" if whys else "")

    def stand_in(self, file, why, counts):
        why = one_reason(why)
        if counts:
            self.problems[file] = why
        return f"#version 450\n#error {file} {why}\n".encode()

    def object_of(self, file):
        return self.objects / (file.replace("/", "-") + ".o")

    def compile(self, file, content):
        if content is None:
            self.replace(file, self.lacking(file))
            return
        source = self.folder / file
        source.parent.mkdir(exist_ok=True)
        source.write_bytes(content)
        ended = self.jailed(self.house.compiler + ["-o", str(self.object_of(file)), "-c", str(source)],
                            [*self.house.read_by_compiler(), self.folder / "src"])
        said = self.shown(ended.output)
        self.warnings += len(WARNING.findall(said))
        if said.strip():
            self.log.append(f"{file}:\n{said.strip()}\n")
        if ended.timed_out or ended.status in (-9, 128 + 9, 128 + 24, -24):
            self.replace(file, f"does not compile: {self.seconds} s were not enough")
        elif ended.status != 0:
            found = ERROR.search(said)
            self.said[file] = first_error(said)
            self.replace(file, f":{found[1]} does not compile: {found[2]}" if found and file in said else
                         f"does not compile: {(said.strip().splitlines() or ['the compiler gives no reason'])[0]}")

    def replace(self, file, why):
        """Replaces an object: the rows of the file fail, and give the reason."""
        why = self.problems[file] = one_reason(why)
        source = self.objects / "why.cpp"
        source.write_text("namespace a2 {\nvoid noteBroken(const char* file, const char* why);\n"
                          "[[maybe_unused]] static const bool noted = "
                          f"(noteBroken({json.dumps(file.removeprefix('src/'))}, {json.dumps(why)}), true);\n"
                          "}  // namespace a2\n", encoding="ascii")
        source.chmod(0o644)
        target = self.object_of(file)
        target.unlink(missing_ok=True)
        ended = self.jailed(self.house.compiler + ["-o", str(target), "-c", str(source)], self.house.read_by_compiler())
        source.unlink()
        if ended.status != 0:
            raise RuntimeError(f"what should stand for {file} does not compile: {self.shown(ended.output)[:500]}")

    def try_link(self, objects):
        before, behind = self.house.linker
        return self.jailed([*before, "-o", str(self.library), *map(str, objects), *behind], self.house.read_by_linker())

    def link(self, sources):
        """Replaces the objects that do not link, which are found by adding them one by one."""
        ended = self.try_link([self.object_of(file) for file in sources])
        if ended.status == 0:
            return
        self.log.append(f"linking:\n{self.shown(ended.output).strip()}\n")
        kept = []
        for file in sources:
            ended = self.try_link([*kept, self.object_of(file)])
            if ended.status != 0:
                said = self.shown(ended.output)
                found = LINK_ERROR.search(said)
                self.replace(file, f"does not link: {found[0] if found else 'the linker gives no reason'}")
                ended = self.try_link([*kept, self.object_of(file)])
            kept.append(self.object_of(file))
        if ended.status != 0:
            raise RuntimeError(f"the library of solutions does not link: {self.shown(ended.output)[:500]}")

    def jailed(self, command, read):
        words = self.jail.words([*self.house.seen, *read], [self.objects], MEMORY, self.seconds)
        return run([*words, *command], self.seconds)

    def jail_program(self):
        """Writes two programs. One is for a2 --jail: it starts the worker, or the compiler of kernels while it records.
        The other is for a2 --device-jail: it starts the process that judges, which reads the kernels and the
        recordings, and starts the compiler in its own jail."""
        worker = self.jail.words([*self.house.seen, self.house.worker, self.library], [], 16 << 30, 3600)
        kernels = [*self.house.seen, *self.house.beside, self.folder / "shaders"]
        output = self.tmp / "OUTPUT"  # stands for the folder that glslang writes to
        compiler = self.jail.words([Path(self.house.there(str(path))) for path in kernels], [output], 2 << 30, 60)
        compiler = shlex.join(compiler).replace(str(output), '"$folder"')
        self.write_program("jail", f'case "$1" in\n*/a2_worker) shift; exec {shlex.join(worker)} '
                           f'{shlex.quote(str(self.house.worker))} "$@" ;;\nesac\n'
                           + (COMPILE_AS.format(user=self.jail.user, compiler=compiler) if self.jail.user is not None
                              else f'{FIND_FOLDER}exec {compiler} "$@"\n'))
        own = [self.house.a2_jailed, self.folder / "shaders", self.asked]
        device = self.jail.words([*self.house.seen, *self.house.beside, *own], [self.device_tmp], None, 100_000,
                                 device=True)
        self.write_program("device-jail", f'shift\nexec {shlex.join(device)} '
                           f'{shlex.quote(str(self.house.a2_jailed))} "$@"\n')

    def write_program(self, name, text):
        program = self.folder / name
        # Without the limit of the a2 that starts it: see Judge.run_a2.
        program.write_text(f'#!/bin/sh\nulimit -S -d "$(ulimit -H -d)"\n{text}', encoding="utf-8")
        program.chmod(0o700)

    def ask(self, recordings):
        """Puts recordings where the device's process reads them. Returns the path."""
        self.asked.unlink(missing_ok=True)
        shutil.copyfile(recordings, self.asked)
        self.asked.chmod(0o400)
        self.jail.own(self.asked)
        return self.asked
