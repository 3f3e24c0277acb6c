# make book   set everything up and build the site          make test   set everything up and pass every test
# Windows: README.md has the same steps as plain commands.
PYTHON ?= python3
BIN = .venv/bin
SITE = _build/html
PORT ?= 8000
# Chapters and tests run side by side, one a core: threads for their small matrices would only wait for one another.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: book live site test test-fast test-versions homework serve lint bench lock clean

book: .venv/installed
	$(BIN)/jupyter-book build . -W --keep-going -n
	@echo
	@echo "The book: $(CURDIR)/$(SITE)/index.html (a double-click opens it; make serve shows it at http://127.0.0.1:$(PORT)/)"

# Adds live notebooks to the built book: Python in the reader's browser. What it downloads is kept outside the project.
live: .venv/installed
	$(BIN)/python -m live

# All that is published: the book, and live notebooks of its chapters and of the homework, as it was made last.
site: book $(if $(wildcard homework),dist/homework)
	@$(MAKE) live

dist/homework:
	@$(MAKE) homework

test: site .venv-grading/installed
	$(BIN)/python scripts/browser.py
	$(BIN)/python scripts/pyodide_versions.py tests/test_explorer.py tests/test_figures.py tests/test_symbolic.py tests/chapters/test_07.py
	.venv-grading/bin/python scripts/sandbox.py
	$(BIN)/python -m pytest -n auto --dist loadscope
	.venv-grading/bin/python -m pytest grading/tests -n 2

test-fast: .venv/installed
	$(BIN)/python -m pytest -n auto --dist loadscope -q -m "not book and not live"

# All unit tests and the code of every chapter with the versions that live notebooks have.
test-versions: .venv/installed
	$(BIN)/python scripts/pyodide_versions.py

# Everything for a class and its teacher into dist/homework; with HOMEWORK=DIR the masters, with SEED_FILE=PATH the secret.
homework: .venv-grading/installed
	.venv-grading/bin/python -m grading build $(if $(HOMEWORK),--homework "$(HOMEWORK)") $(if $(SEED_FILE),--seed-file "$(SEED_FILE)")

serve: .venv/installed
	@echo "http://127.0.0.1:$(PORT)/  (Ctrl-C ends it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(SITE) $(PORT)

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed .venv-grading/installed
	$(BIN)/python -m pytest benchmarks -q

# Locks for every platform and Python from 3.11 on; commit what changes.
lock: .venv/installed
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header requirements-bootstrap.in -o requirements-bootstrap.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header pyproject.toml requirements.in -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header -c requirements.txt pyproject.toml requirements-grading.in -o requirements-grading.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header live/requirements.in -o live/requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header --no-deps live/wheels.in -o live/wheels.txt
	$(BIN)/npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved
	$(BIN)/npm install --prefix live --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved

clean:
	rm -rf _build dist

.venv/installed: requirements.txt requirements-bootstrap.txt pyproject.toml package-lock.json scripts/install.py
	$(PYTHON) scripts/install.py

.venv-grading/installed: requirements-grading.txt requirements-bootstrap.txt pyproject.toml scripts/install.py
	$(PYTHON) scripts/install.py grading
