/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's caching allocator, by its rules: each case is worked out by hand. */
#include "unit/cmocka_first.h"

#include <time.h>

#include "base/buf.h"
#include "dry/allocator.h"
#include "dry/free_blocks.h"
#include "unit/dry/lives_of.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* "+10 +20 -1": sizes in KiB, numbers in their order. */
static struct allocator_peak replay(const char *words, int64_t room)
{
    struct arena arena = {0};
    struct buf text = {0};
    str rest = str_of(words), word;
    int64_t number, made = 0;
    while (str_cut(&rest, ' ', &word)) {
        assert_true(str_int(str_from(word, 1), &number));
        if (word.at[0] == '+')
            buf_printf(&text, "+\t%lld\t%lld\tforward\tx:1\n", (long long)++made, (long long)number * KIB);
        else
            buf_printf(&text, "-\t%lld\n", (long long)number);
    }
    buf_char(&text, '\0');
    const struct dry_lives lives = lives_of(text.at, &arena);
    const struct allocator_peak peak = allocator_replay(&lives, room);
    buf_free(&text);
    arena_free(&arena);
    return peak;
}

static void sizes_are_rounded(void **state)
{
    assert_int_equal(allocator_rounded(0), 0);
    assert_int_equal(allocator_rounded(1), 512);
    assert_int_equal(allocator_rounded(512), 512);
    assert_int_equal(allocator_rounded(513), 1024);
}

static void segments_are_as_large_as_the_rules_say(void **state)
{
    assert_int_equal(replay("+1", ALLOCATOR_NO_LIMIT).reserved, 2 * MIB);
    assert_int_equal(replay("+1024", ALLOCATOR_NO_LIMIT).reserved, 2 * MIB);
    assert_int_equal(replay("+1025", ALLOCATOR_NO_LIMIT).reserved, 20 * MIB);
    assert_int_equal(replay("+10239", ALLOCATOR_NO_LIMIT).reserved, 20 * MIB);
    assert_int_equal(replay("+10240", ALLOCATOR_NO_LIMIT).reserved, 10 * MIB);
    assert_int_equal(replay("+10241", ALLOCATOR_NO_LIMIT).reserved, 12 * MIB);
    assert_int_equal(replay("+0", ALLOCATOR_NO_LIMIT).held_at, LIVES_NONE);
}

static void a_segment_is_shared_by_what_fits(void **state)
{
    assert_int_equal(replay("+1024 +1024", ALLOCATOR_NO_LIMIT).reserved, 2 * MIB);
    assert_int_equal(replay("+1024 +1024 +1", ALLOCATOR_NO_LIMIT).reserved, 4 * MIB);
    assert_int_equal(replay("+8192 +8192 +4096", ALLOCATOR_NO_LIMIT).reserved, 20 * MIB);
    assert_int_equal(replay("+8192 +8192 +4097", ALLOCATOR_NO_LIMIT).reserved, 40 * MIB);
}

/* Of 20 MiB 19 are taken: what is left is not more than 1 MiB, so the block stays whole. */
static void little_is_not_split_off_a_large_block(void **state)
{
    assert_int_equal(replay("+9728 +9728 +1025", ALLOCATOR_NO_LIMIT).reserved, 40 * MIB);
    assert_int_equal(replay("+9728 +9216 +1025", ALLOCATOR_NO_LIMIT).reserved, 20 * MIB);
}

static void freed_blocks_that_touch_are_one(void **state)
{
    assert_int_equal(replay("+4096 +4096 +4096 +8192 -2 -1 +8192", ALLOCATOR_NO_LIMIT).reserved, 20 * MIB);
    assert_int_equal(replay("+4096 +4096 +4096 +8192 -1 -3 +8192", ALLOCATOR_NO_LIMIT).reserved, 40 * MIB);
    assert_int_equal(replay("+4096 +4096 +4096 +8192 -1 -3 -2 +9216", ALLOCATOR_NO_LIMIT).reserved, 20 * MIB);
}

static void the_smallest_that_is_large_enough_is_taken(void **state)
{
    /* 32 and 16 MiB are free: 15 go into the 16, so that 31 find the 32. */
    assert_int_equal(replay("+32768 +16384 -1 -2 +15360 +31744", ALLOCATOR_NO_LIMIT).reserved, 48 * MIB);
}

