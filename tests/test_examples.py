"""The examples run, agree with NumPy, and write what they promise."""

import importlib.util
import pathlib

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def load(name):
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_is_a_picture(path):
    from matplotlib import pyplot

    image = pyplot.imread(path)
    assert image.shape[0] > 400
    colours = np.unique((image[..., :3] * 16).astype(int).reshape(-1, 3), axis=0)
    assert len(colours) > 100  # not a blank


def test_terrain(device, tmp_path, capsys):
    picture = tmp_path / "terrain.png"
    assert load("terrain").main(["--device", str(device), "--out", str(picture)]) == 0
    assert "highest (m)" in capsys.readouterr().out
    assert_is_a_picture(picture)


def test_options(device, tmp_path, capsys):
    picture = tmp_path / "options.png"
    arguments = ["--device", str(device), "--paths", "5000", "--out", str(picture)]
    assert load("options").main(arguments) == 0
    assert "European call" in capsys.readouterr().out
    assert_is_a_picture(picture)
