"""A RenderDoc capture of an a2 task, replayed without a window: its dispatches and what is bound to them."""

import array
import json
import sys


class Failure(Exception):
    """A message of one line (what failed, on what, what to do) and the exit status."""

    def __init__(self, status, message):
        super().__init__(" ".join(message.split()))
        self.status = status


def words(data):
    result = array.array("I")
    result.frombytes(data)
    if sys.byteorder == "big":
        result.byteswap()
    return result


def writable_bindings(spirv):
    """The (set, binding) of every storage buffer that the kernel does not declare readonly.

    RenderDoc's own isReadOnly says false for all of them."""
    code, at = words(spirv), 5
    decorations, read_only_members, structs, pointees, variables = {}, {}, {}, {}, []
    while at < len(code):
        length, operation = code[at] >> 16, code[at] & 0xFFFF
        operands = code[at + 1 : at + length]
        if operation == 71:  # OpDecorate
            decorations.setdefault(operands[0], {})[operands[1]] = operands[2] if length > 3 else True
        elif operation == 72 and operands[2] == 24:  # OpMemberDecorate ... NonWritable
            read_only_members.setdefault(operands[0], set()).add(operands[1])
        elif operation == 30:  # OpTypeStruct
            structs[operands[0]] = length - 2
        elif operation == 32:  # OpTypePointer
            pointees[operands[0]] = operands[2]
        elif operation == 59:  # OpVariable
            variables.append((operands[1], pointees.get(operands[0])))
        at += max(1, length)
    found = set()
    for variable, struct in variables:
        of = decorations.get(variable, {})
        read_only = 24 in of or len(read_only_members.get(struct, ())) == structs.get(struct)
        if 33 in of and not read_only:  # Binding; 34 is DescriptorSet
            found.add((of.get(34, 0), of[33]))
    return found


class Replay:
    """A capture opened for replay; a context manager, because RenderDoc must be shut down in order."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                magic = file.read(4)
        except OSError as error:
            raise Failure(3, f"{path} cannot be read: {error.strerror}") from None
        if magic != b"RDOC":
            raise Failure(3, f"{path} is no RenderDoc capture: make one with `a2 capture TASK`")
        try:
            import renderdoc
        except ImportError as error:
            why = f"no RenderDoc module for {sys.executable} ({error})"
            raise Failure(3, f"{why}: install python3-renderdoc, and run this by /usr/bin/python3") from None
        self.path, self.rd, self.controller = path, renderdoc, None

    def __enter__(self):
        rd = self.rd
        rd.InitialiseReplay(rd.GlobalEnvironment(), [])
        self.file = rd.OpenCaptureFile()
        result = self.file.OpenFile(self.path, "rdc", None)
        if result.OK():
            options = rd.ReplayOptions()
            # Otherwise a buffer that the capture overwrites reads 0 before its first write.
            options.optimisation = rd.ReplayOptimisationLevel.NoOptimisation
            result, self.controller = self.file.OpenCapture(options, None)
        if not result.OK() or self.controller is None:
            why = result.Message()  # read now: the text disappears with the file
            self.__exit__()
            raise Failure(3, f"{self.path} cannot be replayed ({why}): capture again, on this machine")
        self.names = {resource.resourceId: resource for resource in self.controller.GetResources()}
        self.lengths = {buffer.resourceId: buffer.length for buffer in self.controller.GetBuffers()}
        return self

    def __exit__(self, *_):
        if self.controller is not None:
            self.controller.Shutdown()
        self.file.Shutdown()
        self.rd.ShutdownReplay()

    def comments(self):
        section = self.file.FindSectionByType(self.rd.SectionType.Notes)
        try:
            return json.loads(self.file.GetSectionContents(section))["comments"] if section >= 0 else ""
        except (ValueError, KeyError):
            return ""

    def dispatches(self, actions=None, group=""):
        """(event, groups, label) of each dispatch: its label stands right before it, or opens the group around it."""
        flags, label = self.rd.ActionFlags, ""
        for action in self.controller.GetRootActions() if actions is None else actions:
            if action.flags & flags.Dispatch:
                yield action.eventId, list(action.dispatchDimension), label or group
            inside = action.customName if action.flags & flags.PushMarker else group
            yield from self.dispatches(action.children, inside)
            label = action.customName if action.flags & flags.SetMarker else ""

    def push_constants(self, pipeline, shader):
        found = {}

        def collect(variable):
            if variable.members:
                for member in variable.members:
                    collect(member)
                return
            kinds = {self.rd.VarType.Float: "f32v", self.rd.VarType.SInt: "s32v"}
            values = list(getattr(variable.value, kinds.get(variable.type, "u32v")))
            values = values[: max(1, variable.rows * variable.columns)]
            found[variable.name] = values[0] if len(values) == 1 else values

        for i, block in enumerate(shader.constantBlocks):
            if block.bufferBacked or block.compileConstants:
                continue
            stage, nothing = self.rd.ShaderStage.Compute, self.rd.ResourceId.Null()
            for variable in self.controller.GetCBufferVariableContents(
                pipeline, shader.resourceId, stage, shader.entryPoint, i, nothing, 0, 0
            ):
                collect(variable)
        return found

    def buffers(self, state, shader):
        """The contents of each storage buffer binding: only the elements, not the guard words around them."""
        writable = writable_bindings(bytes(shader.rawBytes))
        for number, descriptors in enumerate(state.compute.descriptorSets):
            for binding, slots in enumerate(descriptors.bindings):
                for slot in slots.binds:
                    buffer = slot.resourceResourceId
                    if slot.type != self.rd.BindType.ReadWriteBuffer or buffer not in self.lengths:
                        continue
                    # As much guard lies after the elements as before them; the descriptor's range may include it.
                    elements = max(0, self.lengths[buffer] - 2 * slot.byteOffset) // 4
                    yield {
                        "binding": binding,
                        "name": self.names[buffer].name,
                        "elements": elements,
                        "writable": (number, binding) in writable,
                        "at": (buffer, slot.byteOffset, 4 * elements),
                    }

    def content(self, buffer):
        return words(self.controller.GetBufferData(*buffer["at"])) if buffer["elements"] else words(b"")

    def look(self, event):
        """The state of the dispatch at this event; content() then gives the data after it."""
        self.controller.SetFrameEvent(event, True)
        state = self.controller.GetVulkanPipelineState()
        pipeline, shader = state.compute.pipelineResourceId, state.computeShader.reflection
        return {
            "kernel": self.names[pipeline].name,
            "local_size": list(shader.dispatchThreadsDimension),
            "push": self.push_constants(pipeline, shader),
            "buffers": list(self.buffers(state, shader)),
        }

    def content_before(self, event, buffer):
        self.controller.SetFrameEvent(event - 1, True)
        return self.content(buffer)