static void what_is_cached_is_given_back_where_room_is_short(void **state)
{
    assert_int_equal(replay("+20480 -1 +30720", ALLOCATOR_NO_LIMIT).reserved, 50 * MIB);
    const struct allocator_peak tight = replay("+20480 -1 +30720", 32 * MIB);
    assert_int_equal(tight.failed_at, LIVES_NONE);
    assert_int_equal(tight.reserved, 30 * MIB);
}

static void what_has_no_room_is_told(void **state)
{
    const struct allocator_peak peak = replay("+20480 +30720 +1", 48 * MIB);
    assert_int_equal(peak.failed_at, 1);
    assert_int_equal(peak.missing, 2 * MIB);
    assert_int_equal(peak.held, 20 * MIB);
}

/* A tree against a list of the same blocks. */
static void the_tree_finds_what_a_list_finds(void **state)
{
    enum { BLOCKS = 400, TURNS = 8000 };
    static struct block blocks[BLOCKS];
    static bool in[BLOCKS];
    uint32_t root = NO_BLOCK, dice = 7;
    for (uint32_t i = 0; i < BLOCKS; i++)
        blocks[i] = (struct block){.address = i, .bytes = 512 * (1 + i * 37 % 50)};
    for (int turn = 0; turn < TURNS; turn++) {
        dice = dice * 1664525u + 1013904223u;
        const uint32_t at = (dice >> 8) % BLOCKS;
        if (in[at])
            free_blocks_take(blocks, &root, at);
        else
            free_blocks_put(blocks, &root, at);
        in[at] = !in[at];
        const int64_t wanted = 512 * ((dice >> 20) % 52);
        uint32_t best = NO_BLOCK;
        for (uint32_t i = 0; i < BLOCKS; i++)
            if (in[i] && blocks[i].bytes >= wanted && (best == NO_BLOCK || blocks[i].bytes < blocks[best].bytes))
                best = i;
        assert_int_equal(free_blocks_find(blocks, root, wanted), best);
    }
}

/* ---- how work grows ---- */

/* So many that stay, then turns of a small and a large one, of which each needs the other's segment back. */
static struct dry_lives turns(uint32_t count, struct arena *arena)
{
    struct dry_lives lives = {.storages = arena_array(arena, 3 * count, sizeof *lives.storages),
                              .events = arena_array(arena, 5 * count, sizeof *lives.events)};
    for (uint32_t i = 0; i < count; i++) {
        lives.events[lives.event_count++] = (struct dry_event){LIFE_MADE, lives.count};
        lives.storages[lives.count++] = (struct dry_storage){.bytes = 512, .place = S("")};
    }
    for (uint32_t i = 0; i < 2 * count; i++) {
        lives.events[lives.event_count++] = (struct dry_event){LIFE_MADE, lives.count};
        lives.events[lives.event_count++] = (struct dry_event){LIFE_DIED, lives.count};
        lives.storages[lives.count++] = (struct dry_storage){.bytes = i % 2 ? 20 * MIB : KIB, .place = S("")};
    }
    return lives;
}

/* The quickest of three, in seconds of the processor. */
static double seconds_of_turns(uint32_t count)
{
    double best = 1e9;
    struct arena arena = {0};
    const struct dry_lives lives = turns(count, &arena);
    for (int i = 0; i < 3; i++) {
        const clock_t begin = clock();
        const struct allocator_peak peak = allocator_replay(&lives, (int64_t)count * 512 + 21 * MIB);
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
        assert_int_equal(peak.failed_at, LIVES_NONE);
        assert_int_equal(peak.held, (int64_t)count * 512 + 20 * MIB);
    }
    arena_free(&arena);
    return best;
}

/* Four times as many take about four times as long; squares would take sixteen times. */
static void work_grows_with_the_number_of_lives(void **state)
{
    const double few = seconds_of_turns(1 << 13), many = seconds_of_turns(1 << 15);
    assert_true(many < 9 * few + 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_rounded),
        cmocka_unit_test(segments_are_as_large_as_the_rules_say),
        cmocka_unit_test(a_segment_is_shared_by_what_fits),
        cmocka_unit_test(little_is_not_split_off_a_large_block),
        cmocka_unit_test(freed_blocks_that_touch_are_one),
        cmocka_unit_test(the_smallest_that_is_large_enough_is_taken),
        cmocka_unit_test(what_is_cached_is_given_back_where_room_is_short),
        cmocka_unit_test(what_has_no_room_is_told),
        cmocka_unit_test(the_tree_finds_what_a_list_finds),
        cmocka_unit_test(work_grows_with_the_number_of_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
