"""Functions composed in Python, a line a call: each gives what NumPy gives, on every device.

The table is read by two tests: one passes arrays of the device, the other calls NumPy's own function with them, which
must come back to ours.
"""

import operator

import numpy as np
import pytest
from oracle import check

import gpuarray

I3 = np.arange(24).reshape(2, 3, 4)
F2 = np.array([[1.5, -0.0, np.nan], [np.inf, -2.5, 1e-3]])
F32 = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
ROW = np.array([3, 1, 2])
BOOLS = np.array([[True, False, True], [False, False, True]])
CPLX = np.array([1 + 2j, -3.5j, np.nan + 1j, 2.0])
FORTRAN = np.asfortranarray(np.arange(6.0).reshape(2, 3))
SQUARE = np.arange(9.0).reshape(3, 3)
EMPTY = np.zeros((0, 3))
DAYS = np.array(["2024-01-02", "NaT", "2023-05-06"], "M8[D]")
BYTES = np.array([1, 200, 255], np.uint8)

SHAPES = [
    ("reshape", lambda xp, a: xp.reshape(a, (4, 6)), I3),
    ("reshape F", lambda xp, a: xp.reshape(a, (4, -1), order="F"), I3),
    ("reshape misfit", lambda xp, a: xp.reshape(a, (5, 5)), I3),
    ("ravel", lambda xp, a: xp.ravel(a), I3),
    ("ravel F", lambda xp, a: xp.ravel(a, "F"), I3),
    ("ravel K", lambda xp, a: xp.ravel(a.T, "K"), I3),
    ("transpose", lambda xp, a: xp.transpose(a), I3),
    ("transpose axes", lambda xp, a: xp.transpose(a, (1, -1, 0)), I3),
    ("transpose repeated", lambda xp, a: xp.transpose(a, (0, 0, 1)), I3),
    ("permute_dims", lambda xp, a: xp.permute_dims(a, (2, 0, 1)), I3),
    ("matrix_transpose", lambda xp, a: xp.matrix_transpose(a), I3),
    ("matrix_transpose of a vector", lambda xp, a: xp.matrix_transpose(a), ROW),
    ("swapaxes", lambda xp, a: xp.swapaxes(a, 0, -1), I3),
    ("squeeze", lambda xp, a: xp.squeeze(a[:1, :, None]), I3),
    ("squeeze axis", lambda xp, a: xp.squeeze(a[:1, :, None], axis=0), I3),
    ("squeeze of a long axis", lambda xp, a: xp.squeeze(a, axis=0), I3),
    ("expand_dims", lambda xp, a: xp.expand_dims(a, (0, -1)), I3),
    ("expand_dims out of range", lambda xp, a: xp.expand_dims(a, 7), I3),
    ("moveaxis", lambda xp, a: xp.moveaxis(a, 0, -1), I3),
    ("moveaxis of several", lambda xp, a: xp.moveaxis(a, [0, 2], [1, 0]), I3),
    ("moveaxis misfit", lambda xp, a: xp.moveaxis(a, [0, 2], [1]), I3),
    ("rollaxis", lambda xp, a: xp.rollaxis(a, 2), I3),
    ("rollaxis start", lambda xp, a: xp.rollaxis(a, 0, 3), I3),
    ("rollaxis out of range", lambda xp, a: xp.rollaxis(a, 0, 9), I3),
    ("diagonal", lambda xp, a: xp.diagonal(a, 1, 1, 2), I3),
    ("flip", lambda xp, a: xp.flip(a), I3),
    ("flip axes", lambda xp, a: xp.flip(a, (0, -1)), I3),
    ("flipud", lambda xp, a: xp.flipud(a), I3),
    ("fliplr", lambda xp, a: xp.fliplr(a), I3),
    ("fliplr of a vector", lambda xp, a: xp.fliplr(a), ROW),
    *[(f"rot90 {k}", lambda xp, a, k=k: xp.rot90(a, k, (1, 2)), I3) for k in range(-1, 4)],
    ("rot90 one axis", lambda xp, a: xp.rot90(a, 1, (0, 0)), I3),
    ("atleast_1d", lambda xp, a: xp.atleast_1d(a, 3.0), I3),
    ("atleast_2d", lambda xp, a: xp.atleast_2d(a), ROW),
    ("atleast_3d", lambda xp, a: xp.atleast_3d(a, [[1, 2]], 5), ROW),
    ("broadcast_to", lambda xp, a: xp.broadcast_to(a, (2, 3)), ROW),
    ("broadcast_to misfit", lambda xp, a: xp.broadcast_to(a, (2, 4)), ROW),
    ("broadcast_to fewer", lambda xp, a: xp.broadcast_to(a, (3,)), I3),
    ("broadcast_to of a list", lambda xp: xp.broadcast_to([[1], [2]], (2, 3))),
    ("broadcast_arrays", lambda xp, a: xp.broadcast_arrays(a, [[1], [2]], 4.0), ROW),
    ("array_split", lambda xp, a: xp.array_split(a, 4), np.arange(10)),
    ("array_split at", lambda xp, a: xp.array_split(a, [2, 3, 20], axis=1), F32),
    ("split", lambda xp, a: xp.split(a, 3, axis=1), I3),
    ("split unequal", lambda xp, a: xp.split(a, 3), np.arange(10)),
    ("vsplit", lambda xp, a: xp.vsplit(a, 2), I3),
    ("hsplit", lambda xp, a: xp.hsplit(a, [1, 2]), I3),
    ("hsplit of a vector", lambda xp, a: xp.hsplit(a, 3), ROW),
    ("dsplit", lambda xp, a: xp.dsplit(a, 2), I3),
    ("dsplit of a matrix", lambda xp, a: xp.dsplit(a, 2), F2),
    ("unstack", lambda xp, a: xp.unstack(a, axis=1), I3),
    ("shape", lambda xp, a: (xp.shape(a), xp.shape([[1, 2]]), xp.shape(3)), I3),
    ("size", lambda xp, a: (xp.size(a), xp.size(a, 1), xp.size([1, 2])), I3),
    ("ndim", lambda xp, a: (xp.ndim(a), xp.ndim([[1]]), xp.ndim(1.0)), I3),
    ("isfortran", lambda xp, a: (xp.isfortran(a), xp.isfortran(a.T)), FORTRAN),
]

