"""Saved models: whole or not at all, no pickle, and a sentence for every file that is not a model."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, FileError, ModelFileError
from pgm_nb.explain.growth import growth
from pgm_nb.models.files import _check, check_guarded, loaded, pack_classes
from pgm_nb.workers import Workers


def parts_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_parts(path, parts, compression=zipfile.ZIP_DEFLATED):
    """Write a file as someone would who knows how the checksum is made."""
    content = {name: part for name, part in parts.items() if name != "checksum"}
    digest = hashlib.sha256()
    for name in sorted(content):
        digest.update(name.encode() + b"\0" + str(len(content[name])).encode() + b"\0" + content[name])
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, part in content.items():
            archive.writestr(name, part)
        archive.writestr("checksum", digest.hexdigest())
    return path


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "iris.pgmnb"
    pnb.GeneralizedNaiveBayes(parameters="generative").fit(*pnb.load_sample("iris")).save(path)
    return path


def rewritten(path, **changes):
    """The same file with some fields of its JSON changed, and the checksum that belongs to it."""
    parts = parts_of(path)
    parts["model.json"] = json.dumps(json.loads(parts["model.json"]) | changes).encode()
    return write_parts(path, parts)


def test_holds_json_and_plain_arrays(saved):
    with zipfile.ZipFile(saved) as archive:
        assert archive.namelist() == ["model.json", "y.npy", "tables.npy", "checksum"]
        description = json.loads(archive.read("model.json"))
        counts = np.load(io.BytesIO(archive.read("tables.npy")), allow_pickle=False)
    assert (description["format"], description["version"]) == ("pgm_nb model", 2)
    assert counts.dtype == np.int64


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (np.array([0, 1, 2]), "i"),
        (np.array([-1.0, 0.0, 2.0]), "f"),
        (np.array([False, True, True]), "b"),
        (np.array(["a", "b", "ü"]), "U"),
        (np.array(["a", "b", "ü"], dtype=object), "O"),
        (np.array(["2026-01-01", "2026-02-01", "2027-01-01"], dtype="datetime64[ns]"), "M"),
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
    parts = parts_of(saved)
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    parts["tables.npy"] = buffer.getvalue()
    write_parts(saved, parts)
    with pytest.raises(ModelFileError, match="damaged"):
        pnb.load(saved)


def test_a_header_that_python_cannot_read_is_refused(saved):
    parts = parts_of(saved)
    name = next(name for name in parts if name.endswith(".npy"))
    parts[name] = parts[name].replace(b"}", b"{", 1)
    write_parts(saved, parts)
    with pytest.raises(ModelFileError, match="header that cannot be read"):
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


# Files that are damaged, or made to mislead: a sentence, or a model that gives probabilities.

ROWS = 60


def table():
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % 3
    X = pd.DataFrame({"a": y + rng.normal(size=ROWS), "b": rng.normal(size=ROWS), "c": rng.normal(size=ROWS)})
    return X, np.array(["x", "y", "z"])[y]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One saved model of every kind, and one with parameters trained for the class."""
    folder, (X, y) = tmp_path_factory.mktemp("files"), table()
    models = {kind.about.short_name: kind() for kind in pnb.MODELS}
    models["class"] = pnb.GeneralizedNaiveBayes(smoothing="hierarchical", parameters="class")
    for name, model in models.items():
        model.fit(X, y).save(folder / f"{name}.pgmnb")
    return folder


NAMES = [*(kind.about.short_name for kind in pnb.MODELS), "class"]


def is_sound_or_refused(path):
    """Load and predict; say whether the file was refused."""
    try:
        model = pnb.load(path)
    except ModelFileError:
        return True
    X, _ = table()
    try:
        found = model.predict_proba(X if hasattr(model, "feature_names_in_") else X.to_numpy())
    except (DataError, ValueError):  # another name of a column, which is ours or scikit-learn's to refuse
        return False
    model.importance_.to_dict(), str(model.missing_), str(model.divergence_), model.structure_.to_json()
    repr(model.trace_)
    assert np.isfinite(found).all()
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-9
    return False


@pytest.mark.parametrize("name", NAMES)
def test_any_change_without_its_checksum_is_refused(files, tmp_path, name):
    path, parts = tmp_path / "m.pgmnb", parts_of(files / f"{name}.pgmnb")
    for part, content in parts.items():
        changed = parts | {part: content[:-1] + bytes([content[-1] ^ 1])}
        with zipfile.ZipFile(path, "w") as archive:
            for place, cells in changed.items():
                archive.writestr(place, cells)
        with pytest.raises(ModelFileError, match="checksum"):
            pnb.load(path)


