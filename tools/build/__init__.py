"""Compiles gpuarray's three libraries with ninja; docs/building.md is its manual.

settings.py reads the environment, toolchain.py finds compilers, manifest.py writes ninja files,
components.py says which source becomes which library, native.py runs it all and puts the libraries
beside the Python files, headers.py collects what programs are made of at run time, report.py tells
what was built. Importing them needs the standard library alone, so that a missing tool can be named in
one sentence.
"""
