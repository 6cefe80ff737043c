"""Checks a2's reports from outside: the JSON with its schema, the JUnit XML and the CSV with Python's own parsers."""

import copy
import csv
import json
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

OPTIONAL = {"explanation", "recorded", "type", "findings", "theory", "repetitions", "repetition_index"}


def validator(schema_path):
    import jsonschema  # here, because it is slow to load and only some commands need it

    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def load(path):
    def no_constant(text):
        raise ValueError(text + " is not JSON")  # json.load accepts NaN and Infinity

    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=no_constant)


def validate(schema, report):
    errors = list(validator(schema).iter_errors(load(report)))
    for error in errors[:5]:
        print("/".join(str(step) for step in error.absolute_path), error.message)
    return len(errors) > 0


def objects(node):
    """Every object in a document, so that each can be spoilt in turn; except push constants, which may have any
    name."""
    if isinstance(node, dict):
        yield node
        children = [child for key, child in node.items() if key != "push"]
    else:
        children = node if isinstance(node, list) else []
    for child in children:
        yield from objects(child)


def form(node):
    """The form of a value: its keys, and the types of their values."""
    if isinstance(node, dict):
        return tuple(sorted((key, form(child)) for key, child in node.items()))
    if isinstance(node, list):
        return frozenset(form(child) for child in node)
    return type(node).__name__


def shortened(node):
    """Keeps of each list the first entry of each form, and three numbers: others can be spoilt in no other way, and
    take long."""
    if isinstance(node, dict):
        return {key: shortened(child) for key, child in node.items()}
    if isinstance(node, list):
        if not any(isinstance(child, (dict, list)) for child in node):
            return node[:3]
        return list({form(child): child for child in reversed([shortened(child) for child in node])}.values())[::-1]
    return node


def strict(schema, report):
    """Spoils the report in every way that a schema must reject; prints what it accepted."""
    check = validator(schema)
    document = shortened(load(report))
    unnoticed = []

    def expect_refusal(what):
        if check.is_valid(document):
            unnoticed.append(what)

    for node in objects(document):
        before = copy.copy(node)
        for key in before:
            if key not in OPTIONAL:
                del node[key]
                expect_refusal("without " + key)
            node[key] = {"no": "such type"}
            expect_refusal("an object for " + key)
            node.clear()
            node.update(before)
        node["surprise"] = 1
        expect_refusal("surprise beside " + ", ".join(before))
        del node["surprise"]
        if "status" in node:
            node["status"] = "fine"
            expect_refusal("status fine")
            node["status"] = before["status"]
    if not check.is_valid(document):
        unnoticed.append("the report as it is was refused")
    print("\n".join(unnoticed))
    return len(unnoticed) > 0


def junit(report):
    """Prints the suite's own counts and the real ones."""
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    cases = suite.findall("testcase")
    print("claims", *(suite.get(name) for name in ("tests", "failures", "errors", "skipped")))
    print("holds", len(cases), *(len(suite.findall("testcase/" + name)) for name in ("failure", "error", "skipped")))
    for case in cases:
        print(case.get("classname"), case.get("name"))
    return False


def table(report):
    """Prints the CSV's rows, with tabs between fields."""
    with open(report, encoding="utf-8", errors="surrogateescape", newline="") as file:
        for row in csv.reader(file, strict=True):
            print("\t".join(row))
    return False


def benchmarks(report, *keys):
    """Prints a line per benchmark with the values of these keys."""
    for benchmark in load(report)["benchmarks"]:
        print(*(benchmark[key] for key in keys))
    return False


def same_dispatches(steps, capture):
    """Compares the dispatches of `a2 steps --json` with those that tools/inspect_capture.py finds in a capture."""
    inspector = Path(__file__).resolve().parents[2] / "tools" / "inspect_capture.py"
    shown = subprocess.run([sys.executable, inspector, capture, "--json"], check=True, capture_output=True, text=True)

    def essence(dispatches):
        keys = ("index", "label", "kernel", "groups", "push")
        return [
            [*(one[key] for key in keys), [(buffer["binding"], buffer["name"]) for buffer in one["buffers"]]]
            for one in dispatches
        ]

    expected, got = essence(load(steps)["dispatches"]), essence(json.loads(shown.stdout))
    print(expected, got, sep="\n")
    return expected != got or not expected


def page_of_report(page, report):
    """Whether the page of `a2 steps --html` draws this report, and nothing else."""
    with open(page, encoding="utf-8") as file:
        data = re.search(r'<script type="application/json" id="report">(.*?)</script>', file.read(), re.S)
    return json.loads(data[1]) != load(report)


def wrong_cells(report):
    """Prints a line for each element and each number of shared memory that a step left wrong."""
    for dispatch in load(report)["dispatches"]:
        for one in dispatch["wrong"]:
            print(one["buffer"], one["index"], one["expected"], one["got"])
        for one in dispatch["trace"]["wrong"]:
            print(f"phase {one['phase']} of {one['group']}: {one['name']} {one['index']} {one['expected']} {one['got']}")
    return False


COMMANDS = {
    "validate": validate,
    "strict": strict,
    "junit": junit,
    "table": table,
    "benchmarks": benchmarks,
    "same-dispatches": same_dispatches,
    "page-of-report": page_of_report,
    "wrong-cells": wrong_cells,
}
sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
