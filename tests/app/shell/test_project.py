"""A project is saved with everything that was chosen, and opened again; a saved model opens alone."""

import pytest

import pgm_nb as pnb
from pgm_nb.app.pages import PAGES, export
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data.repairs import NotMeasured, Recipe
from pgm_nb.models.files import saved
from pgm_nb.models.projects import Project, fingerprint, read_project

PATIENTS = (
    "dose,stage,age,outcome\n"
    + "".join(f"{i % 3},s{i % 2},{30 + i % 37},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(60))
).encode()
CHOICES = {
    "class": ["stage"],
    "model": ["tan"],
    "cut": ["age:40,50"],
    "given": ["age=45"],
    "without": ["dose"],
}
PROJECT = Project("patients.csv", PATIENTS, choices=CHOICES)


@pytest.fixture
def made(monkeypatch):
    """The files that the button on the Export page would make, newest last."""
    files = []

    def offer(label, make, name, mime, help):
        if label == "Save project":
            files.append((name, make()))

    monkeypatch.setattr(export, "offer", offer)
    return files


@pytest.fixture(scope="module")
def model():
    return saved(pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris")))


def test_known_values_and_cuts_come_back_on_their_own_pages(visit, upload):
    app = upload(visit("what_if"), "work.pgmnbproj", PROJECT.saved())
    assert app.header[0].value == literal("patients.csv")
    assert (app.session_state["class"], app.session_state["model"]) == ("stage", "tan")
    assert app.session_state["given"] == ["age=45"]
    assert app.session_state["cut"] == ["age:40,50"]
    assert app.query_params["table"] == "patients.csv"
    app.selectbox(key="class").select("outcome").run()  # a choice after that is a choice
    assert app.session_state["class"] == "outcome"
    assert app.session_state["given"] == ["age=45"]


def test_the_saved_file_holds_the_choices_of_all_pages(visit, upload, made):
    app = upload(visit("export", sample="iris", groups="7"), "work.pgmnbproj", PROJECT.saved())
    assert not app.error
    name, content = made[-1]
    assert name == "patients-tan.pgmnbproj"
    project = read_project(name, content)
    assert {key: project.choices[key] for key in CHOICES} == CHOICES  # also of pages not visited
    assert "groups" not in project.choices  # what was chosen before is gone
    assert project.table == PATIENTS
    assert project.fitted().structure_.target == "stage"
    app.checkbox(key="project with table").uncheck().run()
    alone = read_project(*made[-1])
    assert alone.table is None
    assert alone.table_print == fingerprint(PATIENTS)


def test_a_project_of_a_sample(visit, upload, made):
    visit("export", sample="wine", model="nb", without=["hue"])
    project = read_project(*made[-1])
    assert (project.is_sample, project.table_name) == (True, "wine")
    app = upload(visit("data"), "wine.pgmnbproj", project.saved())
    assert app.session_state["sample"] == "wine"
    assert (app.session_state["model"], app.session_state["without"]) == ("nb", ["hue"])


def test_without_the_table_the_model_is_shown_until_the_table_comes(visit, upload, model):
    choices = {"class": ["stage"], "model": ["tan"]}
    alone = Project("patients.csv", None, table_print=fingerprint(PATIENTS), choices=choices, model=model)
    app = upload(visit("structure"), "work.pgmnbproj", alone.saved())
    assert app.session_state["sample"] == "model file"
    assert not app.error
    app = upload(app, "patients.csv", PATIENTS)
    assert app.header[0].value == literal("patients.csv")
    assert (app.session_state["class"], app.session_state["model"]) == ("stage", "tan")
    assert not app.warning or "not the same file" not in app.warning[0].value
    app = upload(app, "patients.csv", PATIENTS + b"1,s1,40,ill\n")
    assert any("is not the same file as" in warning.value for warning in app.warning)


def test_neither_table_nor_model_asks_for_the_table(visit, upload):
    alone = Project("patients.csv", None, table_print=fingerprint(PATIENTS), choices={"model": ["tan"]})
    app = upload(visit("structure"), "work.pgmnbproj", alone.saved())
    assert "upload it again" in app.info[0].value
    app = upload(app, "patients.csv", PATIENTS)
    assert app.session_state["model"] == "tan"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("work.pgmnbproj", PROJECT.saved()[:-60], "is not a pgm_nb project, or is damaged"),
        ("work.pgmnbproj", b"a,b\n1,2\n", "is not a pgm_nb project, or is damaged"),
        ("tree.pgmnb", b"a,b\n1,2\n", "is not a pgm_nb model, or is damaged"),
    ],
)
def test_a_damaged_file_is_said_and_the_table_stays(visit, upload, name, content, said):
    app = upload(visit("structure", sample="iris"), name, content)
    assert said in app.error[0].value.replace("\\", "")
    assert app.header[0].value == literal("Iris flowers")


