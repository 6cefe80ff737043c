"""Text and numbers, as they go out."""

import difflib
import unicodedata


def printable(text):
    """Text of a submission, with what a terminal, a browser or an editor obeys shown as its number: control characters,
    and those that turn the direction of writing or cannot be seen."""
    return "".join(f"<U+{ord(c):04X}>" if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
                   else c for c in text)


BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and a symbol without ink


def can_be_seen(text):
    """Whether it has a letter, a number or a sign, and not spaces and what controls or combines alone."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in BLANK for c in text)


def one_line(text, most=400):
    """The same in one line, which does not grow with what others have written into it."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + " ..."


def meant(name, known):
    """" (did you mean 'x'?)", or nothing."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def number(value):
    """The same, without a fraction where it has none."""
    return int(value) if value == int(value) else value
