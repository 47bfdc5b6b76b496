"""An address that names a table which is not here says so, and keeps every other choice."""

from pgm_nb.app.widgets.markdown import literal

PATIENTS = "dose,stage,outcome\n" + "".join(
    f"{i % 3},s{i % 2},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(40)
)
AGAIN = "Your table “patients.csv” is no longer here: upload it again."


def shown(app):
    """Return the choices in the address."""
    return {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}


def uploaded(visit, upload, page="data"):
    app = upload(visit(page), "patients.csv", PATIENTS.encode())
    app.selectbox(key="class").select("stage")
    app.selectbox(key="model").select("tan")
    return app.run()


def test_the_address_of_an_upload_says_its_name(visit, upload):
    app = uploaded(visit, upload)
    assert shown(app) == {"sample": "upload", "table": "patients.csv", "class": "stage", "model": "tan"}
    app.selectbox(key="sample").select("iris").run()
    assert "table" not in app.query_params


def test_without_the_upload_its_address_asks_for_it_and_stays(visit, upload):
    address = shown(uploaded(visit, upload))
    other = visit("data", **address)
    [info] = other.info
    assert info.value.startswith(literal(AGAIN))
    assert other.header[0].value == literal("patients.csv")
    assert other.selectbox(key="sample").value is None
    assert not other.dataframe
    assert not other.error
    for _ in range(2):
        assert shown(other.run()) == address


def test_after_the_upload_all_other_choices_apply(visit, upload):
    address = shown(uploaded(visit, upload))
    other = upload(visit("data", **address), "patients.csv", PATIENTS.encode())
    assert not other.info
    assert other.session_state["sample"] == "upload"
    assert (other.session_state["class"], other.session_state["model"]) == ("stage", "tan")
    assert shown(other) == address
    assert shown(other.run()) == address


def test_a_sample_may_be_chosen_instead(visit):
    app = visit("structure", sample="upload", table="patients.csv", model="tan", class_="stage")
    app.selectbox(key="sample").select("iris").run()
    assert app.header[0].value == literal("Iris flowers")
    assert shown(app) == {"sample": "iris", "model": "tan"}
    app.selectbox(key="model").select("nb").run()
    assert shown(app) == {"sample": "iris", "model": "nb"}


def test_choices_wait_while_the_menu_leads_to_an_empty_address(visit, upload):
    app = visit("data", sample="upload", model="tan", class_="stage")
    assert app.info[0].value.startswith(literal("Your table is no longer here: upload it again."))
    app.query_params.clear()
    assert shown(app.run()) == {"sample": "upload", "model": "tan", "class": "stage"}
    upload(app, "patients.csv", PATIENTS.encode())
    assert (app.session_state["class"], app.session_state["model"]) == ("stage", "tan")


def test_back_to_a_table_that_is_no_longer_here(visit):
    app = visit("structure", sample="iris")
    app.query_params["sample"] = "upload"
    assert app.run().selectbox(key="sample").value is None
    app.query_params["sample"] = "iris"  # and forth
    assert app.run().header[0].value == literal("Iris flowers")


def test_an_unknown_sample_is_not_another_one(visit):
    app = visit("structure", sample="irs *", model="tan")
    assert app.info[0].value.startswith(
        literal("There is no table called “irs *” here: choose one, or upload your own.")
    )
    assert shown(app) == {"sample": "irs *", "model": "tan"}
    app.selectbox(key="sample").select("wdbc").run()
    assert shown(app) == {"model": "tan"}
