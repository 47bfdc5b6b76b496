"""The pages: each is a module or a package with a function `show(screen)`."""
