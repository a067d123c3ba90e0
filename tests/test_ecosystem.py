"""scikit-learn and SciPy on device arrays, through the array API standard: results are ours, on the arrays' device.

What NumPy arrays give is the measure. matplotlib, PIL and pandas take device arrays by NumPy's protocols.
"""

import numpy as np
import pytest

import gpuarray

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(100, 6)).astype("f4")
LABELS = (X[:, 0] + 0.3 * X[:, 1] > 0).astype("i4")
TARGET = X @ np.arange(6, dtype="f4") + 1


def same(function, *arrays, device, rtol=1e-3, atol=1e-4):
    """Run with device arrays and with NumPy's, and compare; results that are arrays must lie on the device."""
    ours = as_tuple(function(*(gpuarray.asarray(each, device=device) for each in arrays)))
    theirs = as_tuple(function(*arrays))
    for mine, other in zip(ours, theirs, strict=True):
        if isinstance(other, np.ndarray):
            assert isinstance(mine, gpuarray.ndarray) and mine.device == device
            assert mine.dtype == other.dtype and mine.shape == other.shape
        value = gpuarray.asnumpy(mine)
        np.testing.assert_allclose(value, np.asarray(other), rtol=rtol, atol=atol)


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


# ---- scikit-learn ----


@pytest.fixture
def sklearn():
    sklearn = pytest.importorskip("sklearn")
    pytest.importorskip("array_api_compat")
    with sklearn.config_context(array_api_dispatch=True):
        yield sklearn


SCALERS = "StandardScaler MinMaxScaler MaxAbsScaler Normalizer Binarizer"


@pytest.mark.parametrize("name", SCALERS.split())
def test_scalers(sklearn, device, name):
    from sklearn import preprocessing

    scaler = getattr(preprocessing, name)
    same(lambda x: scaler().fit_transform(x), X, device=device)
    if hasattr(scaler, "inverse_transform"):
        model = scaler()
        same(lambda x: model.inverse_transform(model.fit_transform(x)), X, device=device)


@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "randomized"])
def test_pca(sklearn, device, solver):
    from sklearn.decomposition import PCA

    def fit(x):
        # NumPy alone has the normalizer by LU, so that both get the same one.
        model = PCA(3, svd_solver=solver, random_state=0, power_iteration_normalizer="QR")
        return abs(model.fit_transform(x)), model.explained_variance_

    same(fit, X, device=device)


def test_ridge(sklearn, device):
    from sklearn.linear_model import Ridge, RidgeClassifier

    def fit(x, target, labels):
        model = Ridge(solver="svd").fit(x, target)
        classes = RidgeClassifier(solver="svd").fit(x, labels).predict(x)
        return model.coef_, model.predict(x), classes

    same(fit, X, TARGET, LABELS, device=device)


def test_discriminant_analysis(sklearn, device):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    def fit(x, labels):
        model = LinearDiscriminantAnalysis().fit(x, labels)
        return model.predict(x), abs(model.transform(x)), model.predict_proba(x)

    same(fit, X, LABELS, device=device)


def test_splitting(sklearn, device):
    from sklearn.model_selection import train_test_split

    same(lambda x, y: tuple(train_test_split(x, y, random_state=0)), X, LABELS, device=device)


METRICS = {
    "accuracy_score": (LABELS, 1 - LABELS[::-1]),
    "zero_one_loss": (LABELS, 1 - LABELS[::-1]),
    "f1_score": (LABELS, 1 - LABELS[::-1]),
    "r2_score": (TARGET, TARGET + 1),
    "mean_squared_error": (TARGET, TARGET + 1),
    "mean_absolute_error": (TARGET, TARGET + 1),
}


@pytest.mark.parametrize("name", METRICS)
def test_metrics(sklearn, device, name):
    from sklearn import metrics

    same(lambda *pair: getattr(metrics, name)(*pair), *METRICS[name], device=device)


@pytest.mark.parametrize("name", ["cosine_similarity", "euclidean_distances", "rbf_kernel"])
def test_pairwise(sklearn, device, name):
    from sklearn.metrics import pairwise

    same(lambda x: getattr(pairwise, name)(x), X, device=device)


def test_nothing_goes_to_the_host(sklearn, device):
    from sklearn.preprocessing import StandardScaler

    x = gpuarray.asarray(X)
    with gpuarray.transfer_guard("error", cpu=True):
        StandardScaler().fit_transform(x)


# ---- SciPy ----


@pytest.fixture
def scipy():
    scipy = pytest.importorskip("scipy")
    pytest.importorskip("scipy.special")
    return scipy


POSITIVE = abs(X) / 9 + np.float32(0.01)


