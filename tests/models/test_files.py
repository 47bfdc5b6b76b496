"""Saved models: whole or not at all, no pickle, and a sentence for every file that is not a model."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import FileError, ModelFileError


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "iris.pgmnb"
    pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris")).save(path)
    return path


def rewritten(path, **changes):
    """The same file with some fields of its JSON changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["model.json"] = json.dumps(json.loads(parts["model.json"]) | changes).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_holds_json_and_plain_arrays(saved):
    with zipfile.ZipFile(saved) as archive:
        assert archive.namelist() == ["model.json", "y.npy", "tables.npy"]
        description = json.loads(archive.read("model.json"))
        counts = np.load(io.BytesIO(archive.read("tables.npy")), allow_pickle=False)
    assert (description["format"], description["version"]) == ("pgm_nb model", 1)
    assert counts.dtype == np.int64


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (np.array([0, 1, 2]), "i"),
        (np.array([-1.0, 0.0, 2.0]), "f"),
        (np.array([False, True, True]), "b"),
        (np.array(["a", "b", "ü"]), "U"),
        (np.array(["a", "b", "ü"], dtype=object), "O"),
    ],
)
def test_labels_keep_their_type(tmp_path, labels, kind):
    X = pd.DataFrame({"x": np.arange(30) % 7, "z": np.arange(30) % 4})
    y = labels[np.arange(30) % 3]
    model = pnb.TreeAugmentedNaiveBayes(smoothing=1.0).fit(X, y)
    model.save(tmp_path / "m")
    loaded = pnb.load(tmp_path / "m")
    assert loaded.predict(X).dtype == model.predict(X).dtype
    assert loaded.classes_.dtype.kind == kind
    assert (loaded.predict(X) == model.predict(X)).all()


def test_unnamed_columns_and_missing_cells(tmp_path):
    X = np.array([[1.0, np.nan], [2.0, 0.5], [3.0, 0.25], [np.nan, 1.5]] * 6)
    model = pnb.NaiveBayes(discretizer={"x0": [1.5]}).fit(X, [0, 1, 1, 0] * 6)
    model.save(tmp_path / "m")
    loaded = pnb.load(tmp_path / "m")
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.discretizer == {"x0": [1.5]}
    assert loaded.missing_ == model.missing_
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()


def test_not_there(tmp_path):
    with pytest.raises(ModelFileError, match=r"there is no file .*absent\.pgmnb"):
        pnb.load(tmp_path / "absent.pgmnb")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_not_a_model(tmp_path, content):
    path = tmp_path / "x.pgmnb"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"x\.pgmnb is not a pgm_nb model, or is damaged"):
        pnb.load(path)


def test_another_zip(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(ModelFileError, match="not a pgm_nb model"):
        pnb.load(path)


def test_later_version(saved):
    with pytest.raises(ModelFileError, match="newer than this program reads"):
        pnb.load(rewritten(saved, version=99, written_by="pgm_nb 9"))


@pytest.mark.parametrize(
    "changes", [{"model": "os.system"}, {"learned": {}}, {"learned": []}, {"parameters": {"evil": 1}}]
)
def test_damaged_inside(saved, changes):
    with pytest.raises(ModelFileError, match=r"iris\.pgmnb"):
        pnb.load(rewritten(saved, **changes))


def test_truncated(saved):
    saved.write_bytes(saved.read_bytes()[:-40])
    with pytest.raises(ModelFileError):
        pnb.load(saved)


def test_pickled_arrays_are_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    parts["tables.npy"] = buffer.getvalue()
    with zipfile.ZipFile(saved, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(ModelFileError, match="damaged"):
        pnb.load(saved)


def test_a_failed_save_leaves_the_old_file_alone(saved, monkeypatch):
    before = saved.read_bytes()
    model = pnb.load(saved)

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(FileError, match="No space left"):
        model.save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_folder_that_is_not_there(tmp_path):
    model = pnb.NaiveBayes().fit(*pnb.load_sample("iris"))
    with pytest.raises(FileError, match="cannot be written"):
        model.save(tmp_path / "no" / "such" / "folder.pgmnb")


def test_a_first_pair_in_the_order_of_the_columns_is_turned_to_its_root(saved):
    """As files were written before structures carried their root."""
    whole = pnb.load(saved)
    with zipfile.ZipFile(saved) as archive:
        learned = json.loads(archive.read("model.json"))["learned"]
    structure, step = learned["structure"], learned["trace"]["steps"][0]
    root, child = structure["order"][:2]
    structure["order"][:2] = [child, root]
    structure["mothers"] = {root: child} | {c: m for c, m in structure["mothers"].items() if c != child}
    structure["dependence"][root] = structure["dependence"].pop(child)
    step["chosen"][:2] = [root, child]
    turned = pnb.load(rewritten(saved, learned=learned))
    assert turned.structure_ == whole.structure_
    assert turned.trace_ == whole.trace_
    assert turned.importance_.equals(whole.importance_)
