"""One model as one HTML file for people, and the Python lines that make it again."""

from pgm_nb.reports.document import report
from pgm_nb.reports.lines import Origin, python_lines

__all__ = ["Origin", "python_lines", "report"]
