/* NumPy sorts numbers of 16 bits and more with vector instructions, several times as fast as the radix sort of the CPU
 * backend, on processors that have them; not complex numbers and times, nor what is to be stable. */
#include "sort_host.h"

#include "transfer.h"

static bool
has_vectors(int64_t itemsize)
{
    return itemsize == 2 ? __builtin_cpu_supports("avx512vbmi2") : __builtin_cpu_supports("avx2");
}

bool
ga_sort_host_takes(const GaArray *a)
{
    static const uint64_t numbers = GA_TYPES_I | GA_TYPES_S;
    return ga_array_device(a)->is_cpu && a->ndim > 0 && (numbers >> a->dtype & 1) != 0 &&
           ga_array_itemsize(a) > 1 && has_vectors(ga_array_itemsize(a));
}

/* A view of `out` that has the elements of `a`. */
static PyArrayObject *
copy_rows(GaState *state, GaArray *a, GaArray *out)
{
    PyArrayObject *to = ga_transfer_to_numpy(state, out, true), *from = NULL;
    if (to != NULL && out != a)
        from = ga_transfer_to_numpy(state, a, true);
    if (from != NULL && PyArray_CopyInto(to, from) < 0)
        Py_CLEAR(to);
    else if (from == NULL && out != a)
        Py_CLEAR(to);
    Py_XDECREF(from);
    return to;
}

int
ga_sort_host_rows(GaState *state, GaArray *a, GaArray *out)
{
    PyArrayObject *rows = copy_rows(state, a, out);
    int rc = rows == NULL ? -1 : PyArray_Sort(rows, -1, NPY_QUICKSORT);
    Py_XDECREF(rows);
    return rc;
}

static PyArrayObject *
make_place(int64_t kth)
{
    npy_intp one = 1;
    PyArrayObject *place = (PyArrayObject *)PyArray_SimpleNew(1, &one, NPY_INTP);
    if (place != NULL)
        *(npy_intp *)PyArray_DATA(place) = (npy_intp)kth;
    return place;
}

static int
partition_positions(GaState *state, GaArray *a, GaArray *positions, PyArrayObject *place)
{
    PyArrayObject *rows = ga_transfer_to_numpy(state, a, true), *to = ga_transfer_to_numpy(state, positions, true);
    PyObject *found = rows == NULL || to == NULL ? NULL : PyArray_ArgPartition(rows, place, -1, NPY_INTROSELECT);
    int rc = found == NULL ? -1 : PyArray_CopyInto(to, (PyArrayObject *)found);
    Py_XDECREF(rows);
    Py_XDECREF(to);
    Py_XDECREF(found);
    return rc;
}

static int
partition_values(GaState *state, GaArray *a, GaArray *values, PyArrayObject *place)
{
    PyArrayObject *rows = copy_rows(state, a, values);
    int rc = rows == NULL ? -1 : PyArray_Partition(rows, place, -1, NPY_INTROSELECT);
    Py_XDECREF(rows);
    return rc;
}

int
ga_sort_host_partition(GaState *state, GaArray *a, GaArray *values, GaArray *positions, int64_t kth)
{
    PyArrayObject *place = make_place(kth);
    int rc = -1;
    if (place != NULL)
        rc = values != NULL ? partition_values(state, a, values, place) : partition_positions(state, a, positions, place);
    Py_XDECREF(place);
    return rc;
}
