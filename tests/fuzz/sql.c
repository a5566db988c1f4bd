/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a query over a small trace: an answer, or an error that says something. */
#include <assert.h>

#include "base/error.h"
#include "memory_file.h"
#include "read/read.h"
#include "sql/sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char events[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":90},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"train.py(1): main\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":80},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":20,\"args\":{\"External id\":3}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":2,\"args\":{\"correlation\":4}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":9,\"dur\":9,\"args\":{\"device\":0,\"stream\":7,\"correlation\":4}}]}";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct steptime_error err = {0};
    struct trace *trace = trace_read(memory_file((const uint8_t *)events, sizeof events - 1), NULL, &err);
    assert(trace);
    const struct sql_trace traces[] = {{trace, 0}, {trace, 1}};
    const struct sql_asked asked = {traces, 2, {(const char *)bytes, size}, 100, 1};
    struct arena arena = {0};
    struct sql_answer answer;
    if (sql_run(&asked, &arena, &answer, &err))
        assert(answer.count <= 100);
    else
        assert(err.message[0]);
    arena_free(&arena);
    trace_free(trace);
    return 0;
}
