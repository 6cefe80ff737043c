"""The library of solutions with another text of one student's file, built like the project's own."""

import pathlib
import subprocess


def library_with(project, build, folder, file, text):
    """file: as under PROJECT. Returns the library's path; raises RuntimeError, with the output, if the build stops."""
    library = next(one for one in ("liba2_solutions.so", "liba2_solutions.dylib") if (build / one).exists())
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", library], capture_output=True, text=True,
                              check=True)
    lines = commands.stdout.splitlines()
    compile_line = next(one for one in lines if one.endswith(f"/{file}") and library[3:-3] in one)
    link_line = next(one for one in lines if f"-o {library} " in one)
    source = folder / file
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    made = source.with_name(source.name + ".o")
    old = compile_line[compile_line.index(" -o ") + 4:].split()[0]
    errors = f'errors={build / "errors"}'
    for line in (compile_line.replace(str(project / file), str(source)).replace(old, str(made)),
                 link_line.replace(old, str(made)).replace(f"-o {library} ", f"-o {folder / library} ")):
        assert errors in line, line
        done = subprocess.run(line.replace(errors, f"errors={folder}"), shell=True, cwd=build, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
    return pathlib.Path(folder / library)
