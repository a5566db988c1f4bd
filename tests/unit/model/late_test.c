/* SPDX-License-Identifier: Apache-2.0 */
/* A value that is made when it is asked for is made once for all who ask, and not before. */
#include "model/estimate/late.h"

#include <pthread.h>
#include <stdatomic.h>

#include "unit/cmocka_first.h"

enum { ASKING = 8, VALUES = 200 };

static atomic_uint made;
static struct late values[VALUES];
static pthread_barrier_t start;

static void *make(const void *context, struct arena *arena)
{
    uint32_t *numbers = arena_array(arena, 1000, sizeof *numbers);
    numbers[999] = *(const uint32_t *)context;
    atomic_fetch_add(&made, 1);
    return numbers;
}

static void *ask_all(void *into)
{
    uint32_t **answers = into;
    pthread_barrier_wait(&start);
    for (uint32_t i = 0; i < VALUES; i++)
        answers[i] = late_value(&values[i], make, &i);
    return NULL;
}

static void threads_that_ask_at_once_get_the_same(void **state)
{
    static uint32_t *answers[ASKING][VALUES];
    pthread_t threads[ASKING];
    pthread_barrier_init(&start, NULL, ASKING);
    for (int i = 0; i < ASKING; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_all, answers[i]), 0);
    for (int i = 0; i < ASKING; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (uint32_t v = 0; v < VALUES; v++)
        for (int i = 0; i < ASKING; i++) {
            assert_ptr_equal(answers[i][v], answers[0][v]);
            assert_int_equal(answers[i][v][999], v);
        }
}

static void it_is_made_when_asked_and_once(void **state)
{
    static struct late value;
    const uint32_t number = 7;
    const unsigned before = atomic_load(&made);
    const uint32_t *first = late_value(&value, make, &number);
    assert_int_equal(first[999], 7);
    assert_ptr_equal(late_value(&value, make, NULL), first);
    assert_int_equal(atomic_load(&made), before + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_ask_at_once_get_the_same),
        cmocka_unit_test(it_is_made_when_asked_and_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
