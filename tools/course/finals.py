"""What a submission has in the end: here, what the rubric gives."""

import collections

Final = collections.namedtuple("Final", "points of extra criteria manual")


class Finals:
    def final(self, result):
        criteria = [{**one, "by_hand": None} for one in result["criteria"]]
        manual = [{**one, "points": None, "of": None, "comment": ""} for one in result["manual"]]
        return Final(result["points"], result["of"], result["extra"], criteria, manual)


def read(_folder):
    return Finals()
