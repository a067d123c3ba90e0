#!/usr/bin/env bash
# Runs the array API standard's own test suite against gpuarray: tools/array_api.sh CHECKOUT [pytest arguments]
#
# CHECKOUT is a clone of github.com/data-apis/array-api-tests with its submodule; the suite needs pytest, hypothesis, ndindex and
# pytest-json-report, and runs in parallel where pytest-xdist is there. The device is the default one: GPUARRAY_DEVICE=cpu
# or cuda:0 chooses. Expected to fail are only the cases of tools/array_api_differences.txt.
set -euo pipefail
[ $# -ge 1 ] || { sed -n 2,6p "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
checkout=$(cd "$1" && pwd)
shift

export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
export ARRAY_API_TESTS_MODULE=gpuarray ARRAY_API_TESTS_VERSION=2025.12
cd "$checkout"
exec "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider --disable-deadline \
    --xfails-file="$root/tools/array_api_differences.txt" array_api_tests "$@"
