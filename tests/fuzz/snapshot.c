/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a snapshot of PyTorch's allocator, the same however they are cut into reads, and what is told of it. */
#include <assert.h>

#include "memory/account/account.h"
#include "memory/snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MOST_DEVICES = 4 };

static void check_log(const struct memory_log *log)
{
    uint16_t before = 0;
    for (size_t i = 0; i < log->event_count; i++) {
        const struct memory_event *event = &log->events[i];
        assert(event->context < log->context_count && event->bytes >= 0 && event->bytes <= MEMORY_MOST_BYTES);
        assert(event->time_ns >= -1 && event->action <= MEMORY_OTHER);
        assert(event->device < log->devices && event->device >= before);
        before = event->device;
    }
    for (size_t i = 0; i < log->context_count; i++) {
        const struct memory_context *context = &log->contexts[i];
        assert(context->user == MEMORY_NONE || context->user < log->frame_count);
        assert(context->inner == MEMORY_NONE || context->inner < log->frame_count);
    }
    for (size_t i = 0; i < log->segment_count; i++)
        assert(log->segments[i].device < log->devices &&
               log->segments[i].first_block + log->segments[i].blocks <= log->block_count);
}

static void check_layout(const struct memory_layout *layout)
{
    assert(layout->largest <= layout->usable && layout->usable <= layout->free && layout->stuck <= layout->free &&
           layout->free >= 0 && layout->held >= 0);
}

static void check_account(const struct memory_account *account)
{
    int64_t of_categories = 0, of_lines = 0;
    for (int i = 0; i < CATEGORIES; i++)
        of_categories += account->categories[i].bytes;
    for (uint32_t i = 0; i < account->line_count; i++)
        of_lines += account->lines[i].bytes;
    assert(account->peak >= account->begin && account->peak >= account->end);
    assert(of_categories == account->peak && of_lines == account->peak);
    check_layout(&account->at_end);
    check_layout(&account->at_peak);
    for (uint32_t i = 0; i < account->steps.count; i++)
        assert(account->steps.at[i].first < account->steps.at[i].end &&
               (!i || account->steps.at[i - 1].end <= account->steps.at[i].first));
    for (uint32_t i = 0; i < account->leak_count; i++)
        assert(account->leaks[i].steps <= account->leaks[i].of && account->leaks[i].bytes >= 0);
}

static void check_accounts(const struct memory_log *log, struct arena *arena)
{
    struct memory_common common = memory_common_new(log);
    for (uint32_t i = 0; i < log->devices && i < MOST_DEVICES; i++) {
        struct memory_account account;
        memory_account_of(&common, (uint16_t)i, arena, &account);
        check_account(&account);
    }
    memory_common_free(&common);
}

static bool read_in_chunks(const uint8_t *bytes, size_t size, size_t chunk, struct arena *arena, struct memory_log *log)
{
    struct steptime_error err;
    str broken;
    struct source *source = source_of_bytes("snapshot", bytes, size, chunk);
    *log = memory_log_new(arena);
    const bool good = snapshot_read(source, log, &broken, &err);
    source_close(source);
    if (good)
        check_log(log);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    struct memory_log whole, pieces;
    const bool good = read_in_chunks(bytes, size, size + 1, &arena, &whole);
    const bool again = read_in_chunks(bytes, size, 7, &arena, &pieces);
    const bool plain = size && bytes[0] == 0x80; /* of damaged packing it depends on the reads how much comes out */
    assert(!plain ||
           (again == good && whole.event_count == pieces.event_count && whole.context_count == pieces.context_count));
    if (good)
        check_accounts(&whole, &arena);
    memory_log_free(&whole);
    memory_log_free(&pieces);
    arena_free(&arena);
    return 0;
}
