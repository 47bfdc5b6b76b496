"""Parts of a page that several pages use: pictures, players, tables, charts."""
