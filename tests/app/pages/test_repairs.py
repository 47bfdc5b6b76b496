"""Repairs on the Data page: proposals with buttons, undo, dead ends that end no more, the codebook."""

import io

import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.app.pages.data.cuts import equal_cuts, moved, slider_step
from pgm_nb.app.shell.fitting import FittedModel, Settings, model_file
from pgm_nb.data.repairs import Codebook, Recipe

CLASS_HERE = "Which column do you want to explain and predict?"
ROWS = "".join(
    f"{1000 + i * 37};{5 + i % 40},5 mg;{0 if i % 2 else 20 + (i * 7) % 100};"
    f"{-999 if i % 9 == 0 else 100 + i % 50};{i % 28 + 1:02d}.04.{1930 + i % 60};"
    f"{['Male', 'male', 'female'][i % 3]};{i % 4};{'' if i % 11 == 0 else i % 5 % 2}\n"
    for i in range(120)
)
UGLY = f"patient id;dose;insulin;bp;born;sex;dose;y\n{ROWS}".encode()
PLAIN = UGLY.replace(b"sex;dose;y", b"sex;x;y")


def press(app, label):
    button = next(button for button in app.button if button.label.replace("\\", "") == label)
    app = button.click().run()
    assert not app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def said(app):
    return " ".join(text.value.replace("\\", "") for text in [*app.markdown, *app.info, *app.caption])


def recipe(app):
    [word] = [app.query_params.get("recipe", [""])] if "recipe" in app.query_params else [None]
    word = word[0] if isinstance(word, list) else word
    return Recipe() if word is None else Recipe.unpack(word)


def test_an_ugly_table_is_repaired_click_by_click(visit, upload):
    app = upload(visit("structure"), "ugly.csv", UGLY)
    assert "More than one column is called “dose”" in said(app)  # on every page
    app = press(app, "Number the names")
    assert "y is empty in 11 of 120 rows" in said(app).replace("**", "")
    app = press(app, "Leave these rows out")
    assert not app.error
    assert len(recipe(app).steps) == 2
    word = app.query_params["recipe"]
    app = upload(visit("data", sample="upload", recipe=word), "ugly.csv", UGLY)
    for label in ("Read as numbers", "All of these mean not measured (2)", "Merge the spellings"):
        app = press(app, label)
    app = press(app, next(b.label for b in app.button if b.label.startswith("Age on")).replace("\\", ""))
    assert "Nothing else to repair was found." in said(app)
    assert [step.do for step in recipe(app).steps] == [
        "number names", "leave out rows", "read numbers", "not measured", "not measured", "merge", "date",
    ]  # fmt: skip
    columns = next(table.value for table in app.dataframe if "kind" in table.value)
    assert columns["column"].tolist() == ["dose", "insulin", "bp", "age from born", "sex", "dose (2)"]

    app = app.button(key="undo 3").click().run()  # insulin, whatever came after
    assert "Does 0 mean not measured?" in said(app)
    assert len(recipe(app).steps) == 6
    app = press(app, "Undo the last change")
    assert len(recipe(app).steps) == 7
    app = press(app, "Undo the last change")
    assert "date" not in [step.do for step in recipe(app).steps]


def test_steps_that_do_not_fit_another_table_are_named(visit, upload):
    word = Recipe([{"do": "not measured", "column": "zinc", "values": [0]}]).pack()
    app = upload(visit("data", sample="upload", recipe=word), "plain.csv", PLAIN)
    assert any("does not fit this table" in warning.value for warning in app.warning)
    app = visit("data", recipe="nonsense")
    assert "recipe" not in app.query_params


def test_a_recipe_stays_with_its_table(visit, upload):
    app = press(upload(visit("data"), "plain.csv", PLAIN), "Leave these rows out")
    app = app.selectbox(key="sample").select("iris").run()
    assert "recipe" not in app.query_params
    app = app.selectbox(key="sample").select("upload").run()
    assert [step.do for step in recipe(app).steps] == ["leave out rows"]


def test_a_measured_class_is_cut_on_any_page(visit, upload):
    content = "a,dose\n" + "".join(f"{i % 3},{i / 7:.3f}\n" for i in range(60))
    app = upload(visit("structure", class_="dose"), "t.csv", content.encode())
    app = app.selectbox(key="class").select("dose").run()
    assert "looks like a measurement" in app.info[0].value
    app = app.text_input(key="typed cuts of the class dose").input("2, 4").run()
    app = app.slider(key="slider 1 of the class dose").set_value(5.0).run()
    assert app.text_input(key="typed cuts of the class dose").value == "2, 5"
    app = press(app, "Cut into 3 classes")
    assert not app.info
    assert recipe(app).steps[0].cuts == (2.0, 5.0)


def test_cut_points_move_with_clicks():
    assert moved((2.0,), 5.0, 0.1) == (2.0, 5.0)
    assert moved((2.0, 5.0), 5.05, 0.1) == (2.0,)
    assert moved(tuple(map(float, range(9))), 20.0, 0.1) == tuple(map(float, range(9)))
    assert slider_step(pd.Series([1.0, 9.0]).to_numpy()) == 1.0
    assert slider_step(pd.Series([1.5, 9.0]).to_numpy()) == 0.02
    assert equal_cuts(pd.Series([0.0, 0.0, 0.0, 1.0]).to_numpy(), 3) == (0.0,)


