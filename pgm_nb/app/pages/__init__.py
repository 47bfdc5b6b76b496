"""The pages, one file each: every one has a function `show(screen)`."""
