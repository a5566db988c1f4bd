/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in memory cannot be made slow by a choice of names or ids; what is compared between processes stays the same. */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/cmocka_first.h"

enum { TEXTS = 1000, TEXT_BYTES = 16 };

/* Texts that share one value of a hash that anybody can compute: the second half undoes what the first did. */
static void choose_texts(char texts[TEXTS][TEXT_BYTES])
{
    for (uint64_t i = 0; i < TEXTS; i++) {
        char first[8];
        memcpy(first, &i, sizeof first);
        const uint64_t h = hash_rounds(TEXT_BYTES * 0x9E3779B97F4A7C15ULL, 0x9FB21C651E98DF25ULL, first, sizeof first);
        const uint64_t second = h ^ 0x5EED;
        memcpy(texts[i], first, sizeof first);
        memcpy(texts[i] + 8, &second, sizeof second);
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t distinct(uint64_t *hashes, size_t count)
{
    size_t found = count > 0;
    qsort(hashes, count, sizeof *hashes, compare);
    for (size_t i = 1; i < count; i++)
        found += hashes[i] != hashes[i - 1];
    return found;
}

static void chosen_texts_share_no_hash_of_a_table(void **state)
{
    static char texts[TEXTS][TEXT_BYTES];
    static uint64_t stable[TEXTS], keyed[TEXTS];
    choose_texts(texts);
    for (size_t i = 0; i < TEXTS; i++) {
        stable[i] = hash_stable(texts[i], TEXT_BYTES);
        keyed[i] = hash_bytes(texts[i], TEXT_BYTES);
    }
    assert_int_equal(distinct(stable, TEXTS), 1);
    assert_int_equal(distinct(keyed, TEXTS), TEXTS);
}

/* The mixer can be undone, so ids for one slot of a table of 2^20 can be chosen. */
static uint64_t unmixed(uint64_t x)
{
    x ^= x >> 33;
    x *= 0x9cb4b2f8129337dbULL; /* the inverses of its factors */
    x ^= x >> 33;
    x *= 0x4f74430c22a54005ULL;
    return x ^ x >> 33;
}

static void chosen_ids_share_no_slot_of_a_table(void **state)
{
    static uint64_t slots[TEXTS];
    for (uint64_t i = 0; i < TEXTS; i++) {
        const uint64_t id = unmixed(i << 20);
        assert_int_equal(hash_mix(id) & 0xFFFFF, 0);
        slots[i] = hash_word(id) & 0xFFFFF;
    }
    assert_true(distinct(slots, TEXTS) > TEXTS - 50); /* half of one is expected by chance */
}

/* Whatever the secret is: by chance 786 slots of 2048 are taken, give or take 11. */
static void ids_in_a_row_spread(void **state)
{
    enum { SECRETS = 2000, LEAST = 700 };
    static uint64_t slots[TEXTS];
    const struct hash_secret drawn = hash_secret;
    for (uint64_t secret = 0; secret < SECRETS; secret++) {
        hash_secret.start = hash_mix(2 * secret + 1);
        hash_secret.factor = hash_mix(2 * secret + 2) | 1;
        for (uint64_t i = 0; i < TEXTS; i++)
            slots[i] = hash_word(i) & 0x7FF; /* a table at most half full */
        assert_true(distinct(slots, TEXTS) > LEAST);
    }
    hash_secret = drawn;
}

static void what_is_compared_between_processes_never_changes(void **state)
{
    assert_true(hash_stable("", 0) == hash_mix(0));
    assert_true(hash_stable("aten::linear", 12) == 0x9588b3d44a1a3854ULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_texts_share_no_hash_of_a_table),
        cmocka_unit_test(chosen_ids_share_no_slot_of_a_table),
        cmocka_unit_test(ids_in_a_row_spread),
        cmocka_unit_test(what_is_compared_between_processes_never_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
