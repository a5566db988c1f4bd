/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a trace file: an error that says something, or a trace that
 * keeps every promise of trace.h.
 */
#include <assert.h>

#include "base/error.h"
#include "memory_file.h"
#include "read/read.h"
#include "trace_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct steptime_error err = {0};
    struct trace *trace = trace_read(memory_file(bytes, size), NULL, &err);
    if (!trace) {
        assert(err.code == STEPTIME_INPUT && err.message[0]);
        return 0;
    }
    check_promises(trace);
    trace_free(trace);
    return 0;
}
