"""Wrong solutions, one small change each, and how each must be rejected.

A change replaces a piece of text, which must be in its file exactly once (apart from white space), with another. If it
is not, or if the result does not compile, only the test of that variant fails.
What the verdict must be:
  a rule of the lint       the first finding of that rule is about this dispatch (None: about the run as a whole)
  "value"                  the first wrong dispatch is this one
  "unfinished"             every dispatch is right, but one is missing
  "elsewhere"              every dispatch is right, but result() returns another buffer
  "result"                 the result is wrong though every dispatch does right with what it was given
  "not-written"            there is nothing yet that could be wrong
  "passed"                 nothing is wrong with it, though it looks like something that is
  any other text           it cannot run, and the message says this
Shapes: 64 invocations with 2 elements each make tiles of 128 elements, so n = 1000 has 8 tiles and two levels, and n =
20000 three. If a change needs an array in slices, the device binds no more than 64 tiles (sliced=True).
"""

from collections import namedtuple

Variant = namedtuple("Variant", "name task file changes rule dispatch n work_group elements pattern sliced")
VARIANTS = []

# Barriers in kernels, by file and comment, whose removal is tested elsewhere, and why.
SEEN_BY_NOBODY = {
    ("shaders/A2LabRotate.comp", "the whole tile is there before anyone reads what others loaded"):
        "the rotation is no row: the unit tests of a2 theory remove it",
    ("shaders/A2Digest.comp", "the sums are 0 before the first addition"): "a2's own, and of no row: the tests of the digest remove it",
    ("shaders/A2Digest.comp", "all invocations have added theirs"): "likewise",
}


def group(file, task, elements=2):
    """add(name, changes, rule, dispatch, ...) for one file, and for one task unless another one is named."""

    def add(name, changes, rule, dispatch, n=1000, work_group=64, elements=elements, pattern="random", task=task,
            sliced=False):
        names_one = {"value": True, "unfinished": False, "elsewhere": False, "result": False, "passed": False,
                     "not-written": False}
        if names_one.get(rule, dispatch is not None) != (dispatch is not None):
            raise ValueError(f"variant {name}: \"value\" names a dispatch, other wrong results do not")
        VARIANTS.append(Variant(name, task, file, changes, rule, dispatch, n, work_group, elements, pattern, sliced))

    return add
