"""Work in the background: it shows how far it is, can be stopped, and its result serves everyone."""

from concurrent.futures import CancelledError
from threading import Event, Semaphore
from uuid import uuid4

import pytest

from pgm_nb.app.shell.work import AT_ONCE, _Job

SCRIPT = """
import streamlit as st
from pgm_nb.app.shell.work import work
from pgm_nb.errors import DataError, PgmNbError

gate, asks, fails, key = (st.session_state[name] for name in ("gate", "asks", "fails", "key"))

def make(progress):
    progress(0.5, so_far="half of it")
    while not gate.wait(0.01):
        if asks:
            progress(0.5)
    progress(0.6)
    if fails:
        raise DataError("the table is empty.")
    return "made"

try:
    result = work(key, make, label="Counting", show=SHOW)
    st.write("nothing yet" if result is None else result)
except PgmNbError as error:
    st.error(str(error))
"""


@pytest.fixture
def start(harness):
    """Begin work that goes on when its gate opens; if it does not ask, it cannot be stopped before."""
    gates = []

    def begin(*, asks=True, fails=False, key=None, show="None"):
        app = harness(SCRIPT.replace("SHOW", show))
        for name, value in {"asks": asks, "fails": fails, "key": key or uuid4().hex}.items():
            app.session_state[name] = value
        app.session_state["gate"] = Event()
        gates.append(app.session_state["gate"])
        return app

    yield begin
    for gate in gates:
        gate.set()


def says(app, text):
    return any(element.value == text for element in app.markdown)


def job_of(app):
    [job] = app.session_state["work"].values()
    return job


def test_progress_and_then_the_result_for_every_visitor(start, until):
    app = start()
    assert says(app.run(), "nothing yet")
    assert app.get("progress")
    app.session_state["gate"].set()
    until(job_of(app).future.done)
    assert says(app.run(), "made")
    assert not app.get("progress")
    another = start(key=app.session_state["key"])
    assert says(another.run(), "made")  # at once: the result is kept by its key


def test_stopped_and_started_again(start):
    app = start().run()
    [stop] = app.button
    assert stop.label == "Stop"
    stop.click().run()
    assert "stopped" in app.info[0].value
    again = next(button for button in app.button if button.label == "Start again")
    again.click().run()
    assert app.get("progress")
    app.button[0].click().run()


def test_what_goes_wrong_is_told(start, until):
    app = start(fails=True).run()
    app.session_state["gate"].set()
    until(job_of(app).future.done)
    assert app.run().error[0].value == "the table is empty."


def test_work_that_nobody_looks_at_stops_and_begins_anew(start, until, monkeypatch):
    monkeypatch.setattr("pgm_nb.app.shell.work.ABANDONED", 0.0)
    app = start().run()
    job = job_of(app)
    until(job.future.done)
    assert job.abandoned
    monkeypatch.setattr("pgm_nb.app.shell.work.ABANDONED", float("inf"))
    app.run()
    assert app.get("progress")
    assert job_of(app) is not job
    app.button[0].click().run()


def test_stop_is_answered_at_once_and_makes_room_for_others(start, until):
    stopped = [start(asks=False, show="st.write").run() for _ in range(AT_ONCE)]
    for app in stopped:
        until(lambda app=app: job_of(app).so_far)
        assert says(app.run(), "half of it")
        app.button[0].click().run()
        assert "stopped" in app.info[0].value
        assert says(app, "half of it")
    jobs = [job_of(app) for app in stopped]
    assert [job.turn for job in jobs] == [None] * AT_ONCE
    other = start().run()
    other.session_state["gate"].set()
    until(job_of(other).future.done)
    assert says(other.run(), "made")
    assert not any(job.future.done() for job in jobs)  # they have not noticed yet
    for app in stopped:
        app.session_state["gate"].set()
    until(lambda: all(job.future.done() for job in jobs))
    assert all(job.abandoned for job in jobs)  # none went on to its end


def test_what_is_there_so_far_is_shown_also_after_a_stop(start, until):
    app = start(show="lambda part: st.write('so far')").run()
    until(lambda: job_of(app).so_far)
    assert says(app.run(), "so far")
    app.button[0].click().run()
    assert says(app, "so far")


def test_work_that_waits_for_its_turn_can_be_stopped():
    turns = Semaphore(0)
    job = _Job()
    job.end()
    with pytest.raises(CancelledError):
        job.run(lambda progress: "made", turns)
    assert not turns.acquire(blocking=False)  # what it never had, it does not give back
