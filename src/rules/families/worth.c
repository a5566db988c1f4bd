/* SPDX-License-Identifier: Apache-2.0 */
#include "worth.h"

#include "base/str.h"

/* clang-format off */
static const struct {
    const char *rule;
    struct worth worth;
} table[] = {
    {"ST101", {20, 7}},
    {"ST102", {1, 0}},
    {"ST103", {1, 0}},
    {"ST201", {9, 2}},
    {"ST301", {7, 1}},
    {"ST302", {7, 0}},
    {"ST401", {81, 43}},
    {"ST402", {26, 10}},
    {"ST403", {3, 1}},
    {"ST404", {11, 5}},
    {"ST406", {28, 18}},
    {"ST407", {7, 3}},
    {"ST408", {3, 0}},
    {"ST409", {46, 27}},
    {"ST410", {12, 2}},
    {"ST501", {10, 6}},
    {"ST502", {21, 9}},
    {"ST503", {17, 8}},
    {"ST601", {23, 11}},
    {"ST602", {82, 39}},
    {"ST604", {17, 8}},
    {"ST606", {12, 3}},
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

enum { AS_MUCH_AS_ALL = 10 }; /* judged warnings of a rule that weigh as much as all other rules */

struct worth worth_of(const struct rule *rule)
{
    for (int i = 0; i < ROWS; i++)
        if (str_eq(str_of(table[i].rule), str_of(rule->id)))
            return table[i].worth;
    return (struct worth){0, 0};
}

struct worth worth_of_all(void)
{
    struct worth all = {0, 0};
    for (int i = 0; i < ROWS; i++) {
        all.judged += table[i].worth.judged;
        all.worth += table[i].worth.worth;
    }
    return all;
}

double worth_expected(const struct rule *rule)
{
    const struct worth all = worth_of_all(), own = worth_of(rule);
    const double share = (double)all.worth / all.judged;
    return (own.worth + AS_MUCH_AS_ALL * share) / (own.judged + AS_MUCH_AS_ALL);
}
