"""JSON as a2 writes it, made up for tests: small, and the same each time."""

import json

TASKS = {"reduce/interleaved": "[Task1] Interleaved", "reduce/atomic": "[Task1] KernelDecomposition Atomic",
         "scan/naive": "[Task2] Naive", "scan/local": "[Task2] KernelDecomposition Local",
         "scan/work-efficient": "[Task2] KernelDecomposition"}


def context(**changed):
    made = {"date": "2026-11-23T03:13:06Z", "host": "here", "build_type": "Release", "compiler": "GNU 12.2.0",
            "version": "1.0.0", "commit": "0123456789ab", "command": "build/a2 bench --json '/tmp/a b.json' -s 7",
            "seed": 7, "timer": "gpu",
            "device": {"name": "Test GPU <1>", "type": "discrete GPU", "driver": "driver 1", "api": "1.3.0",
                       "subgroup": 32, "limits": {}},
            "copy_peak_GBps": 100.0}
    device = {key: changed.pop(key) for key in ("name", "driver") if key in changed}
    made["device"].update(device)
    made.update(changed)
    return made


def test(task, status="passed", n=1 << 20):
    return {"id": task, "label": TASKS[task], "points": 2, "status": status, "diagnosis": None, "method": [],
            "cases": [{"n": n, "workgroup": 256, "elements": 2}], "lint": []}


def benchmark(task, n, ms, workgroup=256, elements=2, cv=0.01, **changed):
    size = 8 if task.startswith("scan") else 4
    made = {"name": f"{task}/{n}/wg:{workgroup}/elements:{elements}", "run_type": "iteration", "iterations": 10,
            "real_time": ms, "cpu_time": ms * 1.1, "time_unit": "ms", "items_per_second": n / ms * 1e3 if ms else 0,
            "bytes_per_second": n * size / ms * 1e3 if ms else 0, "n": n, "workgroup": workgroup, "elements": elements, "batch": 1,
            "in_flight": 1, "bytes": n * size, "timer": "gpu", "min_ms": ms * 0.98, "median_ms": ms,
            "max_ms": ms * 1.03, "cv": cv, "host_ms": ms * 1.1, "whole_ms": ms * 3 + 0.012, "allocate_ms": 0.01,
            "upload_ms": ms, "prepare_ms": 0.001, "launch_ms": ms * 1.1, "download_ms": ms * 0.9 + 0.001,
            "cpu_ms": n / 1e6, "cpu_all_ms": n / 2e6, "peak_fraction": n * size / ms / 1e6 / 100.0 if ms else None}
    made.update(changed)
    return made


FACTORS = {"reduce/interleaved": 4.0, "reduce/atomic": 1.0, "scan/naive": 20.0, "scan/local": 2.0,
           "scan/work-efficient": 4.0}


def lengths(factor=1.0, cv=0.01, sizes=(1 << 10, 1 << 16, (1 << 20) - 3, 1 << 20), tasks=TASKS):
    return [benchmark(task, n, (0.01 + n / 2e7) * FACTORS[task] * factor, cv=cv) for task in tasks for n in sizes]


def workgroups():
    return [benchmark(task, 1 << 18, FACTORS[task] * (1 + abs(size - 128) / 256) / 50, workgroup=size)
            for task in TASKS for size in (32, 64, 128, 256)]


def measures(n):
    return {"time": 20, "processors": n // 2, "work": n, "cost": 10 * n, "additions": n - 1, "reads": 2 * n,
            "writes": n}


def theory(task, n=1024, workgroup=256, elements=2, work="bounded"):
    dispatch = {"index": 0, "label": "first | step", "kernel": "A2Kernel", "groups": [2, 1, 1], "counts": measures(n),
                "requests": 96, "sectors": 415, "transactions": 127, "branches": 160, "divergent_branches": 1,
                "phases": [measures(n)]}
    columns = [{"title": title, "banks": number, "worst": worst, "requests": 32, "turns": sum(worst)}
               for number in (32, 16) for title, worst in (("padded", [1, 1, 0]), ("unpadded", [1, 16, 0]))]
    points = [{"n": 2**e, "workgroup": 256, "elements": 2, "processors": 32, "time": e, "work": 2**e * e,
               "cost": 2**e * 2 * e} for e in (6, 8, 10)]
    return {"id": task, "n": n, "workgroup": workgroup, "elements": elements, "exclusive": False,
            "counts": measures(n), "textbook": {"additions": {"formula": "n - 1", "value": n - 1}, "time": None},
            "dispatches": [dispatch, dispatch | {"index": 1}],
            "bank_conflicts": [{"kernel": "A2Kernel", "columns": columns}],
            "growth": {"work": work, "cost": "grows", "longer": points, "wider": points}}


def steps():
    return [{"index": index, "label": f"step {index}", "kernel": "A2Kernel", "groups": [2, 1, 1], "push": {},
             "buffers": [], "barrier_before": ["Compute/Write -> Compute/Read"] if index else [], "ms": 0.1 + index / 50,
             "verdict": "ok", "first_wrong": None, "group": None, "phases": None, "phases_remark": None}
            for index in range(4)]


def report(benchmarks=(), tests=None, **parts):
    where = parts.pop("context", None) or context()
    if tests is None:
        tests = [test(task) for task in dict.fromkeys("/".join(one["name"].split("/")[:2]) for one in benchmarks)]
    return {"schema": 2, "context": where, "tests": tests, "benchmarks": list(benchmarks), **parts}


def everything():
    """Name -> content of the files of one whole report."""
    files = {"lengths.json": report(lengths()), "workgroups.json": report(workgroups())}
    for task in TASKS:
        name = task.replace("/", "-")
        work = "grows" if task == "scan/naive" else "bounded"
        files[f"theory-{name}.json"] = report(theory=[theory(task, work=work)])
        files[f"steps-{name}.json"] = report(tests=[test(task)], dispatches=steps(), lint=[])
    return files


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
