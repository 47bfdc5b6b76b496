"""The page of the structure: the picture, what it shows, its numbers, its steps, and files to take away."""

from typing import TYPE_CHECKING, cast

import streamlit as st

from pgm_nb.app import words
from pgm_nb.app.address import begin, keep, publish
from pgm_nb.app.columns import names_rows
from pgm_nb.app.downloads import download_row
from pgm_nb.app.frame import picture_frame
from pgm_nb.app.learning import Learned, Settings, Structure, first_attributes, learn, picture
from pgm_nb.app.sidebar import choose_data, choose_settings
from pgm_nb.app.sources import Source, table
from pgm_nb.app.words import GLOSSARY, literal
from pgm_nb.data.names import listed
from pgm_nb.errors import PgmNbError
from pgm_nb.graphs import HiddenParents

if TYPE_CHECKING:
    from pgm_nb.app.learning import Model
    from pgm_nb.information import Divergence

__all__ = ["structure_page"]

MANY = 60  # attributes up to which the whole structure is drawn unasked
MOST = 200  # attributes that a picture can hold
PROVEN = 1e-9  # bits: two weights closer than this are the same up to rounding


def structure_page() -> None:
    """Show the page; whatever is wrong with a table is said in a sentence."""
    begin()
    try:
        with st.sidebar:
            source, title = choose_data()
            settings = choose_settings(table(source), st.session_state["sample"])
        st.header(literal(title), anchor=False)
        if settings is None:
            st.info("Which column is the class? Choose it on the left.")
        else:
            _show(source, settings)
    except PgmNbError as error:
        st.error(literal(str(error)))
    publish()


def _show(source: Source, settings: Settings) -> None:
    learned = learn(source, settings)
    st.caption(literal(_about(learned.model)))
    for remark in _remarks(learned.model):
        st.warning(literal(remark))
    if learned.model.divergence_ is None:
        _bag_numbers(learned.model)
    else:
        _numbers(learned.model.divergence_)
    shown = _choose_part(learned.model)
    view, size = _choose_view(shown)
    focus = _choose_focus(shown, view)
    st.markdown(words.sentence(shown, view, words.bold))
    theme = st.context.theme.type or "auto"
    svg = picture(learned, shown, view, "svg", theme, focus)
    st.html(picture_frame(svg, _alternative(learned, shown, view), full_size=size == "full"))
    _steps(learned.model)
    download_row(learned, shown, view, focus)
    _glossary()


def _about(model: "Model") -> str:
    """Describe the table that a model was learned from."""
    counts = model.learned_.counts.y
    classes = ", ".join(f"{label} {n:,}" for label, n in zip(model.classes_, counts, strict=True))
    rows = f"{int(counts.sum()):,} rows, {len(model.encoder_.names):,} attributes"
    return f"{rows}. {model.learned_.target}: {classes}. {model.missing_}"


def _remarks(model: "Model") -> list[str]:
    """Say which columns are better left out."""
    n_rows = int(model.learned_.counts.y.sum())
    idle = [column.name for column in model.encoder_.columns if column.card == 1]
    naming = [column.name for column in model.encoder_.columns if names_rows(column.card, n_rows)]
    remarks = []
    if idle:
        remarks.append(f"One value only, so nothing to tell: {listed(idle)}.")
    if naming:
        remarks.append(
            f"A different value in almost every row: {listed(naming)}. Such a column names the rows and says "
            "nothing about new ones; better leave it out (on the left, under Columns and values)."
        )
    return remarks


def _choose_part(model: "Model") -> Structure:
    """Let the user choose how much of a large structure is drawn."""
    structure = model.structure_
    n_attributes = len(structure.attributes)
    if n_attributes <= MANY or isinstance(structure, HiddenParents):
        return structure
    most = min(n_attributes, MOST)
    keep("shown", range(2, most + 1), MANY)
    n_shown = st.slider(
        f"Attributes in the picture, of {n_attributes:,}",
        2,
        most,
        key="shown",
        help="The most important ones come first. The numbers below and the files are about all of them.",
    )
    return first_attributes(structure, tuple(model.importance_["attribute"][:n_shown]))


def _choose_view(structure: Structure) -> tuple[str, str]:
    view: str = structure.views[0]
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if len(structure.views) > 1:
            view = _choose_one("View", {view: words.VIEWS[view] for view in structure.views})
        size = _choose_one("Size", {"fit": "Fit", "full": "Full size"})
    return view, size


