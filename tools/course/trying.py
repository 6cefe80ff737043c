"""tools/grade --try: the points of the project's own solution and of the empty hand-out, before a class is graded."""

import handout
import rows
from grader import Case
from house import HouseError
from judging import UNTIMED
from rubric import evidence_of


def handed_out(grading):
    """The files of the tasks as tools/handout makes them: path -> bytes. Raises MarkerError, HouseError."""
    known = {row.id for row in rows.rows_of(grading.house.root)}
    other = [task for task in grading.tasks if task not in known]
    if other:
        raise HouseError(f"{other[0]} is in no hand-out: --try is for rubrics of the assignment's tasks")
    what = handout.Handout(grading.house.root, grading.tasks)
    return {file: what.text[file].encode("utf-8", "surrogateescape") for file in grading.wanted}


def own(grading):
    return {file: (grading.house.root / file).read_bytes() for file in grading.wanted}


def judged(grading, place, name, files):
    """The rubric's result for these files, as for a submission."""
    case = Case(place, name, user=place)
    case.build = grading.build_at(case.user, f"{place}")
    try:
        with case.noting():
            case.build.make(grading.wanted, files)
            grading.judge_case(case)
    finally:
        case.build.jail.clean_up()
    if case.problem:
        raise HouseError(f"{name}: {case.problem}")
    return {one["id"]: one for one in case.judged}


def cannot_be_shown(criterion, reason):
    """Whether the reference can never earn a criterion: it is no faster than itself, and nothing is timed if the
    maximum of extra points is reached already."""
    return reason == UNTIMED or any(one["kind"] == "time" and one["factor"] < 1 for one in evidence_of(criterion))


def wrong_of(rubric, reference, empty):
    """Objections to a rubric, one line each."""
    for one in rubric.criteria:
        name, reason = one["id"], reference[one["id"]]["reason"]
        if reason is not None and not cannot_be_shown(one, reason):
            yield f"criterion '{name}': the project's own solution misses it: {reason}"
        if empty[name]["points"]:
            yield f"criterion '{name}': the empty hand-out earns {empty[name]['points']}: ask for more evidence"


def try_rubric(grading):
    """(lines about the points of both, lines about problems)."""
    files = own(grading), handed_out(grading)
    grading.enter_jail(grading.options.jail)
    grading.try_reference()
    reference = judged(grading, 1, "the project's own solution", files[0])
    empty = judged(grading, 2, "the empty hand-out", files[1])
    lines = [f"{one['id']}: {reference[one['id']]['points']} of {one['points']}, empty hand-out "
             f"{empty[one['id']]['points']}{' (extra)' if one['extra'] else ''}" for one in grading.rubric.criteria]
    for name, found in (("own solution", reference), ("empty hand-out", empty)):
        points, extra = grading.rubric.sums(list(found.values()))
        lines.append(f"{name}: {points} of {grading.rubric.most}, {extra} extra")
    return lines, list(wrong_of(grading.rubric, reference, empty))
