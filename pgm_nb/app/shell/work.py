"""Long work in the background: with progress, with a way to stop it, and with results kept by content."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock, Semaphore
from typing import Any, Protocol, TypeVar

import streamlit as st

from pgm_nb.app.shell.address import stay

__all__ = ["Progress", "Waiting", "work"]

Result = TypeVar("Result")

AT_ONCE = 2  # works that run side by side, of all visitors
THREADS = 16  # of these works, and of stopped ones that have not come to an end yet
PATIENCE = 0.1  # seconds after which work that waits for its turn looks whether it is still wanted
KEPT = 64  # results that are kept
ABANDONED = 60.0  # seconds without a watching page after which work stops
PULSE = 0.4  # seconds between two updates of the bar


class Progress(Protocol):
    """Called with the fraction that is done, or what there is so far; raises when the work is to stop."""

    def __call__(self, fraction: float | None = None, so_far: Any = None) -> None:
        """Note how far the work is."""


class Waiting(Exception):
    """A page cannot go on before work in the background is done; its progress is shown on the page."""


@dataclass(eq=False)
class _Job:
    """One piece of work of one visitor."""

    done: float = 0.0
    watched: float = field(default_factory=time.monotonic)
    stop: Event = field(default_factory=Event)
    future: "Future[Any] | None" = None
    so_far: Any = None  #: the part of the result that is there
    turn: Semaphore | None = None  #: what it holds while it runs
    lock: Lock = field(default_factory=Lock)

    def run(self, make: Callable[[Progress], Result], turns: Semaphore) -> Result:
        """Do the work in this thread once it is its turn."""
        while not turns.acquire(timeout=PATIENCE):
            self.progress()
        with self.lock:
            self.turn = turns
        try:
            self.progress()
            return make(self.progress)
        finally:
            self._give_way()

    def end(self) -> None:
        """Stop the work the next time it says how far it is; until then, others take their turn beside it."""
        self.stop.set()
        if self.future is not None:
            self.future.cancel()
        self._give_way()

    def _give_way(self) -> None:
        with self.lock:
            if self.turn is not None:
                self.turn.release()
                self.turn = None

    @property
    def abandoned(self) -> bool:
        """Whether the work stopped because no page watched it any more."""
        if self.future is None or not self.future.done():
            return False
        return self.future.cancelled() or isinstance(self.future.exception(), CancelledError)

    def progress(self, fraction: float | None = None, so_far: Any = None) -> None:
        """Note how far the work is; raises when it is to stop."""
        if fraction is not None:
            self.done = min(max(float(fraction), 0.0), 1.0)
        if so_far is not None:
            self.so_far = so_far
        if self.stop.is_set() or time.monotonic() - self.watched > ABANDONED:
            raise CancelledError


class _Results:
    """The latest results of all visitors, by content, and the threads that make them."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="work")
        self.turns = Semaphore(AT_ONCE)
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def put(self, key: Hashable, result: Any) -> None:
        with self._lock:
            self._results[key] = result
            while len(self._results) > KEPT:
                self._results.popitem(last=False)

    def get(self, key: Hashable) -> Any:
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)


@st.cache_resource(show_spinner=False)
def _results_kept() -> _Results:
    return _Results()


def work(
    key: Hashable,
    make: Callable[[Progress], Result],
    *,
    label: str,
    show: Callable[[Any], None] | None = None,
) -> Result | None:
    """Return the result if it is there; else have it made, show how far that is, and return None.

    Parameters
    ----------
    key
        What the result depends on: the digest of the table, the settings and the name of the work.
    make
        Makes the result (never None); it runs in a thread and must not touch Streamlit. It calls the function
        it is given with the fraction done, which also is where it can be stopped.
    label
        What is being done, as people read it.
    show
        Shows what `make` has passed on so far, below the bar, and also after a stop.

    Raises
    ------
    PgmNbError
        What `make` raised.
    """
    result: Result | None = _results_kept().get(key)
    jobs: dict[Hashable, _Job] = st.session_state.setdefault("work", {})
    if result is not None:
        jobs.pop(key, None)
        return result
    job = jobs.get(key)
    if job is not None and job.stop.is_set():
        _offer_again(key, jobs, label)
        _show_so_far(job, show)
        return None
    if job is None or job.abandoned:
        job = jobs[key] = _start(key, make)
    if job.future is not None and job.future.done():
        del jobs[key]
        finished: Result = job.future.result()
        return finished
    _watch(key, label, show)
    return None


def _start(key: Hashable, make: Callable[[Progress], Result]) -> _Job:
    job, kept = _Job(), _results_kept()

    def run() -> Result:
        result = job.run(make, kept.turns)
        kept.put(key, result)
        return result

    job.future = kept.pool.submit(run)
    return job


@st.fragment(run_every=PULSE)
def _watch(key: Hashable, label: str, show: Callable[[Any], None] | None) -> None:
    """Show the bar and the button, and run the page again once the work is done."""
    job: _Job | None = st.session_state["work"].get(key)
    if job is None or job.future is None or job.future.done():
        st.empty()  # lets a click that waits go first: the run asked for below would take its place
        stay()
        st.rerun()
    job.watched = time.monotonic()
    with st.container(horizontal=True, vertical_alignment="center"):
        known = f" {job.done:.0%}" if job.done else ""  # some work does not know how far it is
        st.progress(job.done, text=f"{label} …{known}")
        if st.button("Stop", key=f"stop {hash(key)}"):
            job.end()
            st.rerun()
    _show_so_far(job, show)


def _show_so_far(job: _Job, show: Callable[[Any], None] | None) -> None:
    if show is not None and job.so_far is not None:
        show(job.so_far)


def _offer_again(key: Hashable, jobs: dict[Hashable, _Job], label: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(f"{label}: stopped.")
        if st.button("Start again", key=f"again {hash(key)}"):
            del jobs[key]
            st.rerun()
