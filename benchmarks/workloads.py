"""Whole computations in plain NumPy, for any library that takes it: what notebooks and scripts do.

The size of the inputs is the size of the work; cases/workloads.txt says which input each gets.
"""


def mandelbrot(xp, plane):
    """Steps until each point of the complex plane leaves the circle, at most 30."""
    z, steps = xp.zeros_like(plane), xp.zeros(plane.shape, dtype=xp.int32)
    for _ in range(30):
        inside = abs(z) <= 2
        z = xp.where(inside, z * z + plane, z)
        steps += inside
    return steps


def heat(xp, field):
    """Twenty explicit steps of the heat equation on a grid with fixed borders."""
    t = field.copy()
    for _ in range(20):
        around = t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:]
        t[1:-1, 1:-1] += 0.1 * (around - 4 * t[1:-1, 1:-1])
    return t


def n_body(xp, bodies):
    """Accelerations of bodies that attract one another, all pairs; columns are x, y, z, mass."""
    position, mass = bodies[:, :3], bodies[:, 3]
    apart = position[None, :, :] - position[:, None, :]
    square = (apart * apart).sum(axis=2) + 1e-3
    return ((mass[None, :] / (square * xp.sqrt(square)))[:, :, None] * apart).sum(axis=1)


def k_means(xp, points):
    """Ten rounds of Lloyd's algorithm for 16 centres."""
    centres = points[:16].copy()
    for _ in range(10):
        near = ((points * points).sum(axis=1)[:, None] - 2 * points @ centres.T) + (
            centres * centres
        ).sum(axis=1)
        member = (xp.argmin(near, axis=1)[:, None] == xp.arange(16)).astype(points.dtype)
        centres = (member.T @ points) / xp.maximum(member.sum(axis=0), 1)[:, None]
    return centres


def monte_carlo(xp, x):
    """Payoffs of a call option, an outcome an element."""
    draws = xp.random.default_rng(1).standard_normal(x.size, dtype=xp.float32)
    final = 100 * xp.exp(0.02 + 0.2 * draws)
    return xp.maximum(final - 105, 0)


def normal_cdf(xp, x):
    """By the polynomial 26.2.17 of Abramowitz and Stegun."""
    t = 1 / (1 + 0.2316419 * xp.abs(x))
    tail = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    below = xp.exp(-0.5 * x * x) * 0.3989422804 * tail
    return xp.where(x > 0, 1 - below, below)


def black_scholes(xp, x, y):
    """Prices of call options, an option an element."""
    price, strike, rate, spread = 50 + 100 * x, 50 + 100 * y, 0.02, 0.3
    d1 = (xp.log(price / strike) + (rate + spread * spread / 2)) / spread
    return price * normal_cdf(xp, d1) - strike * 0.9802 * normal_cdf(xp, d1 - spread)


def image_edges(xp, image):
    """Grey, smoothed by three, Sobel's magnitude, the strongest tenth."""
    grey = image @ xp.asarray([0.299, 0.587, 0.114], dtype=xp.float32)
    smooth = (grey[:, :-2] + 2 * grey[:, 1:-1] + grey[:, 2:]) * 0.25
    smooth = (smooth[:-2] + 2 * smooth[1:-1] + smooth[2:]) * 0.25
    across = smooth[:, 2:] - smooth[:, :-2]
    down = smooth[2:] - smooth[:-2]
    size = xp.hypot(across[1:-1], down[:, 1:-1])
    return size > 0.6 * size.max()


def game_of_life(xp, image):
    """Ten generations on a torus."""
    alive = (image[:, :, 0] > 0.6).astype(xp.int8)
    for _ in range(10):
        rows = alive + xp.roll(alive, 1, 0) + xp.roll(alive, -1, 0)
        near = rows + xp.roll(rows, 1, 1) + xp.roll(rows, -1, 1) - alive
        alive = ((near == 3) | ((alive == 1) & (near == 2))).astype(xp.int8)
    return alive


def gaussian_process(xp, line):
    """Mean of a Gaussian process with a squared exponential kernel, at points between those given."""
    apart = line[:, None] - line[None, :]
    kernel = xp.exp(-50 * apart * apart) + 0.1 * xp.eye(line.size)
    weights = xp.linalg.solve(kernel, xp.sin(6 * line))
    away = (line + 0.01)[:, None] - line[None, :]
    return xp.exp(-50 * away * away) @ weights


def logistic_regression(xp, points):
    """Fifty steps of gradient descent."""
    target = (points[:, 0] + points[:, 1] > 1).astype(points.dtype)
    weights = xp.zeros(points.shape[1], dtype=points.dtype)
    for _ in range(50):
        likely = 1 / (1 + xp.exp(-(points @ weights)))
        weights = weights - 0.5 * (points.T @ (likely - target)) / len(points)
    return weights


def small_steps(xp, a, b):
    """Two hundred steps on a hundred elements: what a call costs."""
    for _ in range(200):
        a = a * 0.99 + b * 0.01
    return a


def fft_filter(xp, q):
    """A picture without its high frequencies."""
    rows, columns = xp.fft.fftfreq(q.shape[0])[:, None], xp.fft.rfftfreq(q.shape[1])[None, :]
    return xp.fft.irfft2(xp.fft.rfft2(q) * (rows * rows + columns * columns < 0.01), s=q.shape)