def bad_arrays(array):
    """Yield what an array of a file must not be."""
    for number in (np.nan, np.inf, -1e300) if array.dtype.kind == "f" else ():
        changed = array.copy()
        changed.flat[0] = number
        yield changed
    yield array.astype("S4")
    yield array[..., None]
    yield np.concatenate([array.ravel(), array.ravel()])
    yield array[:0]
    if array.dtype.kind in "iu" and array.size > 1 and array.dtype != np.uint8:
        for step in (1, -1_000_000, 1_000_000_000):
            changed = array.astype(np.int64)
            changed.flat[0] += step
            yield changed


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_checked_before_use(files, tmp_path, name):
    path, parts = tmp_path / "m.pgmnb", parts_of(files / f"{name}.pgmnb")
    refused = 0
    for part in [part for part in parts if part.endswith(".npy")]:
        for array in bad_arrays(np.load(io.BytesIO(parts[part]))):
            refused += is_sound_or_refused(write_parts(path, parts | {part: npy(array)}))
    assert refused >= 4 * (len(parts) - 2)


def mutations(value, path=()):
    """Yield places in a JSON value with what to put there."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from mutations(part, (*path, key))
    elif isinstance(value, list):
        for place, part in list(enumerate(value))[:2]:
            yield from mutations(part, (*path, place))
        yield path, []
    for other in (None, -1, 10**400, float("nan"), "", {}, True, "x" * 1000):
        yield path, other


def changed(description, path, value):
    found = json.loads(json.dumps(description))
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return found


@pytest.mark.parametrize("name", NAMES)
def test_descriptions_are_checked_before_use(files, tmp_path, name):
    path, parts = tmp_path / "m.pgmnb", parts_of(files / f"{name}.pgmnb")
    description = json.loads(parts["model.json"])
    cases = [case for case in mutations(description) if case[0]]
    chosen = np.random.default_rng(0).permutation(len(cases))[:60]
    for case in chosen:
        text = json.dumps(changed(description, *cases[case])).encode()
        is_sound_or_refused(write_parts(path, parts | {"model.json": text}))


def test_every_leaf_of_a_file_means_something(files, tmp_path):
    """Of the file of a GNB each value in turn: refused, or a model that answers as before."""
    path, parts = tmp_path / "m.pgmnb", parts_of(files / "gnb.pgmnb")
    description = json.loads(parts["model.json"])
    cases = [case for case in mutations(description["learned"]) if case[0] and case[0][0] != "encoder"]
    for place, value in cases[::3]:
        text = json.dumps(description | {"learned": changed(description["learned"], place, value)})
        if not is_sound_or_refused(write_parts(path, parts | {"model.json": text.encode()})):
            model, (X, _) = pnb.load(path), table()
            model.explain(X.head(1))
            model.trace_.to_frame()
            growth(model, model.structure_.views[0])


@pytest.mark.parametrize("weight", [1e308, -1e308, 10**400, "1"])
def test_no_information_is_that_large(files, tmp_path, weight):
    path, parts = tmp_path / "m.pgmnb", parts_of(files / "gnb.pgmnb")
    description = json.loads(parts["model.json"])
    structure, step = description["learned"]["structure"], description["learned"]["trace"]["steps"][0]
    numbers = structure["relevance"], structure["dependence"], description["learned"]["divergence"]
    for record in (*numbers, step):
        name = "weight" if "weight" in record else next(iter(record))
        before, record[name] = record[name], weight
        write_parts(path, parts | {"model.json": json.dumps(description).encode()})
        with pytest.raises(ModelFileError, match="damaged"):
            pnb.load(path)
        record[name] = before


def test_declared_sizes_are_not_believed(files, tmp_path):
    parts = parts_of(files / "nb.pgmnb")
    honest = npy(np.zeros(3))
    for shape in ("(10000000000000,)", "(3, 1)" + " " * 3, "(99999999999999999999999,)"):
        crafted = honest.replace(b"(3,), }" + b" " * (len(shape) - 4), f"{shape}, }}".encode())
        assert len(crafted) == len(honest)
        with pytest.raises(ModelFileError, match="damaged"):
            pnb.load(write_parts(tmp_path / "m.pgmnb", parts | {"y.npy": crafted}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda parts: parts | {"../evil.npy": npy(np.zeros(1))}, "no part"),
        (lambda parts: parts | {"run.py": b"print(1)"}, "no part"),
        (lambda parts: parts | {"model.json": b"[" * 100_000}, "damaged"),
        (lambda parts: parts | {"model.json": b"\xff\xfe"}, "damaged"),
        (lambda parts: {name: part for name, part in parts.items() if name != "y.npy"}, "damaged"),
    ],
)
def test_strange_parts(files, tmp_path, change, said):
    with pytest.raises(ModelFileError, match=said):
        pnb.load(write_parts(tmp_path / "m.pgmnb", change(parts_of(files / "nb.pgmnb"))))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_foreign_compression(files, tmp_path, compression):
    path = write_parts(tmp_path / "m.pgmnb", parts_of(files / "nb.pgmnb"), compression)
    with pytest.raises(ModelFileError, match="compressed in a way"):
        pnb.load(path)


def test_encrypted(files, tmp_path):
    content = bytearray((files / "nb.pgmnb").read_bytes())
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        start = -1
        while (start := content.find(mark, start + 1)) >= 0:
            content[start + offset] |= 1
    (tmp_path / "m.pgmnb").write_bytes(content)
    with pytest.raises(ModelFileError, match="encrypted"):
        pnb.load(tmp_path / "m.pgmnb")


def test_the_same_part_twice(files, tmp_path):
    parts = parts_of(files / "nb.pgmnb")
    with zipfile.ZipFile(tmp_path / "m.pgmnb", "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("y.npy", parts["y.npy"])
    with pytest.raises(ModelFileError, match=r"more than one part y\.npy"):
        pnb.load(tmp_path / "m.pgmnb")


def test_a_bomb_is_refused_before_it_is_unpacked(files, tmp_path, monkeypatch):
    monkeypatch.setattr("pgm_nb.models.files.MOST_BYTES", 100_000)
    parts = parts_of(files / "nb.pgmnb") | {"y.npy": bytes(200_000)}
    with pytest.raises(ModelFileError, match="too large"):
        pnb.load(write_parts(tmp_path / "m.pgmnb", parts))


def test_a_checksum_cannot_simply_be_left_out(files, tmp_path):
    parts = parts_of(files / "nb.pgmnb")
    del parts["checksum"]
    with zipfile.ZipFile(tmp_path / "m.pgmnb", "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(ModelFileError, match="no checksum"):
        pnb.load(tmp_path / "m.pgmnb")


def test_classes_that_no_file_holds():
    labels = np.empty(2, dtype=object)
    labels[:] = [(1, 2), (3, 4)]
    with pytest.raises(DataError, match=r"a class is \(1, 2\), of a type that a file cannot hold \(tuple\)"):
        pack_classes(labels)


# Small files that would become large: refused by what they declare, or ended in a process of their own.

BUDGET = 60.0, 600_000_000
LARGE = 500_000_000


def bomb(shape, letter="u1"):
    """Return the pieces of an array of zeros."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": letter, "fortran_order": False, "shape": shape})
    size = int(np.prod(shape)) * np.dtype(letter).itemsize
    zeros = bytes(1_000_000)
    return [head.getvalue(), *[zeros] * (size // 1_000_000)]


def with_bomb(parts, name, pieces):
    """Return a file with one more part, whose checksum is right."""
    buffer = io.BytesIO()
    content = {n: [part] for n, part in parts.items() if n != "checksum"} | {name: pieces}
    digest = hashlib.sha256()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for part in sorted(content):
            digest.update(f"{part}\0{sum(map(len, content[part]))}\0".encode())
            with archive.open(part, "w") as file:
                for piece in content[part]:
                    digest.update(piece)
                    file.write(piece)
        archive.writestr("checksum", digest.hexdigest())
    return buffer.getvalue()


def test_a_small_file_stays_small(files):
    parts, rng = parts_of(files / "nb.pgmnb"), np.random.default_rng(0)
    description = parts["model.json"].rstrip().removesuffix(b"}")
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(60_000):
            archive.writestr(zipfile.ZipInfo(f"table{number}.npy"), b"")
    nasty = {
        "a part more.npy, which": with_bomb(parts, "more.npy", bomb((LARGE,))),
        "counts are not those of the classes": with_bomb(parts, "y.npy", bomb((LARGE // 8,), "i8")),
        "description is too long": with_bomb(
            parts, "model.json", [description + b', "more": [' + b"[]," * 6_000_000 + b"0]}"]
        ),
        "too many parts": many.getvalue(),
        "damaged": rng.bytes(1000),
    }
    worker = Workers(most=1).limited(*BUDGET)
    for said, content in nasty.items():
        assert len(content) < 8_000_000
        with pytest.raises(ModelFileError, match=said):
            worker.run(_check, loaded, "m.pgmnb", content)
    worker.close()


def test_a_model_that_needs_too_much_is_ended_elsewhere(files, monkeypatch):
    """Its tables are as large as its columns and states imply, so only the budget can say no."""
    parts = parts_of(files / "hnb.pgmnb")
    description = json.loads(parts["model.json"])
    learned = description["learned"]
    states = [[f"{name}{i}" for i in range(5_000)] for name in "ab"]
    learned["encoder"]["columns"] = [
        column | {"name": name, "kind": "categorical", "states": found, "cuts": None}
        for column, name, found in zip(learned["encoder"]["columns"], "ab", states, strict=False)
    ]
    learned["counts"] |= {"cards": [5_000, 5_000], "n_rows": 0}
    parts |= {"y.npy": npy(np.zeros(3, int)), "singles.npy": npy(np.zeros(30_000, int))}
    parts["model.json"] = json.dumps(description).encode()
    content = with_bomb(parts, "pairs.npy", bomb((75_000_000,), "<i8"))
    monkeypatch.setattr("pgm_nb.models.files.GUARD", BUDGET)
    assert len(content) < 4_000_000
    with pytest.raises(ModelFileError, match="needs more memory than one file may take"):
        check_guarded("m.pgmnb", content)
