#!/usr/bin/env bash
# Runs the array API standard's own test suite against gpuarray: tools/array_api.sh CHECKOUT [pytest arguments]
#
# CHECKOUT is a clone of github.com/data-apis/array-api-tests with its submodule; the suite needs pytest, hypothesis, ndindex and
# pytest-json-report, and runs in parallel where pytest-xdist is there. The device is the default one: GPUARRAY_DEVICE=cpu
# or cuda:0 chooses. Expected to fail are only the cases of tools/array_api_differences.txt, and on a GPU those of
# tools/array_api_differences_cuda.txt.
set -euo pipefail
[ $# -ge 1 ] || { sed -n 2,7p "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
checkout=$(cd "$1" && pwd)
shift

export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
export ARRAY_API_TESTS_MODULE=gpuarray ARRAY_API_TESTS_VERSION=2025.12
python=${PYTHON:-python3}
lists=("$root/tools/array_api_differences.txt")
device=$("$python" -c "import gpuarray; print(gpuarray.default_device())")
[ "$device" = cpu ] || lists+=("$root/tools/array_api_differences_cuda.txt")
expected=$(mktemp)
trap 'rm -f "$expected"' EXIT
cat "${lists[@]}" >"$expected"
cd "$checkout"
"$python" -m pytest -q -p no:cacheprovider --disable-deadline --xfails-file="$expected" array_api_tests "$@"
