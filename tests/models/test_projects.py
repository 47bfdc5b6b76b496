"""Project files: what goes in comes out, and what is damaged or foreign is refused with a sentence."""

import io
import json
import zipfile

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.errors import ModelFileError
from pgm_nb.models.files import saved
from pgm_nb.models.projects import Project, fingerprint, load_project, read_project

TABLE = b"age,sex,outcome\n64,m,ill\n31,f,well\n70,m,ill\n25,f,well\n"
CHOICES = {"class": ["outcome"], "cut": ["age:40"], "given": ["age=64", "sex=m"], "recipe": ['{"drop": "x"}']}


@pytest.fixture
def model():
    return pnb.NaiveBayes(n_bins=2).fit(*pnb.load_sample("iris"))


@pytest.fixture
def project(model):
    notes = {"codebook": {"sex": {"m": "male"}}}
    return Project("patients.csv", TABLE, choices=CHOICES, model=saved(model), notes=notes)


def test_everything_comes_back(project, model, tmp_path):
    path = tmp_path / "work.pgmnbproj"
    project.save(path)
    again = load_project(path)
    assert (again.table_name, again.table, again.is_sample) == ("patients.csv", TABLE, False)
    assert again.choices == CHOICES
    assert again.notes == {"codebook": {"sex": {"m": "male"}}}
    assert again.table_print == fingerprint(TABLE)
    assert again.frame()["age"].tolist() == [64, 31, 70, 25]
    X, _ = pnb.load_sample("iris")
    assert again.fitted().predict(X).tolist() == model.predict(X).tolist()
    assert again.saved() == project.saved()  # the same project is the same bytes


def test_without_the_table_only_its_fingerprint_is_kept(project):
    alone = Project("patients.csv", None, table_print=fingerprint(TABLE), choices=CHOICES)
    again = read_project("x.pgmnbproj", alone.saved())
    assert again.table is None
    assert b"64,m,ill" not in b"".join(parts(alone.saved()).values())
    with pytest.raises(ModelFileError, match=r"saved without its table: read patients\.csv itself"):
        again.frame()
    with pytest.raises(ModelFileError, match="saved without a model"):
        again.fitted()


def test_a_sample_is_named_not_copied():
    again = read_project("x.pgmnbproj", Project("iris", is_sample=True).saved())
    assert again.frame().shape == (150, 5)


def parts(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(content, change):
    """Return a project whose description was changed by someone who knows the checksum."""
    from pgm_nb.models.files import packed_parts

    found = parts(content)
    description = json.loads(found["model.json"])
    arrays = {
        n.removesuffix(".npy"): np.load(io.BytesIO(part)) for n, part in found.items() if n.endswith(".npy")
    }
    change(description, arrays)
    return packed_parts(description, arrays)


def test_damage_is_said(project):
    content = bytearray(project.saved())
    content[len(content) // 2] ^= 255
    with pytest.raises(ModelFileError, match=r"work\.pgmnbproj .*damaged"):
        read_project("work.pgmnbproj", bytes(content))
    with pytest.raises(ModelFileError, match="not a pgm_nb project, or is damaged"):
        read_project("work.pgmnbproj", project.saved()[:-100])
    with pytest.raises(ModelFileError, match="not a pgm_nb project, or is damaged"):
        read_project("work.pgmnbproj", b"age,sex\n1,2\n")


def test_another_kind_of_file_is_said(model, project):
    with pytest.raises(ModelFileError, match="is not a pgm_nb project, but a pgm_nb model"):
        read_project("work.pgmnbproj", saved(model))
    later = changed(project.saved(), lambda said, _: said.update(version=99))
    with pytest.raises(ModelFileError, match="version 99"):
        read_project("work.pgmnbproj", later)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda said, _: said.update(choices=["class"]), "no mapping"),
        (lambda said, _: said.update(choices={"class": "x"}), "no list of texts"),
        (lambda said, _: said.update(choices={"class": [1]}), "no list of texts"),
        (lambda said, _: said.update(choices={"class": ["x" * 200_000]}), "too long"),
        (lambda said, _: said.update(choices={str(i): [] for i in range(2_000)}), "too many"),
        (lambda said, _: said["table"].update(name=5), "no name"),
        (lambda said, _: said["table"].update(fingerprint="0" * 64), "not the one that the fingerprint"),
        (lambda said, _: said.pop("notes"), "notes"),
        (lambda said, _: said.update(notes=[1]), "no mapping"),
        (lambda _, arrays: arrays.update(more=arrays["table"]), "a part more"),
        (lambda _, arrays: arrays.update(table=arrays["table"].astype("int64")), "sequence of at most"),
    ],
)
def test_nothing_in_a_file_is_believed(project, change, said):
    with pytest.raises(ModelFileError, match=said):
        read_project("work.pgmnbproj", changed(project.saved(), change))
