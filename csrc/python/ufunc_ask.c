/* The question "which loop?" put to the installed NumPy: numpy_ufunc.resolve_dtypes, Python numbers
 * as the weak types int, float, complex. So promotion, casting errors and result dtypes are NumPy's
 * by construction. Keeps nothing. */
#include "ufunc_call.h"

#include "dtype.h"

static PyObject *
slot_object(const ga_question *question, int i)
{
    switch ((int)question->codes[i]) {
    case GA_CODE_INT:
        return (PyObject *)&PyLong_Type;
    case GA_CODE_FLOAT:
        return (PyObject *)&PyFloat_Type;
    case GA_CODE_COMPLEX:
        return (PyObject *)&PyComplex_Type;
    default:
        return question->descrs[i] != NULL ? (PyObject *)question->descrs[i] : Py_None;
    }
}

static PyObject *
question_dtypes(const GaUfunc *ufunc, const ga_question *question)
{
    int count = ufunc->info->nin + ufunc->info->nout;
    PyObject *dtypes = PyTuple_New(count);
    for (int i = 0; dtypes != NULL && i < count; i++)
        PyTuple_SET_ITEM(dtypes, i, Py_NewRef(slot_object(question, i)));
    return dtypes;
}

static int
add_signature(PyObject *keywords, const ga_question *question, int count)
{
    bool given = false;
    PyObject *signature = PyTuple_New(count);
    if (signature == NULL)
        return -1;
    for (int i = 0; i < count; i++) {
        PyArray_Descr *descr = question->signature[i];
        given = given || descr != NULL;
        PyTuple_SET_ITEM(signature, i, Py_NewRef(descr != NULL ? (PyObject *)descr : Py_None));
    }
    int rc = given ? PyDict_SetItemString(keywords, "signature", signature) : 0;
    Py_DECREF(signature);
    return rc;
}

/* What NumPy makes of a Python number by itself; GA_DTYPE_COUNT: the operand is none. */
static enum ga_dtype
number_dtype(const ga_question *question, int i)
{
    switch ((int)question->codes[i]) {
    case GA_CODE_INT:
        return GA_i64;
    case GA_CODE_FLOAT:
        return GA_f64;
    case GA_CODE_COMPLEX:
        return GA_c128;
    default:
        return GA_DTYPE_COUNT;
    }
}

/* numpy_ufunc.resolve_dtypes reads through NULL where a Python number fails "equiv" (NumPy 2.4): then "no" is asked, which
 * is as strict with arrays and lets numbers pass, and the numbers are judged here. */
static bool
judges_numbers(const GaUfunc *ufunc, const ga_question *question)
{
    bool number = false;
    for (int i = 0; i < ufunc->info->nin; i++)
        number = number || number_dtype(question, i) != GA_DTYPE_COUNT;
    return number && question->casting == NPY_EQUIV_CASTING;
}

static enum ga_call_status
judge_numbers(const GaUfunc *ufunc, const ga_question *question, const ga_resolution *answer)
{
    for (int i = 0; i < ufunc->info->nin; i++) {
        enum ga_dtype own = number_dtype(question, i);
        if (own == GA_DTYPE_COUNT || own == answer->dtypes[i])
            continue;
        PyErr_Format(PyExc_TypeError, "cannot cast Python %s to %S under the casting rule 'equiv'",
                     ((PyTypeObject *)slot_object(question, i))->tp_name, answer->descrs[i]);
        return GA_CALL_ERROR;
    }
    return GA_CALL_OK;
}

static PyObject *
question_keywords(const GaUfunc *ufunc, const ga_question *question)
{
    NPY_CASTING casting = judges_numbers(ufunc, question) ? NPY_NO_CASTING : question->casting;
    PyObject *keywords = Py_BuildValue("{s:s,s:O}", "casting", ga_dtype_casting_name(casting), "reduction",
                                       question->reduction ? Py_True : Py_False);
    if (keywords != NULL &&
        add_signature(keywords, question, ufunc->info->nin + ufunc->info->nout) < 0)
        Py_CLEAR(keywords);
    return keywords;
}

/* NumPy's answer as a tuple of dtypes. */
static PyObject *
ask_numpy(const GaUfunc *ufunc, const ga_question *question)
{
    PyObject *answer = NULL, *method = NULL, *args = NULL;
    PyObject *dtypes = question_dtypes(ufunc, question);
    PyObject *keywords = question_keywords(ufunc, question);
    if (dtypes == NULL || keywords == NULL)
        goto done;
    method = PyObject_GetAttrString(ufunc->numpy_ufunc, "resolve_dtypes");
    args = PyTuple_Pack(1, dtypes);
    if (method != NULL && args != NULL)
        answer = PyObject_Call(method, args, keywords);
done:
    Py_XDECREF(args);
    Py_XDECREF(method);
    Py_XDECREF(keywords);
    Py_XDECREF(dtypes);
    return answer;
}

void
ga_resolve_clear(ga_resolution *answer)
{
    for (int i = 0; i < 4; i++)
        Py_CLEAR(answer->descrs[i]);
}

/* Whether there is a kernel for the answer, as it is or with float32 in place of bfloat16 and float8. */
static bool
has_kernel(const GaUfunc *ufunc, const ga_resolution *answer, bool widened)
{
    int nin = ufunc->info->nin, count = nin + ufunc->info->nout;
    enum ga_dtype dtypes[4];
    ga_loop loop;
    for (int i = 0; i < count; i++)
        dtypes[i] = widened ? ga_registry_widened(answer->dtypes[i]) : answer->dtypes[i];
    bool found = ga_registry_loop(ufunc->op, dtypes, &loop);
    for (int i = nin; i < count && found; i++)
        found = loop.out[i - nin] == dtypes[i];
    return found;
}

/* FOREIGN where NumPy's loop is for a dtype no device holds, or one of which there is no kernel. */
static enum ga_call_status
read_answer(const GaUfunc *ufunc, PyObject *dtypes, ga_resolution *answer)
{
    int count = ufunc->info->nin + ufunc->info->nout;
    for (int i = 0; i < count; i++) {
        PyArray_Descr *descr = (PyArray_Descr *)PyTuple_GET_ITEM(dtypes, i);
        answer->descrs[i] = (PyArray_Descr *)Py_NewRef(descr);
        answer->dtypes[i] = ga_dtype_of(descr);
        if (answer->dtypes[i] == GA_DTYPE_COUNT)
            return GA_CALL_FOREIGN;
    }
    answer->widened = !has_kernel(ufunc, answer, false);
    return !answer->widened || has_kernel(ufunc, answer, true) ? GA_CALL_OK : GA_CALL_FOREIGN;
}

enum ga_call_status
ga_resolve_ask(const GaUfunc *ufunc, const ga_question *question, ga_resolution *answer)
{
    *answer = (ga_resolution){.descrs = {NULL}};
    PyObject *dtypes = ask_numpy(ufunc, question);
    if (dtypes == NULL)
        return GA_CALL_ERROR;
    enum ga_call_status status = read_answer(ufunc, dtypes, answer);
    Py_DECREF(dtypes);
    if (status == GA_CALL_OK && judges_numbers(ufunc, question))
        status = judge_numbers(ufunc, question, answer);
    if (status != GA_CALL_OK)
        ga_resolve_clear(answer);
    return status;
}
