/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the CUDA recorder's thread takes for a record: buffers as CUPTI 13.5 fills them, of as many calls as kernels, become
 * rows of a file.
 *
 *     cuda_recorder FILE [RECORDS]     ns a record, bytes a record; with /dev/null without the disk
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda/decode.h"

enum { BUFFER = 1 << 20, NAMES = 64 };

static struct out out;
static struct texts texts;
static char names[NAMES][160];

static const struct cupti_layout *layout(void)
{
    int is_newer;
    return cupti_layout_of(130500, &is_newer);
}

static int next_record(uint8_t *buffer, size_t valid, uint8_t **record)
{
    uint32_t kind;
    uint8_t *next = buffer;
    if (*record) {
        memcpy(&kind, *record, sizeof kind);
        next = *record + cupti_record_bytes(layout(), kind);
    }
    if (next >= buffer + valid)
        return RESULT_MAX_LIMIT_REACHED;
    *record = next;
    return RESULT_SUCCESS;
}

static int callback_name(int domain, uint32_t id, const char **name)
{
    *name = "cudaLaunchKernel_v7000";
    return RESULT_SUCCESS;
}

static void put4(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put8(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Bytes of a buffer of so many pairs. */
static size_t fill(uint8_t *buffer, uint64_t *ns, uint32_t *correlation, uint32_t *records)
{
    const unsigned call = cupti_record_bytes(layout(), KIND_RUNTIME),
                   kernel = cupti_record_bytes(layout(), KIND_KERNEL);
    uint8_t *at = buffer;
    memset(buffer, 0, BUFFER);
    for (; at + call + kernel <= buffer + BUFFER; *ns += 5000, *records += 2) {
        put4(at, KIND_RUNTIME);
        put4(at + CALL_ID, 211);
        put8(at + CALL_START, *ns);
        put8(at + CALL_END, *ns + 4000);
        put4(at + CALL_THREAD, 4711);
        put4(at + CALL_CORRELATION, ++*correlation);
        at += call;
        put4(at, KIND_CONCURRENT_KERNEL);
        put8(at + KERNEL_START, *ns + 9000);
        put8(at + KERNEL_END, *ns + 13000);
        put4(at + KERNEL_STREAM, 7);
        put4(at + KERNEL_CORRELATION, *correlation);
        put4(at + KERNEL_GRID_X, 1 + *correlation % 1000);
        put4(at + KERNEL_BLOCK_X, 256);
        put8(at + KERNEL_NAME, (uint64_t)(uintptr_t)names[*correlation % NAMES]);
        at += kernel;
    }
    return (size_t)(at - buffer);
}

static double now_s(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const uint64_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
    const struct cupti cupti = {.next_record = next_record, .callback_name = callback_name};
    struct decoder decoder = {.cupti = &cupti, .layout = layout(), .out = &out, .texts = &texts};
    uint8_t *const buffer = malloc(BUFFER);
    uint64_t ns = UINT64_C(1700000000000000000);
    uint32_t correlation = 0, records = 0;
    double spent_s = 0;
    out.fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (out.fd < 0 || !buffer || !texts_begin(&texts, &out))
        return 1;
    for (int i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof names[i],
                 "void at::native::vectorized_elementwise_kernel<4, at::native::functor_%d<float>, "
                 "std::array<char*, 3ul>>(int, float, std::array<char*, 3ul>)",
                 i);
    out_begin(&out);
    while (decoder.records < wanted) {
        const size_t valid = fill(buffer, &ns, &correlation, &records);
        const double begin_s = now_s();
        decode_buffer(&decoder, buffer, valid);
        spent_s += now_s() - begin_s;
    }
    out_flush(&out);
    printf("%.1f ns a record, %.1f million records a second, %.1f bytes a record\n",
           spent_s / (double)decoder.records * 1e9, (double)decoder.records / spent_s / 1e6,
           (double)out.bytes / (double)decoder.records);
    return out.error != 0;
}
