"""Libraries are loaded where nobody waits, and then passed over by the garbage collector."""

import gc
import socket
import sys
from threading import Thread

from pgm_nb.app.shell import launch as loading
from pgm_nb.app.shell.launch import launch


def test_loaded_once_after_the_first_page(visit):
    visit(sample="iris")
    thread = loading.load_for_other_pages()  # the one that a page started
    assert loading.load_for_other_pages() is thread
    thread.join()


def test_the_collector_that_starting_switched_off_is_on_again(monkeypatch, visit):
    monkeypatch.setattr("streamlit.web.cli.main", lambda given, standalone_mode: None)
    try:
        launch(port=8600, browser=False)
        assert not gc.isenabled()
        loading.load_for_other_pages.cache_clear()
        visit(sample="iris")
        assert gc.isenabled()
    finally:
        gc.enable()


def test_what_is_loaded_is_frozen():
    gc.unfreeze()
    try:
        loading._load_and_freeze()
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


def test_loading_ahead_waits_for_the_server_and_makes_way_for_it(monkeypatch):
    intervals, names = [], []

    def load(name):
        names.append(name)
        intervals.append(sys.getswitchinterval())

    monkeypatch.setattr("pgm_nb.app.shell.launch.import_module", load)
    usual = sys.getswitchinterval()
    with socket.socket() as server:
        server.bind(("localhost", 0))
        port = server.getsockname()[1]
        ahead = Thread(target=loading.load_for_first_page, args=(port,))
        ahead.start()
        ahead.join(0.1)
        assert names == []
        server.listen()
        ahead.join()
    assert names == list(loading.FIRST_PAGE)
    assert max(intervals) < usual == sys.getswitchinterval()
