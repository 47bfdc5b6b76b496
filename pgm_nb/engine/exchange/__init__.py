"""Exchange with other programs: networks written for them, structures read back, names kept safe between."""

from pgm_nb.engine.exchange.names import NameMap, safe_names
from pgm_nb.engine.exchange.read import read_names, read_structure
from pgm_nb.engine.exchange.write import FORMATS, network_files

__all__ = ["FORMATS", "NameMap", "network_files", "read_names", "read_structure", "safe_names"]
