# What people who work on gpuarray type. `make` builds in place; the rest works on what stands in the tree.
# PYTHON is the interpreter to build for; it needs NumPy and ninja, and for `make test` what the extra [test] brings.
PYTHON ?= python3
RUFF ?= $(PYTHON) -m ruff
C_SOURCES = $(wildcard csrc/*/*.[ch] csrc/core/call/*.h kernels/*.cu kernels/*.cuh kernels/*.cc kernels/*.h tests/c/*.[ch] tests/c/backends/*.c)

.PHONY: build test check layers warnings c-tests sanitize lint format bench compat gpu-check clean
.DEFAULT_GOAL := build

build:  ## the three libraries, beside the Python files
	$(PYTHON) -m tools.build

test: build  ## the whole suite
	$(PYTHON) -m pytest

check: lint layers warnings c-tests  ## all that needs no run of the package

lint:
	$(RUFF) check .

layers:
	$(PYTHON) tools/check_layers.py
	$(PYTHON) tools/check_kernels.py

warnings:  ## csrc with every warning an error
	$(PYTHON) -m tools.build warnings

c-tests:  ## the C tests of csrc/core, without Python
	$(PYTHON) -m tools.build c-tests

sanitize:  ## C tests and a part of the suite under AddressSanitizer and UBSan
	PYTHON=$(PYTHON) bash tools/sanitize.sh

format:
	clang-format -i $(C_SOURCES)
	$(RUFF) check --fix .
	$(RUFF) format .

bench:  ## this library, CuPy, PyTorch and NumPy side by side
	$(PYTHON) benchmarks/run.py

compat: build  ## docs/compat.md: which NumPy names are native
	$(PYTHON) tools/compat.py

gpu-check:  ## everything, on the card of this machine
	PYTHON=$(PYTHON) bash tools/gpu_check.sh

clean:
	rm -rf build dist *.egg-info gpuarray/*.so gpuarray/_build_info.json gpuarray/_fused_headers.cuh
