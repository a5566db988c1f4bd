/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a log of PyTorch's compiler, the same however they are cut into reads. */
#include <assert.h>

#include "compilelog/compilelog.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct compile_log *log)
{
    for (uint32_t i = 0; i < log->compile_count; i++) {
        const struct log_compile *compile = &log->compiles[i];
        assert(compile->id.len && compile->frame >= 0 && compile->number >= 0);
        assert(compile->start_ns >= -1 && compile->took_ns >= -1 && compile->backward_ns >= -1);
    }
    for (uint32_t i = 0; i < log->break_count; i++)
        assert(log->breaks[i].compile < log->compile_count);
    for (uint32_t i = 0; i < log->kernel_count; i++) {
        assert(log->kernels[i].compile < log->compile_count && log->kernels[i].name.len);
        assert((log->kernels[i].from == LINES_UNKNOWN) <= (log->kernels[i].line_count == 0));
    }
}

static struct compile_log read_in_chunks(const uint8_t *bytes, size_t size, size_t chunk, struct arena *arena)
{
    struct compile_log log = {.arena = arena};
    struct source *source = source_of_bytes("log", bytes, size, chunk);
    compile_log_add(&log, source, S("rank_3.log"));
    source_close(source);
    check(&log);
    return log;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    struct compile_log whole = read_in_chunks(bytes, size, size + 1, &arena);
    struct compile_log pieces = read_in_chunks(bytes, size, 7, &arena);
    assert(whole.records == pieces.records && whole.unread == pieces.unread);
    assert(whole.compile_count == pieces.compile_count && whole.kernel_count == pieces.kernel_count);
    compile_log_free(&whole);
    compile_log_free(&pieces);
    arena_free(&arena);
    return 0;
}
