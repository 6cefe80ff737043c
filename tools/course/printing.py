"""Text and numbers for output."""

import difflib
import unicodedata


def printable(text):
    """Text of a submission, with characters that a terminal, a browser or an editor obeys shown as numbers: control
    characters, and those that change the direction of writing or are invisible."""
    return "".join(f"<U+{ord(c):04X}>" if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
                   else c for c in text)


def in_line(text):
    """The same where one line is meant: ends of lines and tabs are shown, too, so that no name adds a line of its
    own."""
    return printable(text).replace("\n", "<U+000A>").replace("\t", "<U+0009>")


BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and a symbol without ink


def can_be_seen(text):
    """Whether it has a letter, a number or a sign, and not only spaces and controlling or combining characters."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in BLANK for c in text)


def one_line(text, most=400):
    """The same in one line, of limited length whatever others have written into it."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + " ..."


def meant(name, known):
    """" (did you mean 'x'?)", or nothing."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def number(value):
    """The same, without a fraction if it has none."""
    return int(value) if value == int(value) else value