JOINING = [
    ("stack", lambda xp, a: xp.stack([a, a, a], axis=1), F32),
    ("stack last", lambda xp, a: xp.stack((a, a), axis=-1), I3),
    ("stack of unlike shapes", lambda xp, a: xp.stack([a, a[:1]]), F32),
    ("stack of nothing", lambda xp: xp.stack([])),
    ("stack dtype", lambda xp, a: xp.stack([a, a], dtype="f8"), F32),
    ("vstack", lambda xp, a: xp.vstack([a, [7, 8, 9]]), ROW),
    ("hstack", lambda xp, a: xp.hstack([a, a]), F32),
    ("hstack vectors", lambda xp, a: xp.hstack([a, [7.5]]), ROW),
    ("dstack", lambda xp, a: xp.dstack([a, a]), F32),
    ("column_stack", lambda xp, a: xp.column_stack([a, a, [[1], [2], [3]]]), ROW),
    ("append", lambda xp, a: xp.append(a, [[1, 2], [3, 4]]), ROW),
    ("append axis", lambda xp, a: xp.append(a, a, axis=1), F32),
    ("concat", lambda xp, a: xp.concat([a, a], axis=0), F32),
    ("repeat", lambda xp, a: xp.repeat(a, 3), F32),
    ("repeat axis", lambda xp, a: xp.repeat(a, 2, axis=1), I3),
    ("repeat counts", lambda xp, a: xp.repeat(a, [1, 0, 2]), ROW),
    ("repeat cut off", lambda xp, a: xp.repeat(a, [1.5, 0.5, 2]), ROW),
    ("repeat by float", lambda xp, a: xp.repeat(a, 2.7), ROW),
    ("repeat by float array", lambda xp, a, f: xp.repeat(a, f), ROW, np.array([1.0, 0, 2])),
    ("repeat by complex", lambda xp, a: xp.repeat(a, 1j), ROW),
    ("repeat nothing negative", lambda xp, a: xp.repeat(a[:0], -1), ROW),
    ("repeat negative", lambda xp, a: xp.repeat(a, -1), ROW),
    ("tile", lambda xp, a: xp.tile(a, 2), ROW),
    ("tile once", lambda xp, a: xp.tile(a, (1, 1, 1)), FORTRAN),
    ("tile more axes", lambda xp, a: xp.tile(a, (2, 1, 2)), F32),
    ("tile fewer axes", lambda xp, a: xp.tile(a, 2), I3),
    ("roll", lambda xp, a: xp.roll(a, 2), I3),
    ("roll axis", lambda xp, a: xp.roll(a, -1, axis=2), I3),
    ("roll axes", lambda xp, a: xp.roll(a, (1, 2), axis=(0, 1)), I3),
    ("roll twice", lambda xp, a: xp.roll(a, (1, 2), axis=(1, 1)), I3),
    ("roll one shift", lambda xp, a: xp.roll(a, 1, axis=(0, 2)), I3),
    ("roll nothing", lambda xp, a: xp.roll(a, 1, axis=0), EMPTY),
]

