/* Which loop runs: asked once (ufunc_ask.c) and kept.
 *
 * Owns a ga_resolve_cache per ufunc: a hash table whose entries never move and are never dropped,
 * so that answers may be borrowed for as long as the ufunc lives, and a small table indexed by the
 * codes of two operands for the operators. Keys hold kinds and sizes (not type numbers: 'l' and 'q'
 * are both int64), time units, which slots are weak, signature, casting. */
#include "ufunc_call.h"

#include "dtype.h"

#define KEY_WORDS 9

typedef struct {
    uint64_t key[KEY_WORDS];
    ga_resolution answer;
} cache_entry;

struct ga_resolve_cache {
    cache_entry **slots; /* capacity is a power of two; NULL where empty */
    size_t capacity, count;
    const ga_resolution *direct[GA_CODE_COUNT][GA_CODE_COUNT + 1];
    const ga_resolution *reductions[GA_DTYPE_COUNT]; /* plain ones, by the operand's dtype */
};

struct ga_resolve_cache *
ga_resolve_cache_new(void)
{
    return PyMem_Calloc(1, sizeof(struct ga_resolve_cache));
}

void
ga_resolve_cache_free(struct ga_resolve_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->capacity; i++) {
        if (cache->slots[i] == NULL)
            continue;
        for (int k = 0; k < 4; k++)
            Py_XDECREF(cache->slots[i]->answer.descrs[k]);
        PyMem_Free(cache->slots[i]);
    }
    PyMem_Free(cache->slots);
    PyMem_Free(cache);
}

const ga_resolution *
ga_resolve_direct(const GaUfunc *ufunc, int first, int second)
{
    return ufunc->cache->direct[first][second];
}

const ga_resolution *
ga_resolve_direct_reduction(const GaUfunc *ufunc, enum ga_dtype dtype)
{
    return ufunc->cache->reductions[dtype];
}

static uint64_t
key_of_descr(const PyArray_Descr *descr)
{
    if (descr == NULL)
        return 0;
    uint64_t key = (uint64_t)ga_dtype_of(descr) + 1;
    if (PyDataType_ISDATETIME(descr)) {
        PyArray_DatetimeMetaData unit =
            ((PyArray_DatetimeDTypeMetaData *)PyDataType_C_METADATA(descr))->meta;
        key |= (uint64_t)(uint8_t)unit.base << 8 | (uint64_t)(uint32_t)unit.num << 16;
    }
    return key;
}

static void
make_key(const ga_question *question, uint64_t *key)
{
    for (int i = 0; i < 4; i++) {
        bool weak = question->codes[i] >= GA_CODE_INT && question->codes[i] < GA_CODE_COUNT;
        key[i] = weak ? (uint64_t)question->codes[i] + 1 : key_of_descr(question->descrs[i]);
        key[4 + i] = key_of_descr(question->signature[i]);
    }
    key[8] = (uint64_t)(unsigned)question->casting << 1 | question->reduction;
}

static size_t
hash_key(const uint64_t *key)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < KEY_WORDS; i++) {
        hash = (hash ^ key[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return (size_t)hash;
}

static cache_entry **
find_slot(cache_entry **slots, size_t capacity, const uint64_t *key)
{
    size_t at = hash_key(key) & (capacity - 1);
    while (slots[at] != NULL && memcmp(slots[at]->key, key, KEY_WORDS * sizeof *key) != 0)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static int
grow_cache(struct ga_resolve_cache *cache)
{
    size_t capacity = cache->capacity == 0 ? 16 : 2 * cache->capacity;
    cache_entry **slots = PyMem_Calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < cache->capacity; i++) {
        if (cache->slots[i] != NULL)
            *find_slot(slots, capacity, cache->slots[i]->key) = cache->slots[i];
    }
    PyMem_Free(cache->slots);
    cache->slots = slots;
    cache->capacity = capacity;
    return 0;
}

/* Whether an answer depends on the codes alone: no signature, no given output, no time units. */
static bool
is_plain(const ga_question *question, int nin)
{
    for (int i = 0; i < 4; i++) {
        bool given = question->descrs[i] != NULL;
        if (question->signature[i] != NULL || (given && i >= nin))
            return false;
        if (given && PyDataType_ISDATETIME(question->descrs[i]))
            return false;
    }
    return true;
}

/* Makes such an answer known to the small tables behind the fast paths. */
static void
remember_direct(GaUfunc *ufunc, const ga_question *question, const ga_resolution *answer)
{
    const enum ga_operand_code *codes = question->codes;
    struct ga_resolve_cache *cache = ufunc->cache;
    if (!is_plain(question, ufunc->info->nin))
        return;
    if (question->reduction) {
        if (codes[0] == GA_CODE_NONE && question->casting == NPY_UNSAFE_CASTING)
            cache->reductions[codes[1]] = answer;
    } else if (question->casting == NPY_SAME_KIND_CASTING) {
        int second = ufunc->info->nin == 2 ? (int)codes[1] : GA_CODE_NONE;
        cache->direct[codes[0]][second] = answer;
    }
}

static enum ga_call_status
add_entry(GaUfunc *ufunc, const ga_question *question, const uint64_t *key,
          const ga_resolution **out)
{
    struct ga_resolve_cache *cache = ufunc->cache;
    ga_resolution answer;
    enum ga_call_status status = ga_resolve_ask(ufunc, question, &answer);
    if (status != GA_CALL_OK)
        return status;
    cache_entry *entry = PyMem_Malloc(sizeof *entry);
    if (entry == NULL || (2 * cache->count >= cache->capacity && grow_cache(cache) < 0)) {
        PyMem_Free(entry);
        ga_resolve_clear(&answer);
        PyErr_NoMemory();
        return GA_CALL_ERROR;
    }
    memcpy(entry->key, key, sizeof entry->key);
    entry->answer = answer;
    cache_entry **slot = find_slot(cache->slots, cache->capacity, key);
    if (*slot == NULL) {
        *slot = entry;
        cache->count++;
    } else { /* another thread asked the same while NumPy ran */
        ga_resolve_clear(&entry->answer);
        PyMem_Free(entry);
        entry = *slot;
    }
    remember_direct(ufunc, question, &entry->answer);
    *out = &entry->answer;
    return GA_CALL_OK;
}

enum ga_call_status
ga_resolve_loop(GaUfunc *ufunc, const ga_question *question, const ga_resolution **out)
{
    uint64_t key[KEY_WORDS];
    struct ga_resolve_cache *cache = ufunc->cache;
    make_key(question, key);
    if (cache->capacity != 0) {
        cache_entry *entry = *find_slot(cache->slots, cache->capacity, key);
        if (entry != NULL) {
            *out = &entry->answer;
            return GA_CALL_OK;
        }
    }
    return add_entry(ufunc, question, key, out);
}
