#!/usr/bin/env bash
# The C tests and a part of the Python suite under AddressSanitizer and UBSan, in a copy of the package under build/.
# Arguments go to pytest; without any, the tests marked "smoke" run.
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
compiler=${CC:-gcc}
site=build/sanitize
export GPUARRAY_SANITIZE=address,undefined
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

ASAN_OPTIONS=detect_leaks=1 "$PYTHON" -m tools.build c-tests
"$PYTHON" -m tools.build into "$site/gpuarray"

# Python itself is not instrumented: its own allocations look like leaks, and the runtimes have to be there before it starts.
export PYTHONPATH="$PWD/$site" PYTHONSAFEPATH=1 PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0
runtimes=$(for name in libasan libubsan libstdc++; do "$compiler" -print-file-name=$name.so; done | xargs)
export LD_PRELOAD="$runtimes"
"$PYTHON" -c 'import gpuarray, pathlib; assert "sanitize" in gpuarray.__file__, gpuarray.__file__'
if [ $# -eq 0 ]; then
    set -- -m smoke
fi
"$PYTHON" -m pytest -p no:cacheprovider "$@"