def _choose_focus(structure: Structure, view: str) -> str | None:
    """Let the user choose whose hidden parent is drawn."""
    if view != "focus" or not isinstance(structure, HiddenParents):
        return None
    keep("focus", list(structure.attributes), structure.most_relevant)
    return st.selectbox("Attribute", structure.attributes, key="focus")


def _choose_one(label: str, titles: dict[str, str]) -> str:
    """Offer a few things side by side; the first one is the default."""
    key = label.lower()
    keep(key, [*titles], next(iter(titles)))
    return st.radio(
        label,
        [*titles],
        key=key,
        format_func=titles.__getitem__,
        horizontal=True,
        label_visibility="collapsed",
    )


def _alternative(learned: Learned, structure: Structure, view: str) -> str:
    return f"{learned.model.title}, {words.VIEWS[view].lower()}: {words.sentence(structure, view)}"


def _numbers(divergence: "Divergence") -> None:
    weight, kl, gain, gap = st.columns(4)
    weight.metric("Weight", f"{divergence.weight:.3f} bits", help=GLOSSARY["weight"])
    kl.metric("KL divergence", f"{divergence.kl:.3f} bits", help=GLOSSARY["KL divergence"])
    gain.metric(
        "Above naive Bayes",
        f"{divergence.weight - divergence.weight_naive:.3f} bits",
        help="How much more weight the picture has than naive Bayes, in which every attribute hangs on the "
        "class alone.",
    )
    proven = abs(divergence.gap) < PROVEN
    gap.metric(
        "Below the best tree",
        "0 bits" if proven else f"{divergence.gap:.3f} bits",
        delta="proven best" if proven else None,
        delta_arrow="off",
        help="How much weight is missing to the best tree there is, which is always computed as well; at 0 "
        "no tree is better.",
    )


def _bag_numbers(model: "Model") -> None:
    structure = cast("HiddenParents", model.structure_)
    sizes = [len(bag) for bag in structure.weights.values()]
    threshold = getattr(structure, "threshold", None)
    columns = st.columns(4)
    columns[0].metric(
        "Hidden parents", f"{len(sizes)} of {len(structure.attributes)}", help=GLOSSARY["hidden parent"]
    )
    columns[1].metric(
        "Attributes in each", f"{sum(sizes) / len(sizes):.1f}" if sizes else "–", help=GLOSSARY["bag"]
    )
    columns[2].metric(
        "Threshold",
        "none" if threshold is None else f"{threshold:.3f} bits",
        help="What two attributes must at least tell about each other, with the class known, to be mixed.",
    )
    columns[3].metric("KL divergence", "not defined", help=f"{literal(model.no_divergence)}.")


def _steps(model: "Model") -> None:
    if model.divergence_ is None:
        _ranking(model)
        return
    st.markdown("#### Attributes in the order they joined")
    steps = model.importance_
    steps.insert(0, "step", range(1, len(steps) + 1))
    steps["mother"] = steps["mother"].astype(object).where(steps["mother"].notna(), "–")
    number = st.column_config.NumberColumn
    st.dataframe(
        steps,
        hide_index=True,
        column_config={
            "step": number("Step", width="small"),
            "attribute": st.column_config.TextColumn("Attribute"),
            "mother": st.column_config.TextColumn("Mother", help=GLOSSARY["mother"]),
            "gain": st.column_config.ProgressColumn(
                "Adds (bits)",
                format="%.3f",
                min_value=0.0,
                max_value=max(float(steps["gain"].max()), PROVEN),
                help="What it tells about the class, and what it and its mother tell about each other beyond "
                "that.",
            ),
            "weight": number("Weight", format="%.3f", help=GLOSSARY["weight"]),
            "kl": number("KL divergence", format="%.3f", help=GLOSSARY["KL divergence"]),
        },
    )


def _ranking(model: "Model") -> None:
    st.markdown("#### Attributes by what they tell about the class")
    table = model.importance_
    table.insert(0, "step", range(1, len(table) + 1))
    table["strongest"] = table["strongest"].astype(object).where(table["strongest"].notna(), "–")
    table["share"] *= 100
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "step": number("Rank", width="small"),
            "attribute": st.column_config.TextColumn("Attribute"),
            "gain": st.column_config.ProgressColumn(
                "Tells about the class (bits)",
                format="%.3f",
                min_value=0.0,
                max_value=max(float(table["gain"].max()), PROVEN),
            ),
            "members": number("Mixed from", help=GLOSSARY["hidden parent"]),
            "strongest": st.column_config.TextColumn("Largest share"),
            "share": number("Share", format="%.0f%%", help=GLOSSARY["share"]),
        },
    )


def _glossary() -> None:
    with st.expander("What the words mean"):
        st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in GLOSSARY.items()))
