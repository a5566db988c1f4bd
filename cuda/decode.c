/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

#include <stdio.h>

/* ---- fields, which lie where the compiler may not expect them ---- */

static inline uint8_t u8(const uint8_t *record, size_t at)
{
    return record[at];
}

static inline uint16_t u16(const uint8_t *record, size_t at)
{
    uint16_t value;
    memcpy(&value, record + at, sizeof value);
    return value;
}

static inline uint32_t u32(const uint8_t *record, size_t at)
{
    uint32_t value;
    memcpy(&value, record + at, sizeof value);
    return value;
}

static inline uint64_t u64(const uint8_t *record, size_t at)
{
    uint64_t value;
    memcpy(&value, record + at, sizeof value);
    return value;
}

static inline const char *text(const uint8_t *record, size_t at)
{
    return (const char *)(uintptr_t)u64(record, at);
}

static uint32_t name_of(struct decoder *d, const char *name)
{
    const uint32_t id = texts_id(d->texts, name);
    d->nameless += !id && name && *name;
    return id;
}

/* ---- calls ---- */

static bool is_digits(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == 0;
}

/* "cudaMemcpyAsync_ptsz_v7000" is cudaMemcpyAsync: the version, and which default stream was compiled in, are cut off. */
static void plain_name(char *name)
{
    static const char *const modes[] = {"_ptsz", "_ptds"};
    char *const version = strrchr(name, '_');
    if (version && version[1] == 'v' && strlen(version) > 4 && is_digits(version + 2))
        *version = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const size_t len = strlen(name), mode = strlen(modes[i]);
        if (len > mode && !strcmp(name + len - mode, modes[i]))
            name[len - mode] = 0;
    }
}

static uint32_t call_name(struct decoder *d, int is_runtime, uint32_t id)
{
    char plain[128];
    const char *name = NULL;
    uint32_t *const known = id < CALL_IDS ? &d->call_names[is_runtime][id] : NULL;
    if (known && *known)
        return *known;
    if (d->cupti->callback_name(is_runtime ? DOMAIN_RUNTIME : DOMAIN_DRIVER, id, &name) == RESULT_SUCCESS && name)
        snprintf(plain, sizeof plain, "%s", name);
    else
        snprintf(plain, sizeof plain, "%s call %u", is_runtime ? "runtime" : "driver", id);
    plain_name(plain);
    const uint32_t text = name_of(d, plain);
    if (known)
        *known = text;
    return text;
}

static void put_call(struct decoder *d, const uint8_t *r, int is_runtime)
{
    const uint32_t name = call_name(d, is_runtime, u32(r, CALL_ID));
    row_begin(d->out, CUDAFILE_CALL);
    row_number(d->out, (uint64_t)is_runtime);
    row_number(d->out, name);
    row_number(d->out, u32(r, CALL_THREAD));
    row_correlation(d->out, u32(r, CALL_CORRELATION));
    row_span(d->out, u64(r, CALL_START), u64(r, CALL_END));
    row_number(d->out, u32(r, CALL_RESULT));
    row_end(d->out);
}

/* ---- device work ---- */

/* Device, context and stream lie side by side in each of them. */
static void put_place(struct out *out, const uint8_t *r, size_t device, size_t correlation, size_t start)
{
    row_number(out, u32(r, device));
    row_number(out, u32(r, device + 4));
    row_number(out, u32(r, device + 8));
    row_correlation(out, u32(r, correlation));
    row_span(out, u64(r, start), u64(r, start + 8));
}

_Static_assert(KERNEL_CONTEXT == KERNEL_DEVICE + 4 && KERNEL_STREAM == KERNEL_DEVICE + 8 &&
                   KERNEL_END == KERNEL_START + 8,
               "as put_place has it");
_Static_assert(COPY_CONTEXT == COPY_DEVICE + 4 && COPY_STREAM == COPY_DEVICE + 8 && COPY_END == COPY_START + 8,
               "as put_place has it");
_Static_assert(SET_CONTEXT == SET_DEVICE + 4 && SET_STREAM == SET_DEVICE + 8 && SET_END == SET_START + 8,
               "as put_place has it");

static void put_kernel(struct decoder *d, const uint8_t *r)
{
    const uint32_t name = name_of(d, text(r, KERNEL_NAME));
    row_begin(d->out, CUDAFILE_KERNEL);
    put_place(d->out, r, KERNEL_DEVICE, KERNEL_CORRELATION, KERNEL_START);
    row_number(d->out, name);
    for (size_t at = KERNEL_GRID_X; at <= KERNEL_BLOCK_Z; at += 4)
        row_number(d->out, u32(r, at));
    row_number(d->out, u16(r, KERNEL_REGISTERS));
    row_number(d->out, u32(r, KERNEL_STATIC));
    row_number(d->out, u32(r, KERNEL_DYNAMIC));
    row_number(d->out, u32(r, KERNEL_GRAPH));
    row_number(d->out, u64(r, KERNEL_NODE));
    row_end(d->out);
}

/* Between two devices: the same, and the devices, which are 0 where they are not told. */
static void put_copy(struct decoder *d, const uint8_t *r, bool is_peer)
{
    row_begin(d->out, CUDAFILE_COPY);
    put_place(d->out, r, COPY_DEVICE, is_peer ? PEER_CORRELATION : COPY_CORRELATION, COPY_START);
    row_number(d->out, u64(r, COPY_BYTES));
    for (size_t at = COPY_KIND; at <= COPY_FLAGS; at++)
        row_number(d->out, u8(r, at));
    row_number(d->out, is_peer ? (uint64_t)u32(r, PEER_FROM_DEVICE) + 1 : 0);
    row_number(d->out, is_peer ? (uint64_t)u32(r, PEER_TO_DEVICE) + 1 : 0);
    row_end(d->out);
}