CREATION = [
    ("linspace", lambda xp: xp.linspace(0, 1, 7)),
    ("linspace open", lambda xp: xp.linspace(2.0, 3.0, 5, endpoint=False)),
    ("linspace retstep", lambda xp: xp.linspace(0, 10, 4, retstep=True)),
    ("linspace int", lambda xp: xp.linspace(-3, 9, 10, dtype=int)),
    ("linspace float32", lambda xp: xp.linspace(np.float32(0), np.float32(1), 11)),
    ("linspace complex", lambda xp: xp.linspace(0, 1 + 2j, 5)),
    ("linspace one", lambda xp: xp.linspace(4, 5, 1)),
    ("linspace none", lambda xp: xp.linspace(4, 5, 0)),
    ("linspace negative", lambda xp: xp.linspace(4, 5, -1)),
    ("linspace standing still", lambda xp: xp.linspace(4, 4, 3)),
    ("linspace arrays", lambda xp, a: xp.linspace(a, [9, 9, 9], 4, axis=1), ROW),
    ("logspace", lambda xp: xp.logspace(0, 2, 3)),
    ("geomspace", lambda xp: xp.geomspace(1, 1000, 4)),
    ("eye", lambda xp: xp.eye(3)),
    ("eye shape", lambda xp: xp.eye(2, 4, 1, dtype=int)),
    ("eye below", lambda xp: xp.eye(4, 3, -2)),
    ("eye far off", lambda xp: xp.eye(3, k=5)),
    ("eye F", lambda xp: xp.eye(3, 4, 1, order="F")),
    ("eye of nothing", lambda xp: xp.eye(0)),
    ("identity", lambda xp: xp.identity(3, dtype="f4")),
    ("diag", lambda xp, a: xp.diag(a, -1), ROW),
    ("diag of a matrix", lambda xp, a: xp.diag(a, 1), F32),
    ("diag of three axes", lambda xp, a: xp.diag(a), I3),
    ("diagflat", lambda xp, a: xp.diagflat(a, 1), SQUARE),
    ("tri", lambda xp: xp.tri(3, 4, 1)),
    ("tril", lambda xp, a: xp.tril(a, -1), SQUARE),
    ("triu", lambda xp, a: xp.triu(a, 1), I3),
    ("triu of NaN", lambda xp, a: xp.triu(a), F2),
    ("meshgrid", lambda xp, a: xp.meshgrid(a, [1.0, 2.0]), ROW),
    ("meshgrid ij", lambda xp, a: xp.meshgrid(a, [1, 2], [5], indexing="ij", sparse=True), ROW),
    ("ix_", lambda xp, a: xp.ix_(a, [0, 1]), ROW),
    ("indices", lambda xp: xp.indices((2, 2), sparse=True)),
    ("copy", lambda xp, a: xp.copy(a), FORTRAN),
    ("astype", lambda xp, a: xp.astype(a, "f4"), I3),
    ("ascontiguousarray", lambda xp, a: xp.ascontiguousarray(a), FORTRAN),
    ("asfortranarray", lambda xp, a: xp.asfortranarray(a), I3),
    ("ascontiguousarray of a number", lambda xp: xp.ascontiguousarray(3)),
    ("asarray_chkfinite", lambda xp, a: xp.asarray_chkfinite(a), F2),
    ("asanyarray", lambda xp: xp.asanyarray([[1, 2]], dtype="f4")),
    ("mgrid", lambda xp: xp.mgrid[0:3, 0:2]),
    ("r_", lambda xp, a: xp.r_[a, 5, 1:3], ROW),
    ("c_", lambda xp, a: xp.c_[a, a], ROW),
]

