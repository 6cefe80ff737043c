"""The data that a grading on a cluster keeps in its output folder, where all nodes see it: the plan, the recordings of
each submission for the node that judges it, and failures."""

import base64
import json
import os
import shutil

from judging import Question

RECORD, JUDGE, REFERENCE = "record", "judge", "reference"


class Shared:
    def __init__(self, output):
        self.output, self.folder = output, output / ".slurm"
        self.rubric = self.folder / "rubric.json"
        self.device = self.folder / REFERENCE / "0.recordings"  # made for the device that judges

    def begin(self, plan, rubric):
        """Makes an empty one for this plan."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in (self.folder, self.folder / "logs", self.folder / "nodes", self.folder / "failed"):
            path.mkdir(mode=0o700)
        self.rubric.write_text(rubric, encoding="utf-8")
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")

    def plan(self):
        """None if there is none."""
        try:
            return json.loads((self.folder / "plan.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def logs(self):
        return self.folder / "logs"

    def put(self, name, case, jail, questions):
        """What is needed to judge this case, in a folder that appears in one step."""
        build, part = case.build, self.folder / f".part-{name}"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        asked, count = [], 0
        for question in questions:
            recorded = []
            for tasks, file in question.recorded:
                shutil.copyfile(file, part / f"{count}.recordings")
                recorded.append([tasks, f"{count}.recordings"])
                count += 1
            asked.append([question.command, question.tasks, question.options, recorded, question.failed, question.took])
        kept = {"jail": jail, "handed": case.handed, "questions": asked, "log": build.log, "warnings": build.warnings,
                "problems": build.problems, "said": build.said, "folders": build.folders(), "spent": build.spent,
                "texts": {file: base64.b64encode(text).decode("ascii") for file, text in case.texts.items()}}
        (part / "case.json").write_text(json.dumps(kept), encoding="utf-8")
        self.drop(name)
        os.rename(part, self.folder / name)

    def has(self, name):
        return (self.folder / name / "case.json").is_file()

    def kept(self, name):
        return json.loads((self.folder / name / "case.json").read_text(encoding="utf-8"))

    def take(self, name, case, build, wanted):
        """The case, to be judged in another build: with its kernels, and without its code."""
        kept, folder = self.kept(name), self.folder / name
        case.build, case.handed = build, kept["handed"]
        case.texts = {file: base64.b64decode(text) for file, text in kept["texts"].items()}
        build.refused = case.handed["refused"] if case.handed else ()  # the reference has no submission
        build.kernels([file for file in wanted if file.endswith(".comp")], case.texts)
        build.log, build.warnings, build.problems = kept["log"], kept["warnings"], kept["problems"]
        build.elsewhere, build.said, build.spent = kept["folders"], kept["said"], kept["spent"]
        for command, tasks, options, recorded, failed, took in kept["questions"]:
            question = Question(command, tasks, options)
            question.failed, question.took = failed, took
            question.recorded = [(some, folder / file) for some, file in recorded]
            build.questions.append(question)
        build.jail_program()
        return case

    def drop(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def proven(self, stage, node):
        """A file that shows that the reference passed this stage on this node."""
        return self.folder / "nodes" / f"{stage}-{node}"

    def fail(self, stage, place, why):
        (self.folder / "failed" / f"{stage}-{place}").write_text(why, encoding="utf-8", errors="replace")

    def why_failed(self, stage, place):
        """Empty if the task wrote nothing."""
        try:
            return (self.folder / "failed" / f"{stage}-{place}").read_text(encoding="utf-8")
        except OSError:
            return ""
