"""Where a command reads and writes: closed or odd streams, and words that came as bytes."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

__all__ = ["drop_output", "open_streams", "speak_utf8"]


def open_streams() -> None:
    """Open what the system has closed (``>&-``), and let a terminal replace what it cannot show.

    A file that a command opens would otherwise take the place of a closed output, and get what others print.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (until the end)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def drop_output() -> None:
    """Write no more to where the output goes, so that Python does not fail once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def speak_utf8(arguments: Sequence[str]) -> None:
    """Begin anew in Python's UTF-8 mode where arguments came as bytes that are no text.

    With a language such as ``LC_ALL=C`` and UTF-8 mode off, Python reads arguments as ASCII. The name of a
    column would then not be that of the table, and a file would be saved under another name.
    """
    if sys.flags.utf8_mode or os.name == "nt" or all(map(_is_text, arguments)):
        return
    words = [sys.executable, "-X", "utf8=1", *sys.orig_argv[1:]]  # the first -X is followed
    sys.stdout.flush()
    os.execv(sys.executable, words)


def _is_text(word: str) -> bool:
    r"""Say whether a word was understood, or is not UTF-8 either.

    Examples
    --------
    >>> _is_text("age"), _is_text("größe"), _is_text("\udcff")
    (True, True, True)
    >>> _is_text("größe".encode().decode("ascii", "surrogateescape"))
    False
    """
    try:
        word.encode()
    except UnicodeEncodeError:
        try:
            os.fsencode(word).decode()
        except UnicodeError:
            return True
        return False
    return True
