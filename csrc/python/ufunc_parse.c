/* Arguments of a ufunc call: positional outputs and the keywords out, where, casting, order, dtype,
 * signature (sig), subok. Fills ga_ufunc_options, of which it owns the signature's dtypes. Error
 * texts follow NumPy's. */
#include "ufunc_call.h"

#include "dtype.h"

void
ga_ufunc_options_clear(ga_ufunc_options *options)
{
    for (int i = 0; i < 4; i++)
        Py_CLEAR(options->signature[i]);
}

static int
parse_casting(PyObject *value, ga_ufunc_options *out)
{
    static const struct {
        const char *word;
        NPY_CASTING casting;
    } words[] = {
        {"no", NPY_NO_CASTING},         {"equiv", NPY_EQUIV_CASTING},
        {"safe", NPY_SAFE_CASTING},     {"same_kind", NPY_SAME_KIND_CASTING},
        {"unsafe", NPY_UNSAFE_CASTING},
    };
    for (size_t i = 0; PyUnicode_Check(value) && i < sizeof words / sizeof *words; i++) {
        if (PyUnicode_CompareWithASCIIString(value, words[i].word) == 0) {
            out->casting = words[i].casting;
            return 0;
        }
    }
    PyErr_Format(PyUnicode_Check(value) ? PyExc_ValueError : PyExc_TypeError,
                 "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got %R)",
                 value);
    return -1;
}

static int
parse_order(PyObject *value, ga_ufunc_options *out)
{
    if (value == Py_None)
        return 0;
    if (PyUnicode_Check(value) && PyUnicode_GET_LENGTH(value) == 1) {
        Py_UCS4 letter = Py_UNICODE_TOUPPER(PyUnicode_READ_CHAR(value, 0));
        if (letter == 'C' || letter == 'F' || letter == 'A' || letter == 'K') {
            out->order = (char)letter;
            return 0;
        }
    }
    PyErr_Format(PyUnicode_Check(value) ? PyExc_ValueError : PyExc_TypeError,
                 "order must be one of 'C', 'F', 'A', or 'K' (got %R)", value);
    return -1;
}

static int
set_output(const GaUfunc *ufunc, PyObject *value, int i, ga_ufunc_options *out)
{
    GaState *state = ga_state(Py_TYPE((PyObject *)ufunc));
    if (value == Py_None)
        return 0;
    if (!GA_ARRAY_CHECK(state, value)) {
        PyErr_Format(
            PyExc_TypeError,
            "%s(): return arrays must be of ArrayType: out= takes gpuarray.ndarray, not %s",
            ufunc->info->name, Py_TYPE(value)->tp_name);
        return -1;
    }
    if (!(((GaArray *)value)->flags & GA_ARRAY_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "output array is read-only");
        return -1;
    }
    out->out[i] = value;
    return 0;
}