static void put_set(struct decoder *d, const uint8_t *r)
{
    row_begin(d->out, CUDAFILE_MEMSET);
    put_place(d->out, r, SET_DEVICE, SET_CORRELATION, SET_START);
    row_number(d->out, u64(r, SET_BYTES));
    row_number(d->out, u32(r, SET_VALUE));
    row_number(d->out, u16(r, SET_MEMORY));
    row_end(d->out);
}

/* ---- the rest ---- */

static void put_sync(struct decoder *d, const uint8_t *r)
{
    row_begin(d->out, CUDAFILE_SYNC);
    row_correlation(d->out, u32(r, SYNC_CORRELATION));
    row_span(d->out, u64(r, SYNC_START), u64(r, SYNC_END));
    row_number(d->out, u32(r, SYNC_TYPE));
    row_number(d->out, u32(r, SYNC_CONTEXT));
    row_number(d->out, u32(r, SYNC_STREAM));
    row_number(d->out, u32(r, SYNC_EVENT));
    row_end(d->out);
}

/* An object that is a thread is process, thread. */
static uint32_t thread_of(const uint8_t *r, size_t kind, size_t where)
{
    return u32(r, kind) == OBJECT_THREAD ? u32(r, where + 4) : 0;
}

/* CUDA's own C++ library marks each of its algorithms: a hundred ranges a step that the program did not ask for. */
static bool is_of_library(const char *domain)
{
    return domain && !strcmp(domain, "CCCL");
}

static void put_mark(struct decoder *d, const uint8_t *r)
{
    if (is_of_library(text(r, MARK_DOMAIN))) {
        d->of_library++;
        return;
    }
    const uint32_t name = name_of(d, text(r, MARK_NAME)), domain = name_of(d, text(r, MARK_DOMAIN));
    row_begin(d->out, CUDAFILE_MARK);
    row_time(d->out, u64(r, MARK_TIME));
    row_number(d->out, u32(r, MARK_ID));
    row_number(d->out, u32(r, MARK_FLAGS));
    row_number(d->out, thread_of(r, MARK_OBJECT, MARK_WHERE));
    row_number(d->out, name);
    row_number(d->out, domain);
    row_end(d->out);
}

static void put_overhead(struct decoder *d, const uint8_t *r)
{
    row_begin(d->out, CUDAFILE_OVERHEAD);
    row_span(d->out, u64(r, OVERHEAD_START), u64(r, OVERHEAD_END));
    row_number(d->out, u32(r, OVERHEAD_KIND));
    row_number(d->out, thread_of(r, OVERHEAD_OBJECT, OVERHEAD_WHERE));
    row_end(d->out);
}

static void put_device(struct decoder *d, const uint8_t *r)
{
    const uint32_t name = name_of(d, text(r, DEVICE_NAME));
    row_begin(d->out, CUDAFILE_DEVICE);
    row_number(d->out, u32(r, DEVICE_ID));
    row_number(d->out, name);
    row_number(d->out, u64(r, DEVICE_MEMORY));
    row_number(d->out, u32(r, DEVICE_SMS));
    row_number(d->out, u32(r, DEVICE_MAJOR));
    row_number(d->out, u32(r, DEVICE_MINOR));
    row_end(d->out);
}

static void put_record(struct decoder *d, const uint8_t *r, uint32_t kind)
{
    switch (kind) {
    case KIND_DRIVER:
    case KIND_RUNTIME:
        put_call(d, r, kind == KIND_RUNTIME);
        break;
    case KIND_KERNEL:
    case KIND_CONCURRENT_KERNEL:
        put_kernel(d, r);
        break;
    case KIND_MEMCPY:
    case KIND_MEMCPY2:
        put_copy(d, r, kind == KIND_MEMCPY2);
        break;
    case KIND_MEMSET:
        put_set(d, r);
        break;
    case KIND_SYNCHRONIZATION:
        put_sync(d, r);
        break;
    case KIND_MARKER:
        put_mark(d, r);
        break;
    case KIND_OVERHEAD:
        put_overhead(d, r);
        break;
    case KIND_DEVICE:
        put_device(d, r);
        break;
    default:
        d->unknown++;
    }
}

/*
 * CUPTI says where each record begins. How far one lies from the next is the size that its version gives, else the library
 * is not as it should be; and of the last record as much must be there.
 */
void decode_buffer(struct decoder *d, uint8_t *buffer, size_t valid)
{
    const uint8_t *const end = buffer + valid, *expected = NULL;
    uint8_t *record = NULL;
    int result;
    while ((result = d->cupti->next_record(buffer, valid, &record)) == RESULT_SUCCESS) {
        if (expected)
            d->odd_sizes += record != expected;
        d->records++;
        d->out->records++;
        const uint32_t kind = record >= buffer && end - record >= 4 ? u32(record, 0) : 0;
        const unsigned bytes = cupti_record_bytes(d->layout, kind);
        if (end - record < (ptrdiff_t)bytes)
            d->unknown++;
        else
            put_record(d, record, kind);
        expected = bytes ? record + bytes : NULL;
    }
    d->unknown += result != RESULT_MAX_LIMIT_REACHED; /* what lies behind it cannot be found */
}
