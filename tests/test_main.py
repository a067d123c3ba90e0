"""The main job, ``python -m gpuarray``."""

import json
import subprocess
import sys

import pytest

import gpuarray
from gpuarray import __main__, _selfcheck, _timing


def test_every_check_agrees_with_numpy(device):
    passed, failures = _selfcheck.run(device)
    assert failures == []
    assert passed >= 100


def test_a_wrong_result_is_found(device, monkeypatch):
    def wrong(xp, v):
        return xp.zeros(3) if xp is gpuarray else xp.ones(3)

    monkeypatch.setattr(
        _selfcheck, "checks", lambda: [("wrong value", wrong), ("raises", lambda xp, v: 1 / 0)]
    )
    passed, failures = _selfcheck.run(device)
    assert passed == 0
    assert failures == [
        ("wrong value", "values differ"),
        ("raises", "ZeroDivisionError: division by zero"),
    ]


def test_quick_job_in_a_fresh_process_prints_json():
    command = [sys.executable, "-m", "gpuarray", "--quick", "--json", "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert job["checks"]["failures"] == []
    assert job["report"]["version"] == gpuarray.__version__
    assert {"cpu"} <= {d["device"] for d in job["report"]["devices"]}
    assert len(job["timings"]["rows"]) >= 10
    assert all(row["seconds"] > 0 for row in job["timings"]["rows"])


def test_text_report_and_exit_status(device, capsys, monkeypatch):
    monkeypatch.setattr(_timing, "_sizes", lambda is_gpu, quick: ((16,), 1024))
    assert __main__.main(["--quick", "--device", str(device)]) == 0
    text = capsys.readouterr().out
    assert "give NumPy's result on " + str(device) in text
    assert "a + b" in text
    monkeypatch.setattr(_selfcheck, "checks", lambda: [("never", lambda xp, v: 1 / 0)])
    assert __main__.main(["--quick", "--device", str(device)]) == 1


@pytest.mark.parametrize("name", ["cuda:99", "tpu"])
def test_a_device_that_is_not_there(name, capsys):
    assert __main__.main(["--device", name]) == 2
    assert name in capsys.readouterr().err
