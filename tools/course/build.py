"""One submission's files made ready for a2: a folder of kernels, and a library of what compiles of the host code."""

import json
import re
import shlex

from jail import run

MEMORY = 4 << 30  # bytes of address space that a compiler may have
A2_NEEDS = ("A2Digest", "A2LabAddPeak")  # kernels that a2 looks at results with
MOST_WORDS = 300  # characters of a reason

WARNING = re.compile(r"^[^\n]*: warning: ", re.MULTILINE)
ERROR = re.compile(r":(\d+):\d+: (?:fatal )?error: ([^\n]*)")
LINK_ERROR = re.compile(r"undefined reference to [^\n]*|multiple definition of [^\n;]*|duplicate symbol: [^\n]*")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(?P<what>[^\n]*)", re.MULTILINE)


def without_comments(text):
    """GLSL or C++ without comments and continued lines, so that directives begin lines."""
    text = text.replace("\\\r\n", "").replace("\\\n", "")
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: "\n" * found[0].count("\n") or " ", text, flags=re.DOTALL)


def foreign_include(text, known):
    """The first thing that a kernel includes and that is none of the project's headers for kernels; or None."""
    for found in INCLUDE.finditer(without_comments(text)):
        name = re.fullmatch(r'["<](?:include/)?([^">/\\]+)[">]', found["what"].strip())
        if not name or name[1] not in known:
            return found["what"].strip()
    return None


class Build:
    """log: all that the compiler said. warnings: how many of them. problems: file -> why it does not count.
    questions: what has been recorded of it already. elsewhere: folders that another machine had it in."""

    def __init__(self, house, jail, folder, seconds):
        self.house, self.jail, self.folder, self.seconds = house, jail, folder, seconds
        self.objects, self.log, self.warnings, self.problems = folder / "obj", [], 0, {}
        self.questions, self.elsewhere = [], []
        self.library = self.objects / "solutions.so"
        for path in (folder, self.objects, folder / "src", folder / "shaders", folder / "tmp"):
            path.mkdir()
        folder.chmod(0o711)
        (folder / "tmp").chmod(0o700)
        self.jail.own(self.objects)

    def shown(self, text):
        """Without what is of this machine alone."""
        for folder in (*self.folders(), self.house.root):
            text = text.replace(f"{folder}/", "")
        return text

    def folders(self):
        """Those of this grading alone."""
        return [*(str(copy) for _, copy in self.house.copies), str(self.folder), *self.elsewhere]

    def make(self, wanted, files):
        self.kernels([file for file in wanted if file.endswith(".comp")], files)
        sources = [file for file in wanted if file.endswith(".cpp")]
        for file in sources:
            self.compile(file, files.get(file))
        self.link(sources)
        return self

    # What a folder of kernels lacks, a2 takes from the project, where the solutions are: none of them may be missing.
    def kernels(self, wanted, files):
        target = self.folder / "shaders"
        of_rows = {file for row in self.house.rows.values() for file in row["files"] if file.endswith(".comp")}
        others = {f"shaders/{path.name}" for path in (self.house.root / "shaders").glob("A2*.comp")
                  if not path.name.startswith(A2_NEEDS)}
        for file in sorted(of_rows | others):
            content = files.get(file) if file in wanted else None
            if content is None:
                why = "is not in the submission" if file in wanted else "is not part of what is graded"
                content = self.stand_in(file, why, file in wanted)
            else:
                what = foreign_include(content.decode("utf-8", "replace"), self.house.includes)
                if what is not None:
                    content = self.stand_in(file, f"includes {what[:80]}, which is none of shaders/include", True)
            (target / file.removeprefix("shaders/")).write_bytes(content)

    def stand_in(self, file, why, counts):
        if counts:
            self.problems[file] = why
        return f"#version 450\n#error {file} {why}\n".encode()

    def object_of(self, file):
        return self.objects / (file.replace("/", "-") + ".o")

    def compile(self, file, content):
        if content is None:
            self.replace(file, "is not in the submission")
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
            self.replace(file, f"does not compile: line {found[1]}: {found[2]}" if found and file in said else
                         f"does not compile: {(said.strip().splitlines() or ['the compiler gives no reason'])[0]}")

    def replace(self, file, why):
        """Puts an object in the place of one: the rows of the file fail, and say why."""
        why = "".join(c if " " <= c <= "~" else "?" for c in why)[:MOST_WORDS]
        self.problems[file] = why
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
        """With what does not link replaced: that is found by adding one after the other."""
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
        """A program for a2 --jail: what it starts is the worker, or the compiler of kernels."""
        worker = self.jail.words([*self.house.seen, self.house.worker, self.library], [], 16 << 30, 3600)
        kernels = [*self.house.seen, self.house.root / "shaders/include", self.folder / "shaders"]
        compiler = self.jail.words(kernels, [self.folder / "tmp"], 2 << 30, 60, as_user=False)
        program = self.folder / "jail"
        program.write_text(f'#!/bin/sh\ncase "$1" in\n*/a2_worker) shift; exec {shlex.join(worker)} '
                           f'{shlex.quote(str(self.house.worker))} "$@" ;;\n'
                           f'*) exec {shlex.join(compiler)} "$@" ;;\nesac\n', encoding="utf-8")
        program.chmod(0o700)
        return program