CHOICE = [
    ("where", lambda xp, m, a: xp.where(m, a, 0), BOOLS, F2),
    ("where weak", lambda xp, m, a: xp.where(m, a, 2), BOOLS, BYTES),
    ("where numbers", lambda xp, m: xp.where(m, 1.5, 2), BOOLS),
    ("where bool", lambda xp, m: xp.where(m, m, ~m), BOOLS),
    ("where complex", lambda xp, a: xp.where([True, False, True, False], a, a * 2), CPLX),
    ("where times", lambda xp, m, a: xp.where(m, a, a[::-1]), BOOLS, DAYS),
    ("where broadcast", lambda xp, a, b: xp.where(a[:, None] > 1, b, -b), ROW, SQUARE),
    ("where of numbers as condition", lambda xp, a: xp.where(a, 1, 0), F2),
    ("where F", lambda xp, a: xp.where(a > 2, a, -a), FORTRAN),
    ("where of unlike dtypes", lambda xp, a, b: xp.where(a > 1, a, b), ROW, np.float32([1, 2, 3])),
    ("where alone", lambda xp, m: xp.where(m), BOOLS),
    ("where one value", lambda xp, m: xp.where(m, 1), BOOLS),
    ("copyto", lambda xp, a: xp.copyto(a, 7), F2.copy()),
    ("copyto complex", lambda xp, a: xp.copyto(a, 1j, casting="unsafe"), F2.copy()),
    ("copyto read-only", lambda xp, a: xp.copyto(xp.broadcast_to(a, (2, 2, 3)), 1j), F2),
    ("imag of real broadcast", lambda xp, a: xp.broadcast_to(a, (2, 3)).imag, ROW),
    ("min_scalar_type of a time", lambda xp, a: str(xp.min_scalar_type(a[0])), DAYS),
    ("min_scalar_type of complex", lambda xp, a: str(xp.min_scalar_type(a[0] * xp.nan)), CPLX),
    ("ravel of repeated rows", lambda xp, a: xp.broadcast_to(a, (2, 3)).ravel("K"), ROW),
    ("flatten of repeated rows", lambda xp, a: xp.broadcast_to(a, (2, 3)).flatten("K"), ROW),
    (
        "ravel in order",
        lambda xp, a: xp.shares_memory(a.ravel("K"), a),
        np.ones((2, 3, 4)).transpose(1, 0, 2),
    ),
    ("ravel in steps", lambda xp, a: xp.shares_memory(a[::2].ravel("K"), a), np.ones((4, 3))),
    ("clip of nothing", lambda xp, a: xp.clip(a > 1, None, None), ROW),
    ("copyto where", lambda xp, a, m: xp.copyto(a, [1, 2, 3], where=m), F2.copy(), BOOLS),
    ("copyto casting", lambda xp, a: xp.copyto(a, [1.5, 2.5, 3.5]), ROW.copy()),
    ("copyto unsafe", lambda xp, a: xp.copyto(a, [1.5, 2.5, 3.5], casting="unsafe"), ROW.copy()),
    ("clip", lambda xp, a: xp.clip(a, 5, 9), I3),
    ("clip NaN", lambda xp, a: xp.clip(a, -1, 1), F2),
    ("clip low", lambda xp, a: xp.clip(a, 5, None), I3),
    ("clip arrays", lambda xp, a, b: xp.clip(a, b, 3), SQUARE, ROW),
    ("clip uint8", lambda xp, a: xp.clip(a, -1, 300), BYTES),
    ("clip min max", lambda xp, a: xp.clip(a, min=2, max=3), ROW),
    ("clip out", lambda xp, a, out: xp.clip(a, 1, 2, out=out), ROW, np.zeros(3, int)),
    ("isclose", lambda xp, a: xp.isclose(a, a + 1e-9), F2),
    ("isclose NaN", lambda xp, a: xp.isclose(a, a, equal_nan=True), F2),
    ("isclose integers", lambda xp, a: xp.isclose(a, a + 1), ROW),
    ("isclose numbers", lambda xp: xp.isclose(1.0, 1.0 + 1e-9)),
    ("allclose", lambda xp, a: (xp.allclose(a, a), xp.allclose(a, a, equal_nan=True)), F2),
    ("array_equal", lambda xp, a: (xp.array_equal(a, a), xp.array_equal(a, a[:1])), ROW),
    ("array_equal NaN", lambda xp, a: (xp.array_equal(a, a), xp.array_equal(a, a, True)), F2),
    ("array_equiv", lambda xp, a: (xp.array_equiv(a, [a, a]), xp.array_equiv(a, [1, 2])), ROW),
    ("iscomplex", lambda xp, a, b: (xp.iscomplex(a), xp.iscomplex(b)), CPLX, ROW),
    ("isreal", lambda xp, a, b: (xp.isreal(a), xp.isreal(b)), CPLX, ROW),
    ("iscomplexobj", lambda xp, a: (xp.iscomplexobj(a), xp.isrealobj(a)), CPLX),
    ("isneginf", lambda xp, a: (xp.isneginf(-a), xp.isposinf(a)), F2),
    ("isneginf complex", lambda xp, a: xp.isneginf(a), CPLX),
    ("nan_to_num", lambda xp, a: xp.nan_to_num(a), F2),
    ("nan_to_num values", lambda xp, a: xp.nan_to_num(a, nan=7, posinf=8, neginf=9), F2),
    ("nan_to_num complex", lambda xp, a: xp.nan_to_num(a), CPLX),
    ("nan_to_num of a number", lambda xp: xp.nan_to_num(np.nan)),
    ("isscalar", lambda xp, a: (xp.isscalar(a), xp.isscalar(a.sum()), xp.isscalar(3)), ROW),
    ("real_if_close", lambda xp, a: xp.real_if_close(a + 1e-18j), SQUARE),
]

