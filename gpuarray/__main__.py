"""``python -m gpuarray``: what is installed, whether it computes what NumPy computes, and how fast.

Exit status 0 if every check agrees with NumPy, 1 otherwise, 2 for a device that is not there.
"""

import argparse
import json
import sys
import time


def _parse(argv):
    parser = argparse.ArgumentParser(prog="python -m gpuarray", description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="cpu or cuda:N; default: a GPU if there is one, else cpu")
    parser.add_argument("--quick", action="store_true", help="small arrays: ends within seconds")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return parser.parse_args(argv)


class _Progress:
    """A line on stderr that is overwritten, where stderr is a terminal; nothing elsewhere."""

    def __init__(self):
        self.active = sys.stderr.isatty()

    def __call__(self, text):
        if self.active:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def clear(self):
        self("")


def _print_report(report):
    print(f"gpuarray {report['version']}, NumPy {report['numpy']}, Python {report['python']}")
    for device in report["devices"]:
        print(
            f"  {device['device']:8s} {device['name']}, {device['total_memory'] / 2**30:.1f} GiB memory"
        )
    if report["driver"]:
        print(f"  CUDA     driver {report['driver']}, runtime {report['runtime']}")
    if report["cuda_reason"]:
        print(f"  no CUDA  {report['cuda_reason']}")
    for library, state in report["libraries"].items():
        print(f"  {library:8s} {state}")


def _print_checks(checks):
    print(
        f"\n{checks['passed']} of {checks['total']} calls give NumPy's result on {checks['device']} "
        f"({checks['seconds']:.1f} s)"
    )
    for failure in checks["failures"]:
        print(f"  FAILED {failure['name']}: {failure['reason']}")


def _print_timings(timings):
    print(
        f"\nTimes on {timings['device']}, float32; a copy moves {timings['copy_bandwidth'] / 1e9:.1f} GB/s"
    )
    print(f"{'':24s}{'time':>10s}{'NumPy':>11s}{'speed-up':>10s}{'rate':>16s}{'of copy':>9s}")
    for row in timings["rows"]:
        rate = (
            f"{row['gflops']:.0f} GFLOP/s"
            if row["gflops"]
            else f"{row['bandwidth'] / 1e9:.1f} GB/s"
        )
        percent = f"{row['percent']:.0f} %" if row["percent"] else ""
        about = "~" if row["numpy_extrapolated"] else ""
        print(
            f"{row['name']:24s}{_duration(row['seconds']):>10s}{about + _duration(row['numpy_seconds']):>11s}"
            f"{row['speedup']:>9.1f}x{rate:>16s}{percent:>9s}"
        )


def _duration(seconds):
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _check(device, progress):
    from . import _selfcheck

    start = time.perf_counter()
    passed, failures = _selfcheck.run(
        device, lambda done, total, name: progress(f"check {done + 1}/{total}: {name}")
    )
    return {
        "device": str(device),
        "passed": passed,
        "total": passed + len(failures),
        "seconds": time.perf_counter() - start,
        "failures": [{"name": name, "reason": reason} for name, reason in failures],
    }


def _time(device, quick, progress):
    from . import _timing

    rows, copy_bandwidth = _timing.run(device, quick, lambda name: progress(f"timing {name}"))
    return {"device": str(device), "copy_bandwidth": copy_bandwidth, "rows": rows}


def main(argv=None):
    """Run the report, the checks and the timings; return the exit status."""
    import gpuarray

    options = _parse(argv)
    progress = _Progress()
    progress("starting")
    try:
        device = gpuarray.empty(0, device=options.device).device
    except (ValueError, RuntimeError) as error:
        progress.clear()
        print(f"cannot use device {options.device!r}: {error}", file=sys.stderr)
        return 2
    report = gpuarray._config.describe()
    show = not options.json
    progress.clear()
    if show:
        _print_report(report)
    checks = _check(device, progress)
    progress.clear()
    if show:
        _print_checks(checks)
    timings = _time(device, options.quick, progress)
    progress.clear()
    if show:
        _print_timings(timings)
    else:
        print(json.dumps({"report": report, "checks": checks, "timings": timings}, indent=2))
    return 1 if checks["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