def test_values_are_merged_by_selecting_them(visit):
    app = visit("data", sample="car")
    app = app.selectbox(key="column whose values change").select("doors").run()
    app = app.multiselect(key="values that change doors").set_value(["2", "3"]).run()
    app = app.text_input(key="name of merged values doors").input("few").run()
    app = press(app, "Merge them")
    assert recipe(app) == Recipe([{"do": "merge", "column": "doors", "groups": {"few": ["2", "3"]}}])
    columns = next(table.value for table in app.dataframe if "kind" in table.value).set_index("column")
    assert list(columns.loc["doors", "groups"]) == ["4", "5more", "few"]


def test_a_codebook_names_the_class_everywhere(visit, upload):
    app = press(
        upload(visit("data", sample="upload", cut=["bp:120"]), "plain.csv", PLAIN), "Leave these rows out"
    )
    book = b"column,value,name,unit\ny,,outcome,\ny,0,healthy,\ny,1,diabetic,\nbp,,pressure,mmHg\n"
    app = app.file_uploader(key="codebook file").upload("book.csv", book).run()
    assert not app.error
    assert app.selectbox(key="class").value == "outcome"
    columns = next(table.value for table in app.dataframe if "kind" in table.value)
    assert "pressure (mmHg)" in columns["column"].tolist()
    assert "pressure (mmHg):120" in app.query_params["cut"]
    word = app.query_params["recipe"]
    app = upload(visit("export", sample="upload", recipe=word, class_="outcome"), "plain.csv", PLAIN)
    assert not app.error
    code = app.code[0].value
    assert '"do": "codebook"' in code
    assert 'split_target(frame, "outcome")' in code
    app = app.selectbox(key="class").select("sex").run()
    assert not app.error


def test_names_of_a_codebook_stand_in_lists_and_questions(visit, upload, labelled):
    app = upload(visit("data"), "plain.csv", PLAIN.replace(b"insulin;bp", b"insu;bp"))
    app = app.file_uploader(key="codebook file").upload("book.csv", b"column,name\ninsu,insulin\n").run()
    assert "insulin" in labelled(app.selectbox, CLASS_HERE).options
    assert "**insulin** is 0 in" in " ".join(said(app).split())
    app = press(press(app, "Leave these rows out"), "0 means not measured")
    assert "insulin: 0 means not measured." in said(app)
    app = labelled(app.selectbox, CLASS_HERE).select("insulin").run()
    assert app.selectbox(key="class").value == "insulin"
    assert not app.exception


def test_a_question_about_a_value_can_be_set_aside(visit, upload):
    app = press(upload(visit("data"), "plain.csv", PLAIN), "Keep it")  # insulin's 0
    assert "Does 0 mean not measured?" not in said(app)
    assert not recipe(app)
    app = press(app, "Ask again about 1 column whose values you kept")
    assert "Does 0 mean not measured?" in said(app)


def test_the_model_file_keeps_the_recipe(tmp_path):
    recipe = Recipe([Codebook({}, {"class": {"setosa": "S"}})])
    X, y = pnb.load_sample("iris")
    frame = recipe.apply(X.assign(**{"class": y}))
    model = pnb.NaiveBayes().fit(frame.drop(columns="class"), frame["class"])
    path = tmp_path / "m.pgmnb"
    path.write_bytes(model_file(FittedModel(model, ("", Settings("class")), recipe.pack())))
    assert pnb.load(path).recipe_ == recipe
    assert model.recipe_ is None


def test_a_workbook_with_numbers_among_words_is_no_dead_end(visit, upload):
    frame = pd.DataFrame(
        {"zinc": [*range(40), "k. A."], "odd": [1, "a"] * 20 + [2], "y": list("ab") * 20 + ["a"]}
    )
    file = io.BytesIO()
    frame.to_excel(file, index=False)
    app = upload(visit("data"), "t.xlsx", file.getvalue())
    assert "odd**: Numbers and words mixed" in said(app)
    app = press(app, "Read as numbers")
    word = app.query_params["recipe"]
    assert not upload(visit("structure", sample="upload", recipe=word), "t.xlsx", file.getvalue()).error


@pytest.mark.parametrize("page", ["fit", "features", "what_if"])
def test_no_page_is_a_dead_end_for_a_class_with_gaps(page, visit, upload):
    app = upload(visit(page), "plain.csv", PLAIN)
    assert not app.error
    assert any(button.label == "Leave these rows out" for button in app.button)


def test_a_header_of_several_rows_is_said_everywhere_and_repaired(visit, upload):
    rows = "".join(f"{110 + i % 31};{70 + i % 9};{'ill' if i % 3 else 'well'}\n" for i in range(60))
    content = f"Pressure;;Outcome\nsys;dia;\n{rows}".encode()
    app = upload(visit("structure"), "merged.csv", content)
    assert any("first row seems to belong to the header" in warning.value for warning in app.warning)
    app = press(app, "Use 1 row as names")  # in place of the class that is missing in it
    assert not app.warning
    assert app.selectbox(key="class").value == "Outcome"
    assert recipe(app).steps[0].called == ("Pressure sys", "Pressure dia", "Outcome")
