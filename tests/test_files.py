"""Files are written whole or not at all, and keep what their owner gave them."""

import os
import stat
import threading

import pytest

from pgm_nb.errors import FileError
from pgm_nb.files import STALE, write_atomically


def test_an_existing_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "secret.pgmnb"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o664)
    write_atomically(path, b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_a_new_file_has_the_usual_permissions(tmp_path):
    write_atomically(tmp_path / "ours", b"1")
    (tmp_path / "usual").write_bytes(b"1")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_keeps_pointing_at_the_file(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "model", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == ["model"]


def test_what_a_killed_program_left_behind_is_removed(tmp_path):
    path = tmp_path / "model.pgmnb"
    old, fresh = tmp_path / ".model.pgmnb.1.part", tmp_path / ".model.pgmnb.2.part"
    other = tmp_path / ".other.pgmnb.3.part"
    for part in (old, fresh, other):
        part.write_bytes(b"half")
    for part in (old, other):
        os.utime(part, (part.stat().st_mtime - 2 * STALE,) * 2)
    write_atomically(path, b"whole")
    assert sorted(tmp_path.iterdir()) == sorted([fresh, other, path])


def test_names_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("x" * 255)
    write_atomically(path, b"1")
    assert path.read_bytes() == b"1"
    with pytest.raises(FileError, match="cannot be written"):
        write_atomically(tmp_path / ("x" * 256), b"1")


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    path, found = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    write_atomically(path, b"through")
    reader.join(10)
    assert found == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_atomically(tmp_path / "folder", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
