"""Price options by Monte Carlo, with the volatility of real closing prices, on whatever device there is.

Reads the Google closing prices that ship inside matplotlib (2004 to 2008), estimates the yearly volatility from
their daily log returns, and simulates paths of a geometric Brownian motion to price European, Asian and barrier
calls, each with a 95 % confidence interval. The European price is compared with the Black-Scholes formula and every
number with NumPy's on the same draws; a picture shows paths and convergence.

    python examples/options.py [--device cuda:0|cpu] [--paths 200000] [--out options.png]
"""

import argparse
import math
import sys
import time

import numpy as np

import gpuarray

TRADING_DAYS = 252  # a year
RATE = 0.03  # risk-free, a year


def load():
    """Return the closing prices (float64, US dollars), oldest first."""
    from matplotlib import cbook

    with cbook.get_sample_data("goog.npz") as data:
        return data["price_data"]["close"].astype(np.float64)


def yearly_volatility(xp, close):
    """Standard deviation of the daily log returns, scaled to a year; and its standard error."""
    returns = xp.diff(xp.log(close))
    sigma = xp.std(returns, ddof=1) * math.sqrt(TRADING_DAYS)
    return float(sigma), float(sigma) / math.sqrt(2 * (returns.size - 1))


def simulate(xp, normal, spot, sigma, years):
    """Prices along each path: from normal draws of shape (steps, paths), an array of that shape."""
    dt = years / normal.shape[0]
    steps = (RATE - sigma * sigma / 2) * dt + sigma * math.sqrt(dt) * normal
    return spot * xp.exp(xp.cumsum(steps, axis=0))


def discounted_payoffs(xp, prices, strike, barrier, years):
    """Payoff of each path for each option, brought to today's value: a dict of arrays of shape (paths,)."""
    discount = math.exp(-RATE * years)
    european = xp.maximum(prices[-1] - strike, 0.0)
    return {
        "European call": discount * european,
        "Asian call": discount * xp.maximum(prices.mean(axis=0) - strike, 0.0),
        "up-and-out call": discount * xp.where(prices.max(axis=0) < barrier, european, 0.0),
    }


def estimate(xp, payoffs):
    """Price and half the width of its 95 % confidence interval, by option."""
    return {
        name: (float(values.mean()), 1.96 * float(xp.std(values, ddof=1)) / math.sqrt(values.size))
        for name, values in payoffs.items()
    }


def black_scholes(spot, strike, sigma, years):
    """The European call's price in closed form (Black and Scholes, 1973)."""
    spread = sigma * math.sqrt(years)
    d1 = (math.log(spot / strike) + (RATE + sigma * sigma / 2) * years) / spread
    cumulative = lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2)))  # noqa: E731
    return spot * cumulative(d1) - strike * math.exp(-RATE * years) * cumulative(d1 - spread)


def price(xp, close, normal, years=0.5):
    """Everything computed from the data: volatility, estimates by option, and some paths for the picture."""
    spot = float(close[-1])
    sigma, error = yearly_volatility(xp, close)
    prices = simulate(xp, normal, spot, sigma, years)
    payoffs = discounted_payoffs(xp, prices, strike=spot, barrier=1.5 * spot, years=years)
    return {
        "spot": spot,
        "sigma": sigma,
        "sigma error": error,
        "estimates": estimate(xp, payoffs),
        "formula": black_scholes(spot, spot, sigma, years),
        "paths": prices[:, :60],
        "payoffs": payoffs["European call"],
    }


def draw(result, path):
    """Write the picture: some paths, and how the European price settles as paths are added."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    payoffs = gpuarray.asnumpy(result["payoffs"])
    count = np.arange(1, payoffs.size + 1)
    running = np.cumsum(payoffs) / count
    half = 1.96 * payoffs.std() / np.sqrt(count)
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
    left.plot(gpuarray.asnumpy(result["paths"]), linewidth=0.7, alpha=0.7)
    left.axhline(result["spot"], color="black", linewidth=1)
    left.set(title="Simulated prices", xlabel="trading day", ylabel="US dollars")
    right.plot(count, running, label="Monte Carlo")
    right.fill_between(count, running - half, running + half, alpha=0.3, label="95 % interval")
    right.axhline(result["formula"], color="black", linestyle="--", label="Black-Scholes")
    right.set(title="European call", xlabel="paths", xscale="log", xlim=(100, payoffs.size))
    right.set(ylim=(0.7 * result["formula"], 1.3 * result["formula"]), ylabel="US dollars")
    right.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def largest_difference(ours, reference):
    """Largest relative difference between two results, over volatility, prices and intervals."""
    pairs = [(ours["sigma"], reference["sigma"])]
    for name, expected in reference["estimates"].items():
        pairs += zip(ours["estimates"][name], expected, strict=True)
    return max(abs(got - expected) / abs(expected) for got, expected in pairs)


def main(argv=None):
    """Price the options; return 0 if gpuarray, NumPy and the formula agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--device", default=None, help="cpu or cuda:N; default: a GPU if there is one"
    )
    parser.add_argument("--paths", type=int, default=200_000)
    parser.add_argument("--out", default="options.png", help="the picture to write")
    options = parser.parse_args(argv)

    close = load()
    normal = np.random.default_rng(7).standard_normal((TRADING_DAYS // 2, options.paths))
    device_close = gpuarray.asarray(close, device=options.device)
    device_normal = gpuarray.asarray(normal, device=options.device)
    price(gpuarray, device_close, device_normal)  # the first call starts the device
    start = time.perf_counter()
    result = price(gpuarray, device_close, device_normal)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    reference = price(np, close, normal)
    theirs = time.perf_counter() - start

    print(
        f"{close.size} closing prices, {options.paths} paths of {normal.shape[0]} days on {device_close.device}"
    )
    print(
        f"  volatility {result['sigma']:.3f} +- {result['sigma error']:.3f} a year, spot {result['spot']:.2f}"
    )
    for name, (value, half) in result["estimates"].items():
        print(f"  {name:16s} {value:8.3f} +- {half:.3f}")
    print(f"  {'Black-Scholes':16s} {result['formula']:8.3f}")
    difference = largest_difference(result, reference)
    print(
        f"gpuarray {1e3 * ours:.1f} ms, NumPy {1e3 * theirs:.1f} ms; largest relative difference {difference:.1e}"
    )
    draw(result, options.out)
    print(f"wrote {options.out}")
    value, half = result["estimates"]["European call"]
    return 0 if difference < 1e-9 and abs(value - result["formula"]) < 2 * half else 1


if __name__ == "__main__":
    sys.exit(main())
