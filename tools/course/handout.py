"""The hand-out of a course, made from the project as it is: see tools/handout."""

import hashlib
import json
import pathlib
import re
import subprocess

import markers
import rows

TEMPLATE = pathlib.Path(__file__).resolve().parent / "template"
# A folder for an installed a2 has the files that students write, these of the template, and some of its own.
FOLDER = TEMPLATE.with_name("folder")
CI = TEMPLATE.with_name("ci")  # for machines that judge each push: used if a course gives its package's address
IN_FOLDERS = re.compile(r"shaders/A2Task.*|shaders/include/(?!A2Lab).*|src/A2Task[^/]*Solution/.*|course\.ini|docs/six-calls\.md|\.vscode/ext.*|tools/given\.sha256")

# Included: these files and folders, if the project has them.
KEPT = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", ".clang-format", ".gitignore", "include", "shaders", "src",
        "third_party", "tools/run", "tools/submit", "tools/unpack.py", "tools/common.sh", "tools/embed_kernel.cmake",
        "tools/embed_page.cmake", "tools/install.cmake", "tools/a2Config.cmake", "tools/byte_literal.cmake", "tools/compile_solution.cmake", "tools/inspect_capture.py",
        "tools/capture_replay.py", "tools/report",
        "docs/failing.md", "docs/debugging.md", "docs/steps.md", "docs/rules.md", "docs/theory.md", "docs/report.md",
        "docs/long-arrays.md")
# Excluded from those. Other files mark text that mentions these, or that would tell students what they should find out,
# with BEGIN LABS and END LABS.
LABS = ("src/annexes/prescan", "src/annexes/obstacles", "src/courses", "src/tasks/A2Labs.cpp")
STUDENT_FILE = re.compile(r"shaders/A2Task[^/]*\.comp|src/A2Task[^/]*Solution/[^/]*\.cpp")
OTHER_KERNEL = re.compile(r"shaders/((?!A2Task)[^/]*)\.comp")  # included if a2's own sources name it
INCLUDED = re.compile(r"shaders/include/.*\.(glsl|h)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?:include/)?([^"]+)"', re.MULTILINE)
# Shared by kernels and host code: push constants, and named numbers. Of those that stand together under a comment, each
# is included if something uses it; the comment, if one of them is.
SHARED = re.compile(r"shaders/include/.*\.h")
MEMBER = r"struct \w+ \{\n(?:[ \t].*\n)*\};\n|#define (?!SPEC_)\w+ \d+(?!\S).*\n"
MEMBERS = re.compile(rf"^(?P<comment>(?://.*\n)*)(?P<members>(?:{MEMBER})+)", re.MULTILINE)
MEASURED = re.compile(r"\s+\(measured on [^()]*\)")  # the speed of the solution
FACTORY_ELSEWHERE = re.compile(r"^std::unique_ptr<Solution> (\w+)\([^()]*\);", re.MULTILINE)


def below(path, names):
    return any(path == name or path.startswith(name + "/") for name in names)


def tracked(project):
    """Paths of the project's files that git knows; in a tree without history all files except those that builds leave.
    Raises OSError if git fails."""
    if (project / ".git").exists():
        # For any owner of the tree: git refuses because it might run its hooks and filters, and listing runs none.
        listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", project, "ls-files", "-z"],
                                capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            raise OSError(listed.stderr.strip().replace("\n", " "))
        return [name for name in listed.stdout.split("\0") if name and (project / name).is_file()]
    return [path.relative_to(project).as_posix() for path in sorted(project.rglob("*"))
            if path.is_file() and not path.relative_to(project).parts[0].startswith("build")]


