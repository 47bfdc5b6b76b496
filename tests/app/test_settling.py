"""What is loaded for good is passed over by the garbage collector."""

import gc

from pgm_nb.app.settling import settle


def test_frozen_once_after_the_first_page(visit):
    before = gc.get_freeze_count()
    try:
        visit(sample="iris")
        thread = settle()  # the one that the page started
        thread.join(60)
        assert not thread.is_alive()
        assert gc.get_freeze_count() > before + 10_000
        assert settle() is thread
    finally:
        gc.unfreeze()
