#!/usr/bin/env bash
# Builds for the card of this machine and runs everything on it: main job, whole test suite, a smoke run under memcheck.
#
#   tools/gpu_check.sh [build] [main] [tests] [memcheck]      (all four without arguments)
#
# Each step has its own time limit and log in $OUT (build/gpu_check); a failed step does not stop the next. One summary line comes
# last; the exit status is 1 if a step failed. GPUARRAY_CUDA=prebuilt takes gpuarray/libga_cuda.so as it lies there.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

PYTHON=${PYTHON:-python3}
out=${OUT:-build/gpu_check}
mkdir -p "$out"
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
export GPUARRAY_TEST_DEVICES=cuda:0,cpu
summary=()
failed=0

# step NAME SECONDS COMMAND...: runs it into its log, and adds a word and its last telling line to the summary.
step() {
    local name=$1 limit=$2 began=$SECONDS code=0
    shift 2
    timeout --kill-after=20 "$limit" "$@" >"$out/$name.log" 2>&1 </dev/null || code=$?
    local word=ok
    if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
        word="over $limit s"
    elif [ "$code" -ne 0 ]; then
        word="failed($code)"
    fi
    [ "$code" -eq 0 ] || { failed=1; tail -n 40 "$out/$name.log"; }
    summary+=("$name $word $((SECONDS - began))s$(closing_line "$out/$name.log")")
}

closing_line() {
    local line
    line=$(grep -E '(passed|failed|error|no tests).* in [0-9.]+s' "$1" | tail -n 1 | tr -d '=' | xargs)
    [ -z "$line" ] || printf ' [%s]' "$line"
}

pytest_workers() {
    "$PYTHON" -c 'import xdist' 2>/dev/null && echo "-n 8"
}

run_build() {
    GPUARRAY_CUDA=${GPUARRAY_CUDA:-1} step build 560 "$PYTHON" -m tools.build
}

run_main() {
    step main 300 bash -c '"$0" -m gpuarray --json >"$1"' "$PYTHON" "$out/main.json"
}

run_tests() {
    # shellcheck disable=SC2046  # two words or none
    step tests 1200 "$PYTHON" -m pytest -q $(pytest_workers) --timeout 300 -p no:cacheprovider
}

run_memcheck() {
    if ! command -v compute-sanitizer >/dev/null; then
        summary+=("memcheck not installed here")
        return
    fi
    step memcheck 400 compute-sanitizer --tool memcheck --error-exitcode 9 --target-processes all \
        "$PYTHON" -m pytest -q -m smoke -x --timeout 300 -p no:cacheprovider
}

[ $# -gt 0 ] || set -- build main tests memcheck
for name in "$@"; do
    "run_$name"
done
printf 'gpu_check: %s' "${summary[0]}"
printf '; %s' "${summary[@]:1}"
echo
exit $failed
