/* Only the head of the list is asked whether it is over, so that a collection costs one query:
 * memory behind it may wait a little longer than it must. A full list waits for its head. */
#include "retire.h"

#include <stdlib.h>

#include "status.h"

enum { MOST_RETIRED = 256 };

typedef struct retired {
    struct retired *next;
    const ga_backend *backend;
    ga_event *event;
    void (*deleter)(void *owner);
    void *owner;
} retired;

static struct {
    retired *first, **end;
    int count;
} waiting = {NULL, &waiting.first, 0};

static retired *
make_retired(const ga_backend *backend, ga_event *event, void (*deleter)(void *), void *owner)
{
    retired *item = malloc(sizeof *item);
    if (item != NULL) {
        *item = (retired){NULL, backend, event, deleter, owner};
    }
    return item;
}

static void
append(retired *item)
{
    *waiting.end = item;
    waiting.end = &item->next;
    waiting.count++;
}

/* Taken off the list before anything is called: the deleter may come back here. */
static void
give_back_first(void)
{
    retired *item = waiting.first;
    waiting.first = item->next;
    if (waiting.first == NULL) {
        waiting.end = &waiting.first;
    }
    waiting.count--;
    (void)item->backend->event_destroy(item->event);
    item->deleter(item->owner);
    free(item);
}

/* A device that cannot answer has no work left. */
static bool
is_over(const retired *item)
{
    bool done = true;
    return item->backend->event_query(item->event, &done) < 0 || done;
}

void
ga_retire_collect(void)
{
    while (waiting.first != NULL && is_over(waiting.first)) {
        give_back_first();
    }
}

int
ga_retire_after(ga_device *device, ga_stream *stream, void (*deleter)(void *), void *owner)
{
    const ga_backend *backend = device->backend;
    ga_event *event = NULL;
    if (backend->event_create(device->index, false, &event) < 0) {
        return ga_fail_backend(backend);
    }
    retired *item = make_retired(backend, event, deleter, owner);
    if (item == NULL || backend->event_record(event, stream) < 0) {
        free(item);
        (void)backend->event_destroy(event);
        return ga_fail(GA_ERR_DEVICE, "no event on %s", device->name);
    }
    append(item);
    if (waiting.count > MOST_RETIRED) {
        (void)backend->event_sync(waiting.first->event);
    }
    ga_retire_collect();
    return 0;
}
