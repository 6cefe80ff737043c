"""JSON that others may have written or damaged, checked with a schema."""

import json
import math
import re

MOST_DIGITS = 300  # a floating-point number can have as many
TYPES = {"null": lambda one: one is None, "boolean": lambda one: isinstance(one, bool),
         "string": lambda one: isinstance(one, str), "array": lambda one: isinstance(one, list),
         "object": lambda one: isinstance(one, dict),
         "integer": lambda one: isinstance(one, int) and not isinstance(one, bool),
         "number": lambda one: isinstance(one, (int, float)) and not isinstance(one, bool) and math.isfinite(one)}


def no_twins(pairs):
    found = dict(pairs)
    for key, _ in pairs if len(found) < len(pairs) else ():
        if sum(other == key for other, _ in pairs) > 1:
            raise ValueError(f"'{key}' stands twice in one object")
    return found


def no_constant(text):
    raise ValueError(f"{text} is no number of JSON")


def whole_number(text):
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    return int(text)


def parsed(text):
    """Raises ValueError, also for what Python accepts but JSON does not have: NaN, and a repeated key."""
    try:
        return json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant, parse_int=whole_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def of_bytes(data):
    """The content of a file. Raises ValueError, whose text says what is wrong."""
    try:
        return parsed(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("it is no text in UTF-8: save it as that") from None


def read(path):
    """The same. Raises OSError, too."""
    return of_bytes(path.read_bytes())


def why(error):
    """The reason in an OSError, to follow the file's name, or another error."""
    return getattr(error, "strerror", None) or str(error)


def fault(value, schema, where="it"):
    """What is wrong with it, in words; None if nothing is. Supports the part of JSON Schema that the schemas in this
    folder use for values; a key that a schema does not know is no fault: a later tools/grade may have written it."""
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(TYPES[one](value) for one in wanted):
        return f"{where} must be {' or '.join(wanted)}"
    if "const" in schema and value != schema["const"]:
        return f"{where} must be {schema['const']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} must be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str):
        is_right = len(value) >= schema.get("minLength", 0) and re.search(schema.get("pattern", ""), value)
        return None if is_right else f"{where} must not be '{value[:40]}'"
    if TYPES["number"](value):
        is_right = value >= schema.get("minimum", -math.inf) and value > schema.get("exclusiveMinimum", -math.inf) and \
            value % schema.get("multipleOf", 1 if isinstance(value, int) else value or 1) == 0
        return None if is_right else f"{where} must not be {value}"
    if isinstance(value, list):
        faults = (fault(one, schema.get("items", {}), f"{where}[{at}]") for at, one in enumerate(value))
        return next(filter(None, faults), None)
    if isinstance(value, dict):
        lacking = [key for key in schema.get("required", []) if key not in value]
        if lacking:
            return f"{where} has no '{lacking[0]}'"
        more = schema.get("additionalProperties")
        of = {**{key: more for key in value if isinstance(more, dict)}, **schema.get("properties", {})}
        faults = (fault(value[key], one, key if where == "it" else f"{where}.{key}")
                  for key, one in of.items() if key in value)
        return next(filter(None, faults), None)
    return None