REDUCTIONS = [
    ("count_nonzero", lambda xp, a: xp.count_nonzero(a), I3),
    ("count_nonzero axis", lambda xp, a: xp.count_nonzero(a, axis=(0, 2), keepdims=True), I3),
    ("ptp", lambda xp, a: xp.ptp(a), I3),
    ("ptp axis", lambda xp, a: xp.ptp(a, axis=1, keepdims=True), I3),
    ("average", lambda xp, a: xp.average(a, axis=0), F32),
    ("average weights", lambda xp, a: xp.average(a, weights=[1, 2, 1]), ROW),
    ("average returned", lambda xp, a: xp.average(a, returned=True), ROW),
    ("diff", lambda xp, a: xp.diff(a, axis=1), I3),
    ("diff twice", lambda xp, a: xp.diff(a, n=2, prepend=0, append=[9, 9]), ROW),
    ("diff bool", lambda xp, a: xp.diff(a), BOOLS),
    ("diff times", lambda xp, a: xp.diff(a), DAYS),
    ("diff negative", lambda xp, a: xp.diff(a, -1), ROW),
    ("diff of a number", lambda xp: xp.diff(1)),
    ("ediff1d", lambda xp, a: xp.ediff1d(a), I3),
    ("trapezoid", lambda xp, a: xp.trapezoid(a, dx=0.5), ROW),
    ("trapezoid x", lambda xp, a: xp.trapezoid(a, [0.0, 1.0, 4.0], axis=0), SQUARE),
    ("var of an int", lambda xp, a: xp.var(a), I3),
    ("var empty", lambda xp, a: xp.var(a), EMPTY),
    ("var degrees", lambda xp, a: xp.var(a, ddof=1, axis=-1, keepdims=True), I3),
    ("std mean", lambda xp, a: xp.std(a, axis=0, mean=xp.mean(a, axis=0, keepdims=True)), SQUARE),
    ("var where", lambda xp, a, m: xp.var(a, axis=1, where=m), SQUARE[:2], BOOLS),
    ("var correction", lambda xp, a: xp.var(a, correction=1), ROW),
    ("var both", lambda xp, a: xp.var(a, ddof=1, correction=1), ROW),
    ("std method", lambda xp, a: a.std(axis=0), SQUARE),
    ("std out", lambda xp, a, out: xp.std(a, axis=0, out=out), SQUARE, np.zeros(3)),
    ("var complex", lambda xp, a: xp.var(a[:2]), CPLX),
]

