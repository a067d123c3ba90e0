/* Docstrings and type lists of the ufunc objects, made from their rows: a signature line, the row's
 * sentence, parameters and the dtypes that have a loop, in numpydoc form. */
#include "ufunc_call.h"

enum { LOOPS = 4 * GA_DTYPE_COUNT };

/* The letter of a loop's dtype as NumPy's own lists have it: 64-bit integers that stand beside times, or beside the
 * other sign, are 'q' and 'Q' there, everywhere else 'l' and 'L'. */
static char
letter_of(enum ga_dtype dtype, const ga_loop *loop)
{
    char kind = ga_registry_dtype(loop->in[0])->kind, other = ga_registry_dtype(loop->in[1])->kind;
    bool unlike = kind == 'm' || other == 'm' || (kind != other && kind != 'f');
    if (unlike && dtype == GA_i64)
        return 'q';
    return unlike && dtype == GA_u64 ? 'Q' : ga_registry_dtype(dtype)->character;
}

static PyObject *
loop_text(const ga_ufunc_info *info, const ga_loop *loop)
{
    char text[8];
    int n = 0;
    for (int i = 0; i < info->nin; i++)
        text[n++] = letter_of(loop->in[i], loop);
    text[n++] = '-';
    text[n++] = '>';
    for (int i = 0; i < info->nout; i++)
        text[n++] = letter_of(loop->out[i], loop);
    return PyUnicode_FromStringAndSize(text, n);
}

PyObject *
ga_ufunc_types(enum ga_ufunc op)
{
    ga_loop loops[LOOPS];
    int count = ga_registry_loops(op, loops, LOOPS);
    PyObject *list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *text = loop_text(ga_registry_ufunc(op), &loops[i]);
        if (text == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, text);
    }
    return list;
}

/* "bool, int8, ..." of the first inputs; a dtype once. */
static PyObject *
dtype_names(enum ga_ufunc op)
{
    ga_loop loops[LOOPS];
    uint32_t seen = 0;
    int count = ga_registry_loops(op, loops, LOOPS);
    PyObject *text = PyUnicode_FromString("");
    for (int i = 0; text != NULL && i < count; i++) {
        uint32_t bit = 1u << loops[i].in[0];
        if (seen & bit)
            continue;
        PyObject *longer = PyUnicode_FromFormat("%U%s%s", text, seen != 0 ? ", " : "",
                                                ga_registry_dtype(loops[i].in[0])->name);
        seen |= bit;
        Py_SETREF(text, longer);
    }
    return text;
}

PyObject *
ga_ufunc_docstring(enum ga_ufunc op)
{
    const ga_ufunc_info *info = ga_registry_ufunc(op);
    const char *inputs = info->nin == 1 ? "x" : "x1, x2";
    const char *outputs = info->nout == 1 ? "" : "[, out1, out2]";
    PyObject *dtypes = dtype_names(op);
    if (dtypes == NULL)
        return NULL;
    PyObject *doc =
        PyUnicode_FromFormat("%s(%s%s, /, out=None, *, where=True, casting='same_kind', order='K', "
                             "dtype=None, subok=True[, signature])\n\n"
                             "%s\n\n"
                             "Parameters\n----------\n"
                             "%s : array_like\n    Operands; shapes that differ are broadcast.\n"
                             "out : ndarray, None, or tuple of them, optional\n    Where the "
                             "result goes; a new array if None.\n"
                             "where : array_like of bool, optional\n    Elements where it is False "
                             "keep what `out` holds.\n\n"
                             "Returns\n-------\n%s\n    On the operands' device; without "
                             "dimensions it stands for a scalar.\n\n"
                             "Notes\n-----\nLoops for: %U.\n",
                             info->name, inputs, outputs, info->doc, inputs,
                             info->nout == 1 ? "y : ndarray" : "out1, out2 : ndarray", dtypes);
    Py_DECREF(dtypes);
    return doc;
}
