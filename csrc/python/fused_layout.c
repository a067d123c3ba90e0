/* Shapes and memory orders of what a fused function computes, found step by step as the calls would
 * find them that the kernel stands for. */
#include "fused.h"

/* The layout that the operation's own call would give. */
static int
lay_out_step(const ga_fused_step *step, const ga_fused_layout *known, ga_fused_layout *out)
{
    int64_t room[GA_FUSED_OPERANDS][GA_MAXDIMS];
    const int64_t *shapes[GA_FUSED_OPERANDS], *models[GA_FUSED_OPERANDS];
    int ndims[GA_FUSED_OPERANDS];
    for (int i = 0; i < step->count; i++) {
        ndims[i] = known[step->operands[i]].ndim;
        shapes[i] = known[step->operands[i]].shape;
        models[i] = room[i];
    }
    if (ga_layout_broadcast(step->count, ndims, shapes, &out->ndim, out->shape) < 0)
        return -1;
    for (int i = 0; i < step->count; i++)
        (void)ga_layout_broadcast_strides(out->ndim, out->shape, ndims[i], shapes[i],
                                          known[step->operands[i]].strides, room[i]);
    if (step->keeps)
        ga_layout_strides_like(out->ndim, out->shape, room[0], 1, out->strides);
    else
        ga_layout_strides_common(out->ndim, out->shape, step->count, models, 1, out->strides);
    return 0;
}

int
ga_fused_lay_out(const ga_fused_function *function, GaArray *const *inputs, ga_fused_layout *layouts)
{
    for (int i = 0; i < function->ninputs; i++) {
        const GaArray *a = inputs[i];
        layouts[i].ndim = a->ndim;
        memcpy(layouts[i].shape, a->shape, sizeof(int64_t) * (size_t)a->ndim);
        memcpy(layouts[i].strides, a->strides, sizeof(int64_t) * (size_t)a->ndim);
    }
    for (int i = 0; i < function->nsteps; i++) {
        if (lay_out_step(&function->steps[i], layouts, &layouts[function->ninputs + i]) < 0)
            return -1;
    }
    return 0;
}
