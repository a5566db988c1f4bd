/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as rows of the CUDA recorder's file: in a section whose check is right, so that what is wrong with rows is met, and
 * cut in two sections at their middle. A trace that keeps every promise of trace.h, or an error that says something.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/error.h"
#include "cudafile/format.h"
#include "memory_file.h"
#include "read/read.h"
#include "trace_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void put_u32(struct buf *file, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        buf_char(file, (char)(value >> 8 * i));
}

static void put_section(struct buf *file, const uint8_t *payload, size_t size)
{
    put_u32(file, CUDAFILE_TAG);
    put_u32(file, (uint32_t)size);
    put_u32(file, 1);
    put_u32(file, cudafile_check(payload, size));
    buf_add(file, (str){(const char *)payload, size});
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct steptime_error err = {0};
    struct buf file = {0};
    if (size > CUDAFILE_PAYLOAD_MOST)
        return 0;
    buf_add(&file, S(CUDAFILE_MAGIC));
    buf_char(&file, CUDAFILE_VERSION);
    put_section(&file, bytes, size / 2);
    put_section(&file, bytes + size / 2, size - size / 2);
    put_section(&file, bytes, size);
    struct trace *trace = trace_read(memory_file((const uint8_t *)file.at, file.len), NULL, &err);
    assert(trace || (err.code == STEPTIME_INPUT && err.message[0]));
    if (trace)
        check_promises(trace);
    trace_free(trace);
    buf_free(&file);
    return 0;
}
