"""`python -m live`: Python in the reader's browser, added to the built book (README.md tells how)."""
