"""Column names and values are shown as they are."""

import pytest

from pgm_nb.app.widgets.markdown import bold, literal


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("age", "age"),
        ("<script>", r"\<script\>"),
        ("a|b", r"a\|b"),
        ("$x$", r"\$x\$"),
        ("_it_ `code` [link](x)", r"\_it\_ \`code\` \[link\]\(x\)"),
        (":smile:", "\\:\u2060smile\\:"),
        (":+1:", "\\:\u2060\\+1\\:"),
        ("sex: f", r"sex\: f"),
        ("a -> b", "a \\-\u2060\\> b"),
        ("  two\nlines ", "two lines"),
        ("Größe (µm)", r"Größe \(µm\)"),
    ],
)
def test_literal(name, shown):
    assert literal(name) == shown


def test_bold_of_nothing_is_not_a_rule():
    assert bold(" ") == ""