PRODUCTS = [
    ("outer", lambda xp, a: xp.outer(a, [1.5, 2.5]), ROW),
    ("inner", lambda xp, a: xp.inner(a, a), ROW),
    ("inner matrix", lambda xp, a, b: xp.inner(a, b), SQUARE, ROW),
    ("inner misfit", lambda xp, a: xp.inner(a, [1, 2]), ROW),
    ("vdot", lambda xp, a: xp.vdot(a[:2], a[1::-1]), CPLX),
    ("tensordot", lambda xp, a, b: xp.tensordot(a, b, axes=([1], [0])), I3, SQUARE),
    ("tensordot count", lambda xp, a: xp.tensordot(a, a, axes=1), SQUARE),
    ("tensordot misfit", lambda xp, a: xp.tensordot(a, a, axes=1), I3),
    ("trace", lambda xp, a: xp.trace(a, 1), SQUARE),
    ("trace axes", lambda xp, a: xp.trace(a, axis1=1, axis2=2), I3),
    ("kron", lambda xp, a: xp.kron(a, [[1, 10]]), SQUARE),
    ("vecdot", lambda xp, a: xp.vecdot(a, a), I3),
    ("matvec", lambda xp, a, b: xp.matvec(a, b), SQUARE, ROW),
    ("vecmat", lambda xp, a, b: xp.vecmat(b, a), SQUARE, ROW),
    ("linalg.outer", lambda xp, a: xp.linalg.outer(a, a), ROW),
    ("linalg.trace", lambda xp, a: xp.linalg.trace(a), I3[:, :, :3]),
    ("linalg.norm", lambda xp, a: xp.linalg.norm(a), SQUARE),
    ("linalg.inv singular", lambda xp, a: xp.linalg.inv(a), np.zeros((2, 2))),
]

ROUNDING = [
    ("round", lambda xp, a: xp.round(a), F2),
    ("round decimals", lambda xp, a: xp.round(a, 1), np.array([1.25, 2.349, -0.05])),
    ("round tens", lambda xp, a: xp.round(a, -1), np.array([15.0, 25.0, -7.0])),
    ("round integers", lambda xp, a: xp.round(a, -1), np.array([14, 25, 35])),
    ("round integers whole", lambda xp, a: xp.round(a, 2), ROW),
    ("round bool", lambda xp, a: xp.round(a > 1), ROW),
    ("round bool decimals", lambda xp, a: xp.round(a > 1, 1), ROW),
    ("round bool tens", lambda xp, a: (a > 1).round(-1), ROW),
    ("round bool out", lambda xp, a, out: xp.round(a > 1, 1, out), ROW, np.zeros(ROW.shape)),
    ("round complex", lambda xp, a: xp.round(a, 1), CPLX),
    ("around", lambda xp, a: xp.around(a, 2), F2),
    ("fix", lambda xp, a: xp.fix(a), F2),
    ("real imag", lambda xp, a: (xp.real(a), xp.imag(a)), CPLX),
    ("real imag of reals", lambda xp, a: (xp.real(a), xp.imag(a)), F32),
    ("real of a number", lambda xp: (xp.real(3.0), xp.imag(2j))),
    ("angle", lambda xp, a: xp.angle(a), np.array([np.nan, -0.0])),
    ("angle degrees", lambda xp, a: xp.angle(a, deg=True), np.array([1j, -1.0, 1 + 1j])),
]

DTYPES = [
    ("result_type", lambda xp, a: xp.result_type(a, 3.0), F32),
    ("result_type weak", lambda xp, a: xp.result_type(a, 3), BYTES),
    ("can_cast", lambda xp: (xp.can_cast("i8", "f4"), xp.can_cast("f4", "f8"))),
    ("min_scalar_type", lambda xp, a: (xp.min_scalar_type(a), xp.min_scalar_type(300)), I3),
    ("common_type", lambda xp, a, b: xp.common_type(a, b) is np.float64, F32, ROW),
    ("promote_types", lambda xp: xp.promote_types("i4", "f4")),
]

TABLE = [*SHAPES, *JOINING, *CREATION, *CHOICE, *REDUCTIONS, *PRODUCTS, *ROUNDING, *DTYPES]
IDS = [row[0].replace(" ", "-") for row in TABLE]

# Sums and products may be put together in another order.
INEXACT = {
    "var",
    "std",
    "average",
    "trapezoid",
    "linalg.norm",
    "logspace",
    "geomspace",
    "vdot",
    "angle",
}

# NumPy gives strided views of one array.
OTHER_LAYOUT = {"where alone"}


def how(name):
    """Keywords for check: what of the result must be the same."""
    ulp = 8 if name.split()[0] in INEXACT else 0
    return {"ulp": ulp, "order": name not in OTHER_LAYOUT}


