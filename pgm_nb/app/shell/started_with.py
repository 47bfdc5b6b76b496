"""What the app was started with: handed from the command line to the pages through the environment."""

import os

__all__ = ["given", "hand_over"]

DATA_VARIABLE, CLASS_VARIABLE = "PGM_NB_DATA", "PGM_NB_CLASS"


def hand_over(data: str | None, target: str | None) -> None:
    """Keep the data and the class column that the app is started with, in place of any from before."""
    for variable, value in ((DATA_VARIABLE, data), (CLASS_VARIABLE, target)):
        os.environ.pop(variable, None)
        if value is not None:
            os.environ[variable] = value


def given() -> tuple[str | None, str | None]:
    """Return the data and the class column that the app was started with, as far as they were named."""
    return os.environ.get(DATA_VARIABLE), os.environ.get(CLASS_VARIABLE)
