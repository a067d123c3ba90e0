#!/usr/bin/env bash
# Builds for the card of this machine and runs everything on it: main job, whole test suite, smoke runs under the tools of
# compute-sanitizer, short benchmarks.
#
#   tools/gpu_check.sh [build] [main] [tests] [sanitizers] [benchmarks]      (all without arguments)
#
# Each step has its own time limit and log in $OUT (build/gpu_check); a failed step does not stop the next. One summary line comes
# last; the exit status is 1 if a step failed. GPUARRAY_CUDA=prebuilt takes gpuarray/libga_cuda.so as it lies there. $TOOLS names the
# sanitizer's tools; they run side by side, each in several processes, since one process does its tests one after the other.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

PYTHON=${PYTHON:-python3}
TOOLS=${TOOLS:-memcheck racecheck initcheck}
out=${OUT:-build/gpu_check}
mkdir -p "$out"
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
export GPUARRAY_TEST_DEVICES=${GPUARRAY_TEST_DEVICES:-cuda:0} # what the CPU device does, .ci/run has seen
summary=()
failed=0

# start NAME SECONDS COMMAND...: runs it into the log of that name; its exit status is the command's, 124 or 137 over the limit.
start() {
    local name=$1 limit=$2
    shift 2
    timeout --kill-after=20 "$limit" "$@" >"$out/$name.log" 2>&1 </dev/null
}

# report NAME SECONDS BEGAN CODE LOG...: adds a word, the time and the numbers of tests to the summary.
report() {
    local name=$1 limit=$2 began=$3 code=$4 word=ok
    shift 4
    if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
        word="over $limit s"
    elif [ "$code" -ne 0 ]; then
        word="failed($code)"
    fi
    [ "$code" -eq 0 ] || { failed=1; tail -n 40 "$@"; }
    summary+=("$name $word $((SECONDS - began))s$(count_tests "$@")")
}

# The numbers in pytest's last lines, added up over logs: " [12 passed, 1 failed]".
count_tests() {
    grep -hE '(passed|failed|error).* in [0-9.]+s' "$@" | grep -oE '[0-9]+ (passed|failed|errors?|skipped)' |
        awk '{sum[$2] += $1}
             END {for (word in sum) {text = text (text ? ", " : "") sum[word] " " word}; if (text) printf " [%s]", text}'
}

step() {
    local name=$1 limit=$2 began=$SECONDS code=0
    start "$@" || code=$?
    report "$name" "$limit" "$began" "$code" "$out/$name.log"
}

# Processes a tool gets, in sixteenths of the cores: as long as each takes for the same tests.
declare -A share=([memcheck]=4 [racecheck]=7 [initcheck]=5)

shards_of() {
    echo $((($(nproc) * ${share[$1]} + 15) / 16))
}

# The tools keep the Python frames that they walk through for their reports, and so the arrays in them: the leak fixture is off.
# Without the free lists each array is a block of its own: reads behind its end, and of what nobody wrote, show.
start_tool() {
    local tool=$1 limit=$2 shard count
    count=$(shards_of "$tool")
    for ((shard = 0; shard < count; shard++)); do
        GPUARRAY_TEST_DEVICES=cuda:0 GPUARRAY_TEST_LEAKS=0 GPUARRAY_POOL=${GPUARRAY_POOL:-0} start "$tool.$shard" "$limit" \
            compute-sanitizer --tool "$tool" --error-exitcode 9 --target-processes all \
            "$PYTHON" -m pytest -q -m smoke --shard "$shard/$count" -x --timeout 300 -p no:cacheprovider &
        pids[$tool.$shard]=$!
    done
}

finish_tool() {
    local tool=$1 limit=$2 began=$3 code=0 shard count logs=()
    count=$(shards_of "$tool")
    for ((shard = 0; shard < count; shard++)); do
        wait "${pids[$tool.$shard]}" || code=$?
        logs+=("$out/$tool.$shard.log")
    done
    report "$tool" "$limit" "$began" "$code" "${logs[@]}"
}

run_sanitizers() {
    local limit=240 began=$SECONDS tool
    local -A pids=()
    if ! command -v compute-sanitizer >/dev/null; then
        summary+=("compute-sanitizer not installed here")
        return
    fi
    for tool in $TOOLS; do
        start_tool "$tool" "$limit"
    done
    for tool in $TOOLS; do
        finish_tool "$tool" "$limit" "$began"
    done
}

pytest_workers() {
    "$PYTHON" -c 'import xdist' 2>/dev/null && echo "-n $(nproc)"
}

run_build() {
    GPUARRAY_CUDA=${GPUARRAY_CUDA:-1} step build 560 "$PYTHON" -m tools.build
}

run_main() {
    step main 120 bash -c '"$0" -m gpuarray --json >"$1"' "$PYTHON" "$out/main.json"
}

run_tests() {
    # shellcheck disable=SC2046  # two words or none
    step tests 300 "$PYTHON" -m pytest -q $(pytest_workers) --timeout 300 -p no:cacheprovider
}

run_benchmarks() {
    # without the names of submodules, whose first calls take CuPy minutes
    step benchmarks 240 "$PYTHON" benchmarks/run.py --quick --libraries gpuarray,cupy,torch --results "$out" \
        --kinds latency,bandwidth,fused,functions,random,linalg,workloads,transfers,products
}

[ $# -gt 0 ] || set -- build main tests sanitizers benchmarks
for name in "$@"; do
    "run_$name"
done
printf 'gpu_check: %s' "${summary[0]}"
printf '; %s' "${summary[@]:1}"
echo
exit $failed
