/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 12 };

bool texts_begin(struct texts *texts, struct out *out)
{
    texts->out = out;
    texts->count = 1;
    texts->mask = FIRST_SLOTS - 1;
    texts->slots = calloc(FIRST_SLOTS, sizeof *texts->slots);
    texts->at = calloc(CUDAFILE_TEXTS_MOST, sizeof *texts->at); /* pages that are not used cost nothing */
    if (texts->slots && texts->at)
        return true;
    free(texts->slots);
    free(texts->at);
    return false;
}

static uint32_t hash_of(const char *text, size_t len)
{
    return cudafile_check((const unsigned char *)text, len);
}

static bool is_text(const char *kept, const char *text, size_t len)
{
    return !strncmp(kept, text, len) && !kept[len];
}

static void grow(struct texts *texts)
{
    const uint32_t mask = texts->mask * 2 + 1;
    uint32_t *const slots = calloc((size_t)mask + 1, sizeof *slots);
    if (!slots)
        return; /* fuller, and slower */
    for (uint32_t id = 1; id < texts->count; id++) {
        uint32_t slot = hash_of(texts->at[id], strlen(texts->at[id])) & mask;
        while (slots[slot])
            slot = (slot + 1) & mask;
        slots[slot] = id;
    }
    free(texts->slots);
    texts->slots = slots;
    texts->mask = mask;
}

typedef char *(*demangler)(const char *name, char *into, size_t *bytes, int *status);

/* Python opens libraries for themselves alone, so the C++ library of PyTorch is there, but its functions are not found by name. */
static demangler find_demangler(void)
{
    static const char library[] = "libstdc++.so.6";
    demangler found = NULL;
    void *function = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *const opened = function ? NULL : dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened)
        function = dlsym(opened, "__cxa_demangle");
    memcpy(&found, &function, sizeof found);
    return found;
}

/* A name of C++ as people write it, to be freed; NULL: it is none, or there is no C++ library. */
static char *plain_name(const char *name)
{
    static demangler demangle;
    static bool was_sought;
    int status;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    if (!was_sought)
        demangle = find_demangler();
    was_sought = true;
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

static void put_text(struct out *out, uint32_t id, const char *text)
{
    char *const plain = plain_name(text);
    const char *const shown = plain ? plain : text;
    row_begin(out, CUDAFILE_TEXT);
    row_number(out, id);
    row_bytes(out, shown, strnlen(shown, CUDAFILE_TEXT_MOST));
    row_end(out);
    free(plain);
}

static uint32_t add(struct texts *texts, uint32_t slot, const char *text, size_t len)
{
    const bool full = texts->count == CUDAFILE_TEXTS_MOST || texts->bytes + len > TEXTS_BYTES_MOST ||
                      texts->count > texts->mask - texts->mask / 8;
    char *const copy = full ? NULL : malloc(len + 1);
    if (!copy) {
        texts->refused++;
        return 0;
    }
    memcpy(copy, text, len);
    copy[len] = 0;
    const uint32_t id = texts->count++;
    texts->at[id] = copy;
    texts->slots[slot] = id;
    texts->bytes += len + 1;
    put_text(texts->out, id, copy);
    if (texts->count > texts->mask / 2)
        grow(texts);
    return id;
}

static uint32_t find(struct texts *texts, const char *text)
{
    const size_t len = strnlen(text, CUDAFILE_TEXT_MOST);
    uint32_t slot = hash_of(text, len) & texts->mask;
    for (; texts->slots[slot]; slot = (slot + 1) & texts->mask)
        if (is_text(texts->at[texts->slots[slot]], text, len))
            return texts->slots[slot];
    return add(texts, slot, text, len);
}

uint32_t texts_id(struct texts *texts, const char *text)
{
    if (!text || !*text)
        return 0;
    const size_t place = (size_t)((uintptr_t)text >> 3) % TEXTS_NEAR;
    if (texts->near[place].address == text) {
        const uint32_t id = texts->near[place].id;
        if (is_text(texts->at[id], text, strnlen(text, CUDAFILE_TEXT_MOST)))
            return id;
    }
    const uint32_t id = find(texts, text);
    if (id) {
        texts->near[place].address = text;
        texts->near[place].id = id;
    }
    return id;
}
