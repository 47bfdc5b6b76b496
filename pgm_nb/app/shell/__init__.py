"""What every page stands in: start, address, side bar, tables, models learned in the background."""