class Handout:
    """The files of a hand-out, by their paths. Raises LookupError, with one line, for a glob that matches no task, and
    markers.MarkerError for wrong markers. gives_host: includes host code unchanged, for a course that begins with
    kernels."""

    def __init__(self, project, globs, gives_host=False):
        self.project, self.gives_host = project, gives_host
        self.rows = rows.chosen(rows.rows_of(project), globs)
        names = tracked(project)
        self.text = {name: markers.read(project / name)
                     for name in names if below(name, KEPT) and not below(name, LABS)}
        self.all_solutions = {name: text for name, text in self.text.items() if STUDENT_FILE.fullmatch(name)}
        needed = self.student_files()
        self.solutions = {name: self.all_solutions[name] for name in sorted(needed) if self.is_written(name)}
        for name in self.all_solutions.keys() - needed:
            self.text.pop(name, None)
        for name in self.text:
            self.text[name] = self.changed(name, self.text[name])
        sources = "\n".join(text for name, text in self.text.items() if name.startswith("src/"))
        for name in list(self.text):
            other = OTHER_KERNEL.fullmatch(name)
            if other and f'"{other[1]}"' not in sources:
                del self.text[name]
        for name in set(filter(INCLUDED.fullmatch, self.text)) - self.included():
            del self.text[name]
        self.text.update({name: self.with_what_is_used(MEASURED.sub("", self.text[name]))
                          for name in filter(SHARED.fullmatch, list(self.text))})
        self.files = {name: (text, project / name) for name, text in self.text.items()}
        for path in sorted(TEMPLATE.rglob("*")):
            if path.is_file():
                self.files[path.relative_to(TEMPLATE).as_posix()] = (self.filled(markers.read(path)), path)
        self.files["tools/given.sha256"] = (self.given(), TEMPLATE / "README.md")

    def is_written(self, name):
        """Whether students write this file."""
        return name.endswith(".comp") or not self.gives_host

    def student_files(self):
        """The files of the chosen tasks, and the others that these need."""
        files = {file for row in self.rows for file in row.files}
        for host_file in sorted(file for file in files if file.endswith(".cpp")):
            for factory in FACTORY_ELSEWHERE.findall(self.text[host_file]):
                files |= {name for name, text in self.all_solutions.items() if re.search(rf"\b{factory}\(", text)
                          and factory not in FACTORY_ELSEWHERE.findall(text)}
        # Kernels without a row, which host code uses as a fallback, have the name of a row's kernel with an addition.
        of_rows = {file for row in rows.rows_of(self.project) for file in row.kernels}
        stems = tuple(file.removesuffix(".comp") for file in files if file.endswith(".comp"))
        files |= {name for name in self.all_solutions.keys() - of_rows if name.startswith(stems)}
        return files

    def included(self):
        """Headers of shaders/include that the included kernels and host code include, directly or not."""
        found, left = set(), [name for name in self.text if name.endswith((".comp", ".cpp"))]
        while left:
            names = {f"shaders/include/{name}" for name in INCLUDE.findall(self.text[left.pop()])}
            new = names & self.text.keys() - found
            found |= new
            left += new
        return found

    def changed(self, name, text):
        if name in self.solutions:
            return markers.stub_of(text, name)
        if name in self.all_solutions:
            return markers.unmarked(text, name, "SOLUTION")
        if name in rows.TABLES:
            return rows.without_rows(text, {row.id for row in self.rows})
        return markers.without(text, name, "LABS") if name.startswith(("src/", "docs/")) else text

    def with_what_is_used(self, text):
        """A header without the parts that nothing included uses. Students need what solutions use."""
        left_out = set()

        def used(found):
            name = found[0].split()[1]
            if name in words:
                return found[0]
            left_out.add(name)
            return ""

        def kept(found):
            members = re.sub(MEMBER, used, found["members"])
            return found["comment"] + members if members else ""

        def rest(header):
            return MEMBERS.sub("", re.sub(r"static_assert\(sizeof.*\n", "", header))

        others = [rest(one) if SHARED.fullmatch(name) else one for name, one in self.text.items()
                  if name.startswith(("src/", "shaders/"))]
        words = set(re.findall(r"\w+", "\n".join([rest(text), *others, *self.solutions.values()])))
        text = MEMBERS.sub(kept, text)
        for name in left_out:
            size = rf"sizeof\({name}\) == \d+"
            text = re.sub(rf"static_assert\({size}\);\n|{size} && | && {size}", "", text)
        return re.sub(r"\n{3,}", "\n\n", text)

    def filled(self, text):
        """A file of the template, completed with the tasks."""
        tasks = "\n".join(f"| `{row.id}` | {row.points} | "
                          f"{', '.join(f'`{file}`' for file in row.files if self.is_written(file))} |"
                          for row in self.rows)
        other, own = ("WRITTEN", "GIVEN") if self.gives_host else ("GIVEN", "WRITTEN")
        text = markers.unmarked(markers.without(text, "the template", other), "the template", own)
        pages = [f"- [{self.text[name].splitlines()[0].lstrip('# ')}]({name})"
                 for name in KEPT if name.startswith("docs/") and name in self.text]
        cells = {f'"@{kind}_CELL@"': json.dumps(f"%%writefile {file}\n{self.text[file]}")  # of a notebook
                 for kind, file in (("KERNEL", self.rows[0].kernels[0]), ("HOST", self.rows[0].host_file))}
        for mark, cell in cells.items():
            text = text.replace(mark, cell)
        return (text.replace("@TASKS@", tasks).replace("@TASK@", self.rows[0].id)
                .replace("@KERNEL@", self.rows[0].kernels[0]).replace("@HOST@", self.rows[0].host_file)
                .replace("@POINTS@", str(sum(row.points for row in self.rows)))
                .replace("@IDS@", json.dumps([row.id for row in self.rows]))
                .replace("@PAGES@", "\n".join(pages)))

    def given(self):
        """The headers that a student's files include, in sha256sum's form: tools/submit reports which were changed."""
        return "".join(f"{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()}  {name}\n"
                       for name, (text, _) in sorted(self.files.items()) if name.startswith(("shaders/include/", "include/")))

    def in_folder(self, package=None):
        """The files of a student's folder for an installed a2. package: the address of the course's archive."""
        files = {name: file for name, file in self.files.items() if IN_FOLDERS.fullmatch(name)}
        for whole in [FOLDER, CI] if package else [FOLDER]:
            for path in sorted(whole.rglob("*")):
                if path.is_file():
                    text = self.filled(markers.read(path)).replace("@PACKAGE@", package or "")
                    files[path.relative_to(whole).as_posix()] = (text, path)
        text, source = files.pop("tools/given.sha256")
        there = [line for line in text.splitlines(keepends=True) if line[66:-1] in files or line[66:].startswith("include/")]
        files[".given.sha256"] = ("".join(there), source)
        return files

    def write(self, folder):
        for name, (text, source) in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            markers.write(target, text)
            target.chmod(source.stat().st_mode & 0o777 | 0o644)