static int
parse_out(const GaUfunc *ufunc, PyObject *value, ga_ufunc_options *out)
{
    if (!PyTuple_Check(value)) {
        if (ufunc->info->nout > 1 && value != Py_None) {
            PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays");
            return -1;
        }
        return set_output(ufunc, value, 0, out);
    }
    if (PyTuple_GET_SIZE(value) != ufunc->info->nout) {
        PyErr_SetString(PyExc_ValueError,
                        "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    for (int i = 0; i < ufunc->info->nout; i++) {
        if (set_output(ufunc, PyTuple_GET_ITEM(value, i), i, out) < 0)
            return -1;
    }
    return 0;
}

/* dtype= asks for the outputs' dtype. */
static enum ga_call_status
parse_dtype(const GaUfunc *ufunc, PyObject *value, ga_ufunc_options *out)
{
    PyArray_Descr *descr;
    if (ga_dtype_parse(value, &descr) < 0)
        return GA_CALL_ERROR;
    for (int i = 0; descr != NULL && i < ufunc->info->nout; i++)
        Py_XSETREF(out->signature[ufunc->info->nin + i], (PyArray_Descr *)Py_NewRef(descr));
    Py_XDECREF(descr);
    return GA_CALL_OK;
}

static enum ga_call_status
refuse_single(void)
{
    PyErr_SetString(PyExc_TypeError, "signature: one dtype alone is given by `dtype`, not by a signature of one entry");
    return GA_CALL_ERROR;
}

/* One dtype character per operand with an arrow before the outputs: "dd->d". */
static enum ga_call_status
parse_signature_text(const GaUfunc *ufunc, PyObject *text, ga_ufunc_options *out)
{
    int nin = ufunc->info->nin, count = nin + ufunc->info->nout;
    if (PyUnicode_GET_LENGTH(text) == 1)
        return refuse_single();
    bool good = PyUnicode_GET_LENGTH(text) == count + 2 && PyUnicode_READ_CHAR(text, nin) == '-' &&
                PyUnicode_READ_CHAR(text, nin + 1) == '>';
    for (int i = 0; good && i < count; i++) {
        Py_ssize_t at = i < nin ? i : i + 2;
        PyObject *one = PyUnicode_Substring(text, at, at + 1);
        good = one != NULL && ga_dtype_parse(one, &out->signature[i]) == 0;
        Py_XDECREF(one);
    }
    if (good)
        return GA_CALL_OK;
    PyErr_Format(PyExc_ValueError,
                 "%s(): a type signature needs %d dtype characters before and %d after the arrow: %R",
                 ufunc->info->name, nin, count - nin, text);
    return GA_CALL_ERROR;
}

static enum ga_call_status
parse_signature(const GaUfunc *ufunc, PyObject *value, ga_ufunc_options *out)
{
    int count = ufunc->info->nin + ufunc->info->nout;
    if (value == Py_None)
        return GA_CALL_OK;
    if (PyUnicode_Check(value))
        return parse_signature_text(ufunc, value, out);
    if (!PyTuple_Check(value))
        return parse_dtype(ufunc, value, out);
    if (PyTuple_GET_SIZE(value) == 1)
        return refuse_single();
    if (PyTuple_GET_SIZE(value) != count) {
        PyErr_Format(PyExc_ValueError, "%s(): a type signature needs %d entries, not %zd",
                     ufunc->info->name, count, PyTuple_GET_SIZE(value));
        return GA_CALL_ERROR;
    }
    for (int i = 0; i < count; i++) {
        if (ga_dtype_parse(PyTuple_GET_ITEM(value, i), &out->signature[i]) < 0)
            return GA_CALL_ERROR;
    }
    return GA_CALL_OK;
}

static bool
is_word(PyObject *name, const char *word)
{
    return PyUnicode_CompareWithASCIIString(name, word) == 0;
}

static int
parse_keyword(const GaUfunc *ufunc, PyObject *name, PyObject *value, ga_ufunc_options *out)
{
    if (is_word(name, "out"))
        return parse_out(ufunc, value, out);
    if (is_word(name, "where")) {
        out->where = value == Py_True ? NULL : value;
        return 0;
    }
    if (is_word(name, "casting"))
        return parse_casting(value, out);
    if (is_word(name, "order"))
        return parse_order(value, out);
    if (is_word(name, "dtype"))
        return (int)parse_dtype(ufunc, value, out);
    if (is_word(name, "signature") || is_word(name, "sig"))
        return (int)parse_signature(ufunc, value, out);
    if (is_word(name, "subok"))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", ufunc->info->name,
                 name);
    return -1;
}

/* Pairs of keywords that say one thing twice. */
static int
check_pairs(const GaUfunc *ufunc, Py_ssize_t nargs, PyObject *kwnames)
{
    bool signature = false, dtype = false, out = nargs > ufunc->info->nin;
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, i);
        bool is_signature = is_word(name, "signature") || is_word(name, "sig");
        if (is_signature && signature) {
            PyErr_SetString(PyExc_TypeError, "cannot specify both 'sig' and 'signature'");
            return -1;
        }
        if (is_word(name, "out") && out) {
            PyErr_SetString(PyExc_TypeError,
                            "cannot specify 'out' as both a positional and keyword argument");
            return -1;
        }
        signature = signature || is_signature;
        dtype = dtype || is_word(name, "dtype");
    }
    if (signature && dtype) {
        PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'");
        return -1;
    }
    return 0;
}

static int
check_count(const GaUfunc *ufunc, Py_ssize_t nargs)
{
    int nin = ufunc->info->nin, count = nin + ufunc->info->nout;
    if (nargs >= nin && nargs <= count)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given",
                 ufunc->info->name, nin, count, nargs, nargs == 1 ? "was" : "were");
    return -1;
}

enum ga_call_status
ga_ufunc_parse(GaUfunc *ufunc, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
               ga_ufunc_options *out)
{
    *out = (ga_ufunc_options){.casting = NPY_SAME_KIND_CASTING, .order = 'K'};
    if (check_count(ufunc, nargs) < 0 || check_pairs(ufunc, nargs, kwnames) < 0)
        return GA_CALL_ERROR;
    for (Py_ssize_t i = ufunc->info->nin; i < nargs; i++) {
        if (set_output(ufunc, args[i], (int)i - ufunc->info->nin, out) < 0)
            return GA_CALL_ERROR;
    }
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        if (parse_keyword(ufunc, PyTuple_GET_ITEM(kwnames, i), args[nargs + i], out) < 0)
            return GA_CALL_ERROR;
    }
    return GA_CALL_OK;
}