@pytest.mark.parametrize("page", [page for page in PAGES if not page.rows], ids=lambda page: page.name)
def test_a_saved_model_opens_without_its_table(visit, upload, model, page):
    app = upload(visit(page.name), "iris.pgmnb", model)
    assert not app.error
    assert app.header[0].value == literal("iris.pgmnb")
    assert any("A saved model without its table" in caption.value for caption in app.caption)
    assert not any("Upload the table on the left" in info.value for info in app.info)


def test_the_answers_are_those_of_the_model(visit, upload, model):
    app = visit("what_if", given=["petal width=0.2"])
    app = upload(app, "iris.pgmnb", model)
    app.session_state["given"] = ["petal width=0.2"]
    app.run()
    assert any("setosa" in text.value and "1 of 4 attributes" in text.value for text in app.markdown)
    assert not any("row" in caption.value for caption in app.caption)  # there are none


@pytest.mark.parametrize("page", [page for page in PAGES if page.rows], ids=lambda page: page.name)
def test_pages_that_need_rows_say_so(visit, upload, model, page):
    app = upload(visit(page.name), "iris.pgmnb", model)
    assert not app.error
    assert page.rows in app.info[0].value
    assert "Upload the table on the left" in app.info[0].value


def test_a_table_is_classified_by_a_saved_model(visit, upload, finished, model):
    app = upload(visit("export"), "iris.pgmnb", model)
    X, _ = pnb.load_sample("iris")
    app.file_uploader(key="new rows").upload("new.csv", X.iloc[[0, 149]].to_csv(index=False).encode()).run()
    found = finished(app).dataframe[0].value
    assert found["prediction"].tolist() == ["setosa", "virginica"]


def test_a_model_of_bell_curves_is_asked_without_its_table(visit, upload):
    fitted = pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris"))
    app = visit("what_if", given=["petal width=0.2"])
    app = upload(app, "iris.pgmnb", saved(fitted))
    app.session_state["given"] = ["petal width=0.2"]
    app.run()
    assert not app.error
    said = next(text.value for text in app.markdown if "1 of 4 attributes" in text.value)
    assert "setosa" in said


def test_a_model_of_counts_says_why_it_cannot_be_asked(visit, upload):
    counts = saved(pnb.MultinomialNaiveBayes().fit(*pnb.load_sample("iris")))
    app = upload(visit("what_if"), "iris.pgmnb", counts)
    assert "keeps no intervals of its numbers" in app.error[0].value
    assert "open the table too" in app.error[0].value
    assert not upload(visit("structure"), "iris.pgmnb", counts).error


def test_the_app_may_be_started_with_a_project(visit, tmp_path, monkeypatch):
    path = tmp_path / "work.pgmnbproj"
    PROJECT.save(path)
    monkeypatch.setenv("PGM_NB_DATA", str(path))
    app = visit("structure")
    assert app.header[0].value == literal("patients.csv")
    assert (app.session_state["class"], app.session_state["model"]) == ("stage", "tan")


def test_repairs_are_saved_and_opened(visit, upload, made):
    recipe = Recipe([NotMeasured("dose", (0,))])
    project = Project("patients.csv", PATIENTS, choices={**CHOICES, "recipe": [recipe.pack()]})
    upload(visit("export"), "work.pgmnbproj", project.saved())
    assert read_project(*made[-1]).choices["recipe"] == [recipe.pack()]
