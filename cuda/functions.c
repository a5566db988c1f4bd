/* SPDX-License-Identifier: Apache-2.0 */
#include "functions.h"

#include <stdlib.h>

enum { SLOTS = 2 * CUDAFILE_CODES_MOST };

struct known_function {
    uint32_t first_line, file_bytes, name_bytes;
    char *texts; /* of the file, then of the name */
};

static bool is_same(const struct known_function *known, const struct function *function)
{
    return known->first_line == function->first_line && known->file_bytes == function->file_bytes &&
           known->name_bytes == function->name_bytes && !memcmp(known->texts, function->file, function->file_bytes) &&
           !memcmp(known->texts + known->file_bytes, function->name, function->name_bytes);
}

static uint32_t hash_of(const struct function *function)
{
    const uint32_t file = cudafile_check((const unsigned char *)function->file, function->file_bytes),
                   name = cudafile_check((const unsigned char *)function->name, function->name_bytes);
    return (file * 31 + name) * 31 + function->first_line;
}

static bool has_tables(struct functions *f)
{
    if (!f->at)
        f->at = calloc(CUDAFILE_CODES_MOST, sizeof *f->at); /* pages that are not used cost nothing */
    if (!f->slots)
        f->slots = calloc(SLOTS, sizeof *f->slots);
    return f->at && f->slots;
}

static uint32_t add(struct functions *f, uint32_t slot, const struct function *function)
{
    const size_t bytes = (size_t)function->file_bytes + function->name_bytes;
    char *const texts = f->count + 1 < CUDAFILE_CODES_MOST ? malloc(bytes + 1) : NULL;
    if (!texts)
        return 0;
    memcpy(texts, function->file, function->file_bytes);
    memcpy(texts + function->file_bytes, function->name, function->name_bytes);
    const uint32_t id = ++f->count;
    f->at[id] = (struct known_function){function->first_line, function->file_bytes, function->name_bytes, texts};
    f->slots[slot] = id;
    return id;
}

uint32_t functions_id(struct functions *f, const void *code, const struct function *function, bool *is_new)
{
    const size_t place = (size_t)((uintptr_t)code >> 4) % FUNCTIONS_NEAR;
    *is_new = false;
    if (f->near[place].code == code && is_same(&f->at[f->near[place].id], function))
        return f->near[place].id;
    if (!has_tables(f))
        return 0;
    uint32_t slot = hash_of(function) % SLOTS;
    while (f->slots[slot] && !is_same(&f->at[f->slots[slot]], function))
        slot = (slot + 1) % SLOTS;
    *is_new = !f->slots[slot];
    const uint32_t id = *is_new ? add(f, slot, function) : f->slots[slot];
    if (id) {
        f->near[place].code = code;
        f->near[place].id = id;
    }
    return id;
}
