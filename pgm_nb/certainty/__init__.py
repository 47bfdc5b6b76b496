"""How sure an answer is: draws of the tables, and intervals from them."""
