"""Which submissions share code that was not handed out: pairs and groups for a person to look at, never a verdict."""

import collections
import csv
import io
import itertools
import statistics

import markers
import outputs
from tokens import MOST_TOKENS, Source

TOKENS, VALUES, RECORDED = "tokens", "SPIR-V", "recording"
# The least share for which a pair is reported; by recordings alone none is. Students who had not seen each other's code
# had up to 29 and 68 percent in common, and kernels that were copied and then disguised 89 or more by SPIR-V
# (docs/copies.md).
LEAST_PERCENT = {TOKENS: 40, VALUES: 85}
LEAST_PIECES = {TOKENS: 20, VALUES: 12, RECORDED: 8}  # of a file; below that all files are alike
# All submissions record what a task prescribes. So recordings are compared only if the class shows that they can
# differ: among at least this many pairs, the median pair has no more than this in common.
FEWEST_PAIRS, MOST_USUAL = 6, 50
ALL = "all files"
MOST_ROWS = 20_000

# group: the group of those who share much of all their code; "" if only single files are alike, which may be chance.
# of_first, of_second: percent of each one's own code that is also in the other. usual: the larger of the two for the
# median pair of this class.
Row = collections.namedtuple("Row", "group first second file by of_first of_second usual")


def handed_out(house, files):
    """All pieces of the text that students are given."""
    texts = [markers.stub_of(markers.read(house.root / file), file) for file in files]
    headers = [*house.root.glob("shaders/include/*"), *house.root.glob("include/**/*.h")]
    texts += [markers.read(path) for path in headers]
    return frozenset(piece for text in texts for piece in Source(text).whole)


def token_pieces(texts, file, given, note=lambda text: None):
    """name -> the pieces of its file."""
    found = {}
    for name in sorted(texts):
        if file in texts[name]:
            source = Source(texts[name][file], given)
            found[name] = set(source.pieces())
            if source.cut:
                note(f"of {name}'s {file}, the first {MOST_TOKENS} words and signs are compared with others'")
    return found


def in_common(pieces, pairs):
    """{pair: how many pieces both have}."""
    counts = collections.Counter(itertools.chain.from_iterable(pieces.values()))
    numbers = {piece: number for number, piece in enumerate(one for one, count in counts.items() if count > 1)}
    bits = {}
    for name, own in pieces.items():
        data = bytearray(len(numbers) // 8 + 1)
        for number in (numbers[piece] for piece in own if piece in numbers):
            data[number >> 3] |= 1 << (number & 7)
        bits[name] = int.from_bytes(data, "little")
    return {(one, other): (bits[one] & bits[other]).bit_count() for one, other in pairs
            if one in bits and other in bits}


def shares(by, sizes, common, earlier):
    """{pair: (percent of the first, of the second, the usual value)} of those with enough code of their own."""
    found = {(one, other): (100 * count // sizes[one], 100 * count // sizes[other])
             for (one, other), count in common.items()
             if min(sizes[one], sizes[other]) >= LEAST_PIECES[by]}
    usual = [max(both) for (_, other), both in found.items() if other not in earlier]
    usual = int(statistics.median(usual)) if usual else 0
    return {pair: (*both, usual) for pair, both in found.items()}


def is_much(by, three):
    return max(three[:2]) >= LEAST_PERCENT.get(by, 101)


def compared_freely(pieces_of, files, names):
    """Like compared(), by RECORDED: for this year's submissions, in files that are free to differ, the pairs with more
    in common than is usual."""
    pairs, found = list(itertools.combinations(sorted(names), 2)), {}
    for file in files:
        pieces = pieces_of(file)
        own = shares(RECORDED, {name: len(some) for name, some in pieces.items()}, in_common(pieces, pairs), ())
        if len(own) >= FEWEST_PAIRS:
            found.update({(pair, file): three for pair, three in own.items()
                          if three[2] <= MOST_USUAL < max(three[:2])})
    return found


def compared(by, pieces_of, files, names, earlier):
    """{(pair, file): shares} for one way of comparing, ALL for all files together. pieces_of(file): name -> set."""
    pairs = [*itertools.combinations(sorted(names), 2), *itertools.product(sorted(names), sorted(earlier))]
    sizes, sums, found = collections.Counter(), collections.Counter(), {}
    for file in files:
        pieces = pieces_of(file)
        own = {name: len(some) for name, some in pieces.items()}
        common = in_common(pieces, pairs)
        sizes.update(own)
        sums.update(common)
        found.update({(pair, file): three for pair, three in shares(by, own, common, earlier).items()
                      if is_much(by, three)})
    found.update({(pair, ALL): three for pair, three in shares(by, sizes, sums, earlier).items()})
    return found


def groups_of(pairs):
    """name -> its group: all that are connected, numbered in order of appearance."""
    above = {}

    def top(name):
        while above.setdefault(name, name) != name:
            name = above[name]
        return name

    for one, other in pairs:
        above[top(other)] = top(one)
    numbers = {}
    return {name: numbers.setdefault(top(name), len(numbers) + 1) for pair in pairs for name in pair}


def rows(ways):
    """Rows of the pairs with enough in common, groups of the most alike first, pairs without a group last. ways: by ->
    result of compared()."""
    alike = {}  # pair -> its highest share
    for by, found in ways.items():
        alike.update({pair: 0 for (pair, _), three in found.items() if is_much(by, three)})
    for pair in alike:
        alike[pair] = max(max(found.get((pair, ALL), (0, 0))[:2]) for found in ways.values())
    pairs = sorted(alike, key=lambda pair: (-alike[pair], pair))
    linked = {pair for pair in pairs for by, found in ways.items()
              if (pair, ALL) in found and is_much(by, found[pair, ALL])}
    groups, order = groups_of([pair for pair in pairs if pair in linked]), {pair: i for i, pair in enumerate(pairs)}
    made = [Row(groups[pair[0]] if pair in linked else "", *pair, file, by, *three) for by, found in ways.items()
            for (pair, file), three in found.items() if pair in alike]
    return sorted(made, key=lambda row: (row.group or len(pairs) + 1, order[row[1:3]], row.file != ALL, row.file,
                                         row.by != TOKENS))


def as_csv(made):
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows([outputs.safe_cell(str(one)) for one in row] for row in made[:MOST_ROWS])
    return stream.getvalue()
