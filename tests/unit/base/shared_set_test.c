/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that meet at a set keep each thing once, and find it from then on. */
#include "unit/cmocka_first.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/shared_set.h"

enum { THINGS = 2000, THREADS = 4 };

static struct shared_set set;
static atomic_uint put;
static uint32_t things[THINGS];

static bool is_number(const void *thing, const void *wanted)
{
    return *(const uint32_t *)thing == *(const uint32_t *)wanted;
}

static const uint32_t *get(uint32_t number)
{
    const uint64_t hash = hash_word(number % 64); /* many share one */
    const uint32_t *found = shared_set_find(&set, hash, is_number, &number);
    if (found)
        return found;
    shared_set_lock(&set);
    found = shared_set_find(&set, hash, is_number, &number);
    if (!found) {
        things[number] = number;
        shared_set_put(&set, hash, found = &things[number]);
        atomic_fetch_add(&put, 1);
    }
    shared_set_unlock(&set);
    return found;
}

static void *get_all(void *step)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < THINGS; i++) {
        at = (at + *(const uint32_t *)step) % (THINGS);
        if (*get(at) != at || get(at) != &things[at])
            return step;
    }
    return NULL;
}

static void each_thing_is_kept_once(void **state)
{
    static const uint32_t steps[THREADS] = {1, 3, 7, 1999};
    pthread_t threads[THREADS];
    shared_set_begin(&set);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, get_all, (void *)&steps[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(put, THINGS);
    shared_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_thing_is_kept_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
