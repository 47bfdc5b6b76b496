"""What is loaded for good is passed over by the garbage collector."""

import gc

from pgm_nb.app import settling


def test_settled_once_after_the_first_page(visit):
    visit(sample="iris")
    thread = settling.settle()  # the one that a page started
    assert settling.settle() is thread
    thread.join(60)
    assert not thread.is_alive()


def test_what_is_loaded_is_frozen():
    gc.unfreeze()
    try:
        settling._settle()
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
