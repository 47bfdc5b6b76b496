"""Read a file of unknown origin in a process of its own, with a budget of memory and time.

What a compressed file, a workbook or a Parquet file becomes in memory cannot be known in full before it is
read. Here the reading may fail, or take too long, without harm to anyone but the reader.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

from pgm_nb.data.portions import Portion, read_portion
from pgm_nb.errors import DataError, PgmNbError

__all__ = ["read_guarded"]

SECONDS = 120
BYTES = 4_000_000_000  # of address space, of which libraries take half a GB before they read anything
PLAIN = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".arff", "")  # text is never more than it looks


def read_guarded(
    name: str,
    content: bytes,
    part: str = "first",
    target: str | None = None,
    *,
    duplicates: str = "refuse",
    seconds: float = SECONDS,
    most_bytes: int = BYTES,
) -> Portion:
    r"""Read a table as `read_portion` does; a file that may hold more than it looks, in another process.

    Parameters
    ----------
    name, content, part, target, duplicates
        As in `read_portion`.
    seconds : float
        How long reading may take.
    most_bytes : int
        How much memory the other process may take.

    Examples
    --------
    >>> read_guarded("a.csv", b"age,class\n40,yes\n50,no\n").frame.shape
    (2, 2)
    """
    if Path(name.lower()).suffix in PLAIN and content[:2] != b"\x1f\x8b":
        return read_portion(name, content, part, target, duplicates=duplicates)
    command = [sys.executable, "-c", f"from {__name__} import _serve; _serve()"]
    question = pickle.dumps((name, content, part, target, duplicates, most_bytes))
    path = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        done = subprocess.run(
            command,
            input=question,
            capture_output=True,
            timeout=seconds,
            env=os.environ | {"PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"{name} takes longer than {seconds:g} seconds to read: save fewer rows or columns, or save it "
            "as CSV."
        ) from None
    if done.returncode != 0 or not done.stdout:
        raise DataError(
            f"{name} needs more memory than one file may take ({most_bytes // 1_000_000:,} MB), or is "
            "damaged: save fewer rows or columns, or save it as CSV."
        )
    answer = pickle.loads(done.stdout)  # from our own process, not from the file
    if isinstance(answer, PgmNbError):
        raise answer
    if not isinstance(answer, Portion):
        raise TypeError(f"the reading process answered with {type(answer).__name__}")
    return answer


def _serve() -> None:
    """Answer one question on the standard streams, within the memory that it names."""
    name, content, part, target, duplicates, most_bytes = pickle.loads(sys.stdin.buffer.read())
    _limit_memory(most_bytes)
    answer: Portion | PgmNbError
    try:
        answer = read_portion(name, content, part, target, duplicates=duplicates)
    except PgmNbError as problem:
        answer = problem
    sys.stdout.buffer.write(pickle.dumps(answer))


def _limit_memory(most_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system: the limits on what files declare must do
        return
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
