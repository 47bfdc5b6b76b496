"""What is loaded for good is passed over by the garbage collector."""

import gc

from pgm_nb.app.shell import settling
from pgm_nb.app.shell.launch import launch


def test_settled_once_after_the_first_page(visit):
    visit(sample="iris")
    thread = settling.settle()  # the one that a page started
    assert settling.settle() is thread
    thread.join(60)
    assert not thread.is_alive()


def test_the_collector_that_starting_switched_off_is_on_again(monkeypatch, visit):
    monkeypatch.setattr("streamlit.web.cli.main", lambda given, standalone_mode: None)
    try:
        launch(port=8600, browser=False)
        assert not gc.isenabled()
        settling.settle.clear()
        visit(sample="iris")
        assert gc.isenabled()
    finally:
        gc.enable()


def test_what_is_loaded_is_frozen():
    gc.unfreeze()
    try:
        settling._settle()
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
