"""The side bar says when the class was guessed."""

import pytest

ROWS = "".join(f"{i % 3},s{i % 2},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(40))


def guesses(app):
    return [caption.value for caption in app.caption if "guessed" in caption.value]


def test_a_guess_is_called_one_until_another_class_is_chosen(visit, upload):
    app = upload(visit("data"), "patients.csv", f"dose,stage,group\n{ROWS}".encode())
    because = "because of its name. If it is not, choose another column."
    assert guesses(app) == [f"**group** was guessed to be the class {because}"] * 2
    app.selectbox(key="class").select("stage").run()
    assert not guesses(app)


@pytest.mark.parametrize("name", ["class", "Class"])
def test_a_column_called_class_is_no_guess(name, visit, upload):
    assert not guesses(upload(visit("data"), "patients.csv", f"dose,stage,{name}\n{ROWS}".encode()))


def test_the_class_of_a_sample_and_of_the_command_line_is_known(visit, tmp_path, monkeypatch):
    assert not guesses(visit("data", sample="heart"))
    file = tmp_path / "patients.csv"
    file.write_text(f"dose,stage,group\n{ROWS}")
    monkeypatch.setenv("PGM_NB_DATA", str(file))
    assert len(guesses(visit("structure"))) == 1
    monkeypatch.setenv("PGM_NB_CLASS", "group")
    assert not guesses(visit("structure"))
