"""Run a function in another process, within a budget of time and memory, without harm to this one.

Libraries that draw, and files of unknown origin, may take hours, take all memory, or abort the process they
run in. A worker is a plain Python process that answers one question after another over its standard streams;
it is replaced when it dies. Nothing is forked, so this works on every system and in every thread.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from threading import Event, Lock, Semaphore, Timer
from typing import Any, ParamSpec, TypeVar

from pgm_nb.errors import PgmNbError

__all__ = ["OutOfTime", "WorkerFailed", "Workers"]

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

SECONDS = 120.0
BYTES = 4_000_000_000
GRACE = 5  # seconds after which a worker whose program has died ends itself as well
_LENGTH = struct.Struct("<Q")


class WorkerFailed(Exception):
    """A function could not do its work in a worker: it died, took too much memory, or met a fault of its own.

    Callers say in their own words what this means; the text is the reason, or empty where nothing is known.
    """


class OutOfTime(WorkerFailed):
    """A function took longer than its budget, and was ended."""


class Workers:
    """Processes that run functions within limits; safe to use from several threads.

    Parameters
    ----------
    most : int
        How many functions may run at once; others wait.
    reuse : bool
        Whether a process takes further questions, which saves its start. Give every file that you do not
        trust a process of its own.

    Examples
    --------
    >>> workers = Workers(most=1)
    >>> workers.run(sorted, [3, 1, 2])
    [1, 2, 3]
    >>> workers.limited(seconds=0.2).run(eval, "[0 for _ in iter(int, 1)]")
    Traceback (most recent call last):
    pgm_nb.workers.OutOfTime
    >>> workers.run(sorted, [3, 1, 2])
    [1, 2, 3]
    >>> workers.close()
    """

    def __init__(self, most: int = 4, *, reuse: bool = True) -> None:
        self._reuse = reuse
        self._budget = (SECONDS, BYTES)
        self._state = _State(most)

    def limited(self, seconds: float = SECONDS, most_bytes: int = BYTES) -> Workers:
        """Return the same processes with another budget for a question: seconds, and bytes of memory.

        Memory is limited where the system can do it (Linux); time is limited everywhere.
        """
        same = copy(self)
        same._budget = (seconds, most_bytes)
        return same

    def run(
        self, function: Callable[Given, Answer], /, *arguments: Given.args, **options: Given.kwargs
    ) -> Answer:
        """Return what a function of a module returns; errors of this package are raised as they are.

        Raises
        ------
        OutOfTime
            If it takes too long.
        WorkerFailed
            If the process dies, the function needs too much memory, or raises another error.
        """
        seconds, most_bytes = self._budget
        question = pickle.dumps((seconds, most_bytes, function, arguments, options))
        with self._state.turns:
            kind, answer = self._asked(question, seconds)
        if kind == "answer":
            return answer  # type: ignore[no-any-return]
        raise answer if kind == "error" else WorkerFailed(answer)

    def close(self) -> None:
        """End the processes; the next question starts one again."""
        while (worker := self._state.take()) is not None:
            worker.end()

    def _asked(self, question: bytes, seconds: float) -> tuple[str, Any]:
        """Ask a process that waits, and a new one if it turns out to have died of something else."""
        worker = self._state.take() or _Worker()
        try:
            found = worker.ask(question, seconds)
            if found is None and worker.answered:
                worker.end()
                worker = _Worker()
                found = worker.ask(question, seconds)
        except BaseException:
            worker.end()
            raise
        if found is None or not self._reuse or not worker.lives:
            worker.end()
        else:
            self._state.give(worker)
        return found or ("failed", "")


class _State:
    """The processes that wait for a question, and whose turn it is."""

    def __init__(self, most: int) -> None:
        self._of_parent: list[_Worker] = []
        self._begin(most)
        atexit.register(self._end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: self._begin(most))

    def _begin(self, most: int) -> None:
        self._of_parent += getattr(self, "_idle", [])  # they answer the process that started them
        self._idle: list[_Worker] = []
        self._lock = Lock()
        self.turns = Semaphore(most)

    def take(self) -> _Worker | None:
        """Return a process that waits, if any."""
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None or worker.lives:
                return worker
            worker.end()

    def give(self, worker: _Worker) -> None:
        """Let a process wait for the next question."""
        with self._lock:
            self._idle.append(worker)

    def _end(self) -> None:
        while (worker := self.take()) is not None:
            worker.end()


class _Worker:
    """One process."""

    def __init__(self) -> None:
        self.answered = 0
        self._late = Event()
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import _serve; _serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    @property
    def lives(self) -> bool:
        """Whether it can be asked."""
        return not self._late.is_set() and self._process.poll() is None

    def ask(self, question: bytes, seconds: float) -> tuple[str, Any] | None:
        """Return the kind of answer and the answer; None if the process died."""
        timer = Timer(seconds, self._stop)
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchanged(question)
        finally:
            timer.cancel()
        if answer is None:
            if self._late.is_set():
                self.end()
                raise OutOfTime
            return None
        self.answered += 1
        found: tuple[str, Any] = pickle.loads(answer)  # from our own process, not from a file
        return found

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):  # what could not be sent
                    stream.close()

    def _stop(self) -> None:
        self._late.set()
        self._process.kill()

    def _exchanged(self, question: bytes) -> bytes | None:
        sent, received = self._process.stdin, self._process.stdout
        if sent is None or received is None:
            raise TypeError("a worker without streams")
        try:
            sent.write(_LENGTH.pack(len(question)))
            sent.write(question)
            sent.flush()
        except OSError:  # it died before it had read the question
            return None
        head = received.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(head)
        answer = received.read(length)
        return answer if len(answer) == length else None


def _serve() -> None:
    """Answer questions on the standard streams until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks decides what an interrupt means
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    while head := sys.stdin.buffer.read(_LENGTH.size):
        (length,) = _LENGTH.unpack(head)
        answer = _answered(sys.stdin.buffer.read(length))
        answers.write(_LENGTH.pack(len(answer)))
        answers.write(answer)
        answers.flush()


def _answered(question: bytes) -> bytes:
    seconds, most_bytes, function, arguments, options = pickle.loads(question)
    _limit(int(seconds) + 1 + GRACE, most_bytes)
    try:
        return pickle.dumps(("answer", function(*arguments, **options)))
    except PgmNbError as problem:
        return pickle.dumps(("error", problem))
    except MemoryError:
        os._exit(1)
    except Exception as problem:  # noqa: BLE001 - the process lives on, and its caller says what it means
        return pickle.dumps(("failed", f"{type(problem).__name__}: {problem}"))
    finally:
        _limit(0, most_bytes)


def _limit(seconds: int, most_bytes: int) -> None:
    """Limit memory that is written to, not addresses: some libraries reserve far more than they ever use."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)  # 0 for no end
    try:
        import resource
    except ImportError:  # not a POSIX system: the limits on what files declare must do
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(ValueError, OSError):  # less than the process has, which its next request will meet
        most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