@pytest.mark.parametrize("row", TABLE, ids=IDS)
def test_function(device, row):
    name, function, *args = row
    check(function, *args, device=device, **how(name))


class NumpyOfOurs:
    """numpy, whose functions get device arrays; scalars of arguments stay NumPy's."""

    def __getattr__(self, name):
        return getattr(np, name)


@pytest.mark.parametrize(
    "row", [row for row in TABLE if len(row) > 2], ids=lambda row: row[0].replace(" ", "-")
)
def test_through_numpy(device, row):
    """numpy.function(device array) is gpuarray.function(device array)."""
    name, function, *args = row
    takes_lists = ("array_equiv", "ix_", "isscalar", "column_stack", "r_", "c_")
    if name.split()[0] in takes_lists:
        pytest.skip("NumPy itself converts what it is given here")

    def through(xp, *arrays):
        return function(NumpyOfOurs(), *arrays)

    check(through, *args, device=device, **how(name))


@pytest.mark.smoke
def test_views_share_memory(device):
    a = gpuarray.arange(6, device=device).reshape(2, 3)
    for view in (
        a.T,
        gpuarray.flip(a),
        gpuarray.moveaxis(a, 0, 1),
        gpuarray.split(a, 3, axis=1)[1],
    ):
        view[0, 0] = -1
    assert a.tolist() == [[-1, -1, 2], [3, 4, -1]]


def test_broadcast_is_read_only(device):
    view = gpuarray.broadcast_to(gpuarray.zeros(3, device=device), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1


def test_shared_memory(device):
    a = gpuarray.zeros(10, device=device)
    pairs = [
        (a, a[::2], True),
        (a[::2], a[1::2], False),
        (a[:5], a[5:], False),
        (a, a.copy(), False),
    ]
    for x, y, shared in pairs:
        assert gpuarray.shares_memory(x, y) is shared
        assert np.shares_memory(x, y) is shared
    assert gpuarray.may_share_memory(a[::2], a[1::2])
    assert not gpuarray.may_share_memory(a, np.zeros(3))


def test_vectorize(device):
    result = gpuarray.vectorize(lambda x: x + 1)(gpuarray.arange(3, device=device))
    assert isinstance(result, gpuarray.ndarray)
    assert result.tolist() == [1, 2, 3]


def test_creation_on_a_named_device(device):
    makers = [
        lambda: gpuarray.linspace(0, 1, 3, device=device),
        lambda: gpuarray.eye(2, device=device),
        lambda: gpuarray.tri(2, device=device),
        lambda: gpuarray.identity(2, device=device),
        lambda: gpuarray.eye(2, like=gpuarray.zeros(1, device=device)),
        lambda: gpuarray.indices((2, 2), device=device),
    ]
    assert {str(make().device) for make in makers} == {device}


@pytest.mark.parametrize("method", ["sort", "partition"])
def test_sorting_in_place(device, method):
    def function(xp, a):
        column = a[:, 0]
        getattr(column, method)(*([1] if method == "partition" else []))
        return a

    check(function, np.array([[3, 1], [1, 2], [2, 0]]), device=device)


def test_indexing_by_arrays(device):
    def function(xp, a, rows, mask):
        return a[rows], a[mask], a[rows, ..., 1], a[[1, 0]], a[:, rows[:1]]

    check(function, I3, np.array([0, 1, 1]), np.array([True, False]), device=device)


def test_last_assignment_wins(device):
    def function(xp, a, indices, values):
        a[indices] = values
        return a

    check(function, np.zeros(2), np.arange(10000) % 2, np.arange(10000.0), device=device)


def test_index_out_of_range_changes_nothing(device):
    def function(xp, a):
        with pytest.raises(IndexError):
            a[[1, 3]] = 10
        return a

    check(function, np.arange(3), device=device)


def test_flat(device):
    def function(xp, a):
        a.flat[1] = 9
        a.flat[3:5] = [7]
        last = a.flat[-1]
        a.T.flat[0] = -1
        return a, last, list(a.flat)[2], len(a.flat), a.flat[1:3]

    check(function, np.arange(6.0).reshape(2, 3), device=device)


def test_operators_on_lists(device):
    check(lambda xp, a: operator.add(a, [1, 2, 3]), ROW, device=device)
