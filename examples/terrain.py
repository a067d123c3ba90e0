"""Terrain analysis of real elevation data, on whatever device there is.

Reads the digital elevation model of the Jacksboro fault (Tennessee) that ships inside matplotlib, derives slope,
aspect, hillshade and a smoothed surface, prints statistics, compares everything with NumPy, and writes a picture.

    python examples/terrain.py [--device cuda:0|cpu] [--out terrain.png]

The functions below take the array module as their first argument: the same lines run under NumPy and under gpuarray.
"""

import argparse
import sys
import time

import numpy as np

import gpuarray

METRES_PER_DEGREE = 111_320.0  # of latitude; of longitude times cos(latitude)


def load():
    """Return elevation (float64, metres, row 0 in the north) and the cell's height and width in metres."""
    from matplotlib import cbook

    with cbook.get_sample_data("jacksboro_fault_dem.npz") as dem:
        elevation = dem["elevation"].astype(np.float64)
        latitude = np.radians((float(dem["ymin"]) + float(dem["ymax"])) / 2)
        dy = float(dem["dy"]) * METRES_PER_DEGREE
        dx = float(dem["dx"]) * METRES_PER_DEGREE * float(np.cos(latitude))
    return elevation, dy, dx


def derivative(xp, z, spacing, axis):
    """Central differences inside, one-sided ones at the border: shape and dtype of z."""
    z = xp.moveaxis(z, axis, 0)
    result = xp.empty_like(z)
    result[1:-1] = (z[2:] - z[:-2]) / (2 * spacing)
    result[0] = (z[1] - z[0]) / spacing
    result[-1] = (z[-1] - z[-2]) / spacing
    return xp.moveaxis(result, 0, axis)


def slope_and_aspect(xp, z, dy, dx):
    """Steepness and downhill compass direction of each cell, both in radians."""
    north, east = -derivative(xp, z, dy, 0), derivative(xp, z, dx, 1)
    slope = xp.arctan(xp.hypot(north, east))
    aspect = xp.arctan2(-east, -north) % (2 * np.pi)
    return slope, aspect


def hillshade(xp, slope, aspect, azimuth=315.0, altitude=45.0):
    """Brightness in [0, 1] of a Lambertian surface lit from `azimuth` (degrees from north) and `altitude`."""
    azimuth, altitude = np.radians(azimuth), np.radians(altitude)
    light = np.sin(altitude) * xp.cos(slope) + np.cos(altitude) * xp.sin(slope) * xp.cos(
        azimuth - aspect
    )
    return xp.maximum(light, 0.0)


def smooth(xp, z, sigma=3.0):
    """Gaussian blur with edges repeated: two sums of shifted views, rows first."""
    radius = int(3 * sigma)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    weights = (weights / weights.sum()).tolist()
    for axis in (0, 1):
        z = xp.moveaxis(z, axis, 0)
        n = z.shape[0]
        first, last = (
            xp.broadcast_to(z[:1], (radius, *z.shape[1:])),
            xp.broadcast_to(z[-1:], (radius, *z.shape[1:])),
        )
        padded = xp.concatenate([first, z, last])
        total = xp.zeros_like(z)
        for k, weight in enumerate(weights):
            total += weight * padded[k : k + n]
        z = xp.moveaxis(total, 0, axis)
    return z


def analyse(xp, z, dy, dx):
    """All derived surfaces and statistics of an elevation array, as a dict of arrays of the module xp."""
    slope, aspect = slope_and_aspect(xp, z, dy, dx)
    smoothed = smooth(xp, z)
    relief = z - smoothed
    steep = slope > np.radians(15.0)
    return {
        "slope": slope,
        "aspect": aspect,
        "hillshade": hillshade(xp, slope, aspect),
        "smoothed": smoothed,
        "mean elevation (m)": z.mean(),
        "highest (m)": z.max(),
        "lowest (m)": z.min(),
        "row of the highest cell": z.argmax() // z.shape[1],
        "column of the highest cell": z.argmax() % z.shape[1],
        "mean slope (degrees)": xp.degrees(slope).mean(),
        "steep cells (%)": 100.0 * steep.mean(),
        "mean elevation of steep cells (m)": z.sum(where=steep) / steep.sum(),
        "roughness (m)": xp.sqrt((relief * relief).mean()),
        "highest of each tenth column (m)": z[:, ::10].max(axis=0),
    }


def worst_difference(ours, reference):
    """Largest difference relative to the magnitude of NumPy's result, over all entries."""
    worst = 0.0
    for name, expected in reference.items():
        got = gpuarray.asnumpy(ours[name])
        scale = np.abs(expected).max() or 1.0
        worst = max(worst, float(np.abs(got - expected).max() / scale))
    return worst


def draw(result, elevation, path):
    """Write the picture: elevation over hillshade, slope, aspect, and what smoothing took away."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shade = gpuarray.asnumpy(result["hillshade"])
    panels = [
        ("Elevation (m)", elevation, "terrain"),
        ("Slope (degrees)", np.degrees(gpuarray.asnumpy(result["slope"])), "magma"),
        ("Aspect (degrees from north)", np.degrees(gpuarray.asnumpy(result["aspect"])), "twilight"),
        ("Elevation - smoothed (m)", elevation - gpuarray.asnumpy(result["smoothed"]), "RdBu_r"),
    ]
    figure, axes = plt.subplots(2, 2, figsize=(12, 10), layout="constrained")
    for axis, (title, values, colours) in zip(axes.flat, panels, strict=True):
        axis.imshow(shade, cmap="gray", vmin=0, vmax=1)
        image = axis.imshow(values, cmap=colours, alpha=0.65)
        axis.set_title(title)
        axis.set_xticks([])
        axis.set_yticks([])
        figure.colorbar(image, ax=axis, shrink=0.8)
    figure.suptitle("Jacksboro fault, Tennessee")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(argv=None):
    """Run the analysis; return 0 if gpuarray and NumPy agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--device", default=None, help="cpu or cuda:N; default: a GPU if there is one"
    )
    parser.add_argument("--out", default="terrain.png", help="the picture to write")
    options = parser.parse_args(argv)

    elevation, dy, dx = load()
    z = gpuarray.asarray(elevation, device=options.device)
    analyse(gpuarray, z, dy, dx)  # the first call starts the device
    start = time.perf_counter()
    result = analyse(gpuarray, z, dy, dx)
    result["hillshade"].sum().item()  # waits for the device
    ours = time.perf_counter() - start
    start = time.perf_counter()
    reference = analyse(np, elevation, dy, dx)
    theirs = time.perf_counter() - start

    print(
        f"{elevation.shape[0]} x {elevation.shape[1]} cells of {dy:.0f} m x {dx:.0f} m on {z.device}"
    )
    for name, value in result.items():
        if value.ndim == 0:
            print(f"  {name:36s} {float(value):12.4f}")
    difference = worst_difference(result, reference)
    print(
        f"gpuarray {1e3 * ours:.1f} ms, NumPy {1e3 * theirs:.1f} ms; largest relative difference {difference:.1e}"
    )
    draw(result, elevation, options.out)
    print(f"wrote {options.out}")
    return 0 if difference < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