@pytest.mark.parametrize(
    "name", "erf erfc expit logit ndtr log_ndtr i0 i1 gammaln digamma entr".split()
)
def test_special(scipy, device, name):
    same(getattr(scipy.special, name), POSITIVE, device=device)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_special_along_an_axis(scipy, device, name):
    same(lambda x: getattr(scipy.special, name)(x, axis=1), X, device=device)


STATISTICS = {
    "describe": lambda stats, x: tuple(stats.describe(x))[2:],
    "zscore": lambda stats, x: stats.zscore(x),
    "skew": lambda stats, x: stats.skew(x),
    "kurtosis": lambda stats, x: stats.kurtosis(x),
    "moment": lambda stats, x: stats.moment(x, 2),
    "gmean": lambda stats, x: stats.gmean(abs(x)),
    "entropy": lambda stats, x: stats.entropy(abs(x)),
    "variation": lambda stats, x: stats.variation(x),
    "sem": lambda stats, x: stats.sem(x),
    "ttest_ind": lambda stats, x: tuple(stats.ttest_ind(x[:50], x[50:])),
    "rankdata": lambda stats, x: stats.rankdata(x, axis=0),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics(scipy, device, name):
    stats = pytest.importorskip("scipy.stats")
    same(lambda x: STATISTICS[name](stats, x), X, device=device)


CLUSTERS = {
    "whiten": lambda vq, x: vq.whiten(x),
    "vq": lambda vq, x: vq.vq(x, x[:4]),
    "kmeans": lambda vq, x: vq.kmeans(x, x[:4]),
    "kmeans2": lambda vq, x: vq.kmeans2(x, x[:4], minit="matrix"),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_clusters(scipy, device, name):
    vq = pytest.importorskip("scipy.cluster.vq")
    same(lambda x: CLUSTERS[name](vq, x), X, device=device)


SIGNALS = {
    "convolve": lambda signal, x: signal.convolve(x[:, 0], x[:, 1]),
    "fftconvolve": lambda signal, x: signal.fftconvolve(x[:, 0], x[:, 1]),
    "detrend": lambda signal, x: signal.detrend(x, axis=0),
    "hilbert": lambda signal, x: signal.hilbert(x[:, 0]),
    "resample": lambda signal, x: signal.resample(x[:, 0], 50),
    "savgol_filter": lambda signal, x: signal.savgol_filter(x[:, 0], 5, 2),
    "lfilter": lambda signal, x: signal.lfilter(x[:3, 0], x[:3, 1], x[:, 2]),
    "hann": lambda signal, x: x[:8, 0] * signal.windows.hann(8, xp=x.__array_namespace__()),
}


@pytest.mark.parametrize("name", SIGNALS)
def test_signals(scipy, device, name):
    signal = pytest.importorskip("scipy.signal")
    same(lambda x: SIGNALS[name](signal, x), X, device=device)


def test_transforms_and_integrals(scipy, device):
    fft, integrate = pytest.importorskip("scipy.fft"), pytest.importorskip("scipy.integrate")
    same(lambda x: (abs(fft.fft(x, axis=0)), fft.rfft(x, axis=1).real), X, device=device)
    same(lambda x: integrate.trapezoid(x, axis=0), X, device=device)


# ---- By NumPy's protocols ----


def test_pandas(device):
    pandas = pytest.importorskip("pandas")
    x = gpuarray.asarray(X[:5, :2])
    frame = pandas.DataFrame(np.asarray(x), columns=["a", "b"])
    assert frame["a"].tolist() == pandas.Series(x[:, 0]).tolist() == X[:5, 0].tolist()
    assert gpuarray.asarray(frame["b"]).tolist() == X[:5, 1].tolist()


def test_images(device):
    image = pytest.importorskip("PIL.Image")
    pixels = np.arange(48, dtype="u1").reshape(4, 4, 3)
    picture = image.fromarray(np.asarray(gpuarray.asarray(pixels)))
    assert gpuarray.asarray(picture).tolist() == pixels.tolist()


def test_plots(device):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    figure, axes = pyplot.subplots()
    try:
        axes.plot(gpuarray.asarray(X[:, 0]), gpuarray.asarray(X[:, 1]))
        axes.imshow(gpuarray.asarray(X))
        counts, _, _ = axes.hist(gpuarray.asarray(X[:, 0]))
        axes.scatter(gpuarray.asarray(X[:, 0]), X[:, 1], c=gpuarray.asarray(X[:, 2]))
        figure.canvas.draw()
    finally:
        pyplot.close(figure)
    assert float(counts.sum()) == len(X)
