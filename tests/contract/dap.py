"""a2 debug --dap, as an editor uses it.

usage: dap.py A2 SHADERS
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile


class Editor:
    def __init__(self, a2, *words):
        self.process = subprocess.Popen([a2, "debug", "--dap", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.seq, self.events, self.output = 0, [], []  # output: of all its events

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def read(self):
        length = None
        while (line := self.process.stdout.readline().strip()) or length is None:
            if line:
                length = int(line.split(b":")[1])
            elif self.process.poll() is not None:
                raise EOFError
        message = json.loads(self.process.stdout.read(length))
        if message.get("event") == "output":
            self.output.append(message["body"]["output"])
        return message

    def ask(self, command, /, **arguments):
        self.seq += 1
        self.send({"seq": self.seq, "type": "request", "command": command, "arguments": arguments})
        return self.answer(self.seq)

    def answer(self, seq):
        while (message := self.read())["type"] == "event":
            self.events.append(message)
        assert message["request_seq"] == seq, message
        return message

    def right(self, command, /, **arguments):
        answer = self.ask(command, **arguments)
        assert answer["success"], answer
        return answer.get("body", {})

    def refused(self, command, /, **arguments):
        answer = self.ask(command, **arguments)
        assert not answer["success"], answer
        return answer["message"]

    def event(self, name):
        while True:
            for i, one in enumerate(self.events):
                if one["event"] == name:
                    del self.events[:i + 1]
                    return one.get("body", {})
            self.events.append(self.read())

    def stop(self, command, /, **arguments):
        self.right(command, **arguments)
        return self.event("stopped")

    def launch(self, breakpoints=(), file="A2Task1KernelDecomposition.comp", **arguments):
        assert self.right("initialize", adapterID="a2")["supportsStepBack"]
        self.right("launch", **arguments)
        self.event("initialized")
        set_ = self.right("setBreakpoints", source={"path": f"/anywhere/shaders/{file}"}, breakpoints=list(breakpoints))
        self.right("setExceptionBreakpoints", filters=["rules"])
        self.right("configurationDone")
        return set_["breakpoints"], self.event("stopped")

    def evaluated(self, expression, thread=1):
        frame = self.right("stackTrace", threadId=thread)["stackFrames"][0]["id"]
        return self.right("evaluate", expression=expression, frameId=frame)["result"]

    def end(self):
        self.right("disconnect")
        self.event("terminated")
        self.process.stdin.close()
        status = self.process.wait(20)
        assert status == 0, status


def line_of(text, part):
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


def steps_and_values(a2, shaders):
    text = (shaders / "A2Task1KernelDecomposition.comp").read_text()
    line = line_of(text, "sum += partial[lane + stride];")
    editor = Editor(a2)
    points, stopped = editor.launch([{"line": line, "condition": "lane == 1"}, {"line": 1}], stopOnEntry=False,
                                    kernel=str(shaders / "A2Task1KernelDecomposition.comp"), args=["-n", "16", "-w", "4"])
    assert [one["verified"] for one in points] == [True, True] and points[0]["line"] == line and points[1]["line"] > 1
    assert stopped["reason"] == "breakpoint", stopped  # line 1 was moved to the first one
    stopped = editor.stop("continue", threadId=1)
    while editor.evaluated("gl_LocalInvocationIndex", stopped["threadId"]) != "1" or stopped["reason"] != "breakpoint" or \
            editor.right("stackTrace", threadId=stopped["threadId"])["stackFrames"][0]["line"] != line:
        stopped = editor.stop("continue", threadId=1)
    assert stopped["threadId"] == 2, stopped
    threads = editor.right("threads")["threads"]
    assert [one["name"] for one in threads] == [f"group 0, invocation {i}" for i in range(4)], threads
    frame = editor.right("stackTrace", threadId=2)["stackFrames"][0]
    assert frame["name"] == "main" and pathlib.Path(frame["source"]["path"]).read_text() == text, frame
    scopes = {one["name"]: one["variablesReference"] for one in editor.right("scopes", frameId=frame["id"])["scopes"]}
    assert set(scopes) == {"Locals", "Shared memory", "Buffers", "Push constants", "Built-in"}, scopes
    locals_ = {one["name"]: one["value"] for one in editor.right("variables", variablesReference=scopes["Locals"])["variables"]}
    assert locals_["lane"] == "1" and locals_["stride"] == "2", locals_
    shared = editor.right("variables", variablesReference=scopes["Shared memory"])["variables"]
    assert shared[0]["name"] == "partial" and shared[0]["indexedVariables"] == 4, shared
    parts = editor.right("variables", variablesReference=shared[0]["variablesReference"], start=1, count=2)["variables"]
    assert [one["name"] for one in parts] == ["[1]", "[2]"] and parts[0]["evaluateName"] == "partial[1]", parts

    before = int(editor.evaluated("partial[1]", 2))
    info = editor.right("dataBreakpointInfo", variablesReference=shared[0]["variablesReference"], name="[1]")
    assert info["dataId"] == "partial[1]", info
    assert editor.right("setDataBreakpoints", breakpoints=[{"dataId": "partial[1]"}])["breakpoints"][0]["verified"]
    stopped = editor.stop("continue", threadId=2)
    assert stopped["reason"] == "data breakpoint" and re.match(rf"partial\[1\]: {before} -> \d+", stopped["text"]), stopped
    stopped = editor.stop("stepBack", threadId=2)
    assert stopped["reason"] == "step" and editor.right("stackTrace", threadId=2)["stackFrames"][0]["line"] == line
    editor.stop("next", threadId=2)
    assert editor.right("stackTrace", threadId=2)["stackFrames"][0]["line"] == line + 1
    assert editor.stop("reverseContinue", threadId=2)["reason"] == "breakpoint"
    editor.right("setDataBreakpoints", breakpoints=[])
    editor.right("setBreakpoints", source={"name": "A2Task1KernelDecomposition.comp"}, breakpoints=[])
    assert editor.stop("continue", threadId=2)["description"] == "the run has ended"
    assert editor.evaluated("result[0]") == "120"
    assert editor.stop("stepBack", threadId=1)["reason"] == "step"
    editor.end()


def log_points(a2, shaders):
    line = line_of((shaders / "A2Task1KernelDecomposition.comp").read_text(), "sum += partial[lane + stride];")
    editor = Editor(a2)
    _, stopped = editor.launch([{"line": line, "condition": "lane < 2", "logMessage": "lane {lane} adds {partial[lane + stride]}; {no}"},
                                {"line": line + 1, "condition": "lane == 0"}], stopOnEntry=False,
                               task="reduce/decomposition", args=["-n", "16", "-w", "4"])

    def logged():
        return [text for text in editor.output if text.startswith("lane ")]

    unknown = "{'no' means nothing here ('locals', 'shared' and 'buffer' list names)}"
    assert stopped["reason"] == "breakpoint" and logged() == [f"lane 0 adds 8; {unknown}\n"], (stopped, editor.output)
    editor.stop("continue", threadId=1)
    assert [text.split(";")[0] for text in logged()] == ["lane 0 adds 8", "lane 1 adds 10", "lane 0 adds 16"], logged()
    editor.stop("reverseContinue", threadId=1)  # back past log points, which print nothing then
    assert len(logged()) == 3 and editor.right("stackTrace", threadId=1)["stackFrames"][0]["line"] == line + 1
    editor.end()


def rules(a2, shaders):
    text = (shaders / "A2Task1KernelDecomposition.comp").read_text()
    with tempfile.TemporaryDirectory() as folder:
        changed = re.sub(r"\n        barrier\(\);[^\n]*", "\n", text, count=1)
        assert changed != text
        (pathlib.Path(folder) / "A2Task1KernelDecomposition.comp").write_text(changed)
        editor = Editor(a2, "reduce/decomposition", "--shader-dir", folder)
        editor.launch()
        stopped = editor.stop("continue", threadId=1)
        assert stopped["reason"] == "exception" and stopped["text"].startswith("shared-race: "), stopped
        assert editor.right("exceptionInfo", threadId=stopped["threadId"])["exceptionId"] == "shared-race"
        frame = editor.right("stackTrace", threadId=stopped["threadId"])["stackFrames"][0]
        assert frame["source"]["path"].startswith(folder), frame
        editor.end()
        # A kernel that is not the project's but has the same name: that file is debugged.
        kernel = pathlib.Path(folder) / "A2Task1KernelDecomposition.comp"
        editor = Editor(a2)
        editor.launch(kernel=str(kernel))
        stopped = editor.stop("continue", threadId=1)
        assert stopped["reason"] == "exception" and stopped["text"].startswith("shared-race: "), stopped
        editor.end()
        editor = Editor(a2)
        assert "there is no kernel" in editor.refused("launch", kernel=str(kernel.with_name("A2Task2Naive.comp")))
        editor.process.stdin.close()
        assert editor.process.wait(20) == 0


def refusals(a2, _):
    editor = Editor(a2)
    assert "before the launch" in editor.refused("threads")
    editor.right("initialize")
    for arguments, why in (({}, "no \"task\""), ({"task": "reduce/none"}, "reduce/none"), ({"task": 3}, "no text"),
                           ({"kernel": "x.comp"}, "no task uses"), ({"task": "scan/naive", "args": ["-n", "0"]}, "no line"),
                           ({"task": "scan/naive", "args": 3}, "no list"), ({"task": "scan/naive", "args": ["-n", "x"]}, "x")):
        assert why in editor.refused("launch", **arguments), (arguments, why)
    editor.launch(task="scan/naive", file="A2Task2Naive.comp")
    for command, arguments, why in (("evaluate", {"expression": "nothing"}, "means nothing"), ("evaluate", {"expression": 3}, "no text"),
                                    ("evaluate", {}, "no expression"), ("variables", {"variablesReference": 77}, "no such variable"),
                                    ("variables", {"variablesReference": -1}, "no whole number"), ("stackTrace", {"threadId": 99}, "no such"),
                                    ("scopes", {"frameId": 99 * 256}, "no such frame"), ("setBreakpoints", {"source": 3}, ""), ("setBreakpoints", {"source": {"path": "x"}, "breakpoints": [3]}, ""),
                                    ("dataBreakpointInfo", {"name": "1 + 1"}, "nothing that a kernel"), ("fly", {}, "knows no fly"),
                                    ("stepBack", {"threadId": 1}, "first line"), ("setDataBreakpoints", {"breakpoints": 1}, "no list")):
        assert why in editor.refused(command, **arguments), (command, arguments)
    points = editor.right("setBreakpoints", source={"path": "/x/A2Task2Naive.comp"},
                          breakpoints=[{"line": 10000}, {"line": 1, "condition": "1 +"}, {"line": 1, "logMessage": "{1"},
                                       {"line": 1, "logMessage": "{}"}])
    assert [one["verified"] for one in points["breakpoints"]] == [False] * 4, points
    for text in (b"{", b"[]", b"3", b'{"seq": "x", "command": 1}', b'{"type": "request"}'):
        editor.send(text)
        assert not editor.answer(0)["success"]
    assert editor.evaluated("gl_LocalInvocationIndex") == "0"
    editor.end()
    gone = Editor(a2, "scan/naive")
    gone.process.stdin.close()
    assert gone.process.wait(20) == 0
    for garbage in (b"hello\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: x\r\n\r\n{}", b"\n" * 9000):
        done = subprocess.run([a2, "debug", "--dap"], input=garbage, capture_output=True, timeout=20, check=False)
        assert done.returncode == 0, done


def main():
    a2, shaders = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    for one in (steps_and_values, log_points, rules, refusals):
        one(a2, shaders)


if __name__ == "__main__":
    main()
