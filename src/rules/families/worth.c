/* SPDX-License-Identifier: Apache-2.0 */
#include "worth.h"

#include "base/str.h"

/* clang-format off */
static const struct {
    const char *rule;
    struct worth worth;
} table[] = {
    {"ST101", {16, 5}},
    {"ST103", {1, 0}},
    {"ST201", {7, 2}},
    {"ST301", {5, 0}},
    {"ST302", {6, 0}},
    {"ST401", {63, 37}},
    {"ST402", {22, 9}},
    {"ST403", {3, 1}},
    {"ST404", {11, 5}},
    {"ST406", {23, 17}},
    {"ST407", {6, 3}},
    {"ST408", {2, 0}},
    {"ST409", {29, 18}},
    {"ST410", {9, 2}},
    {"ST501", {9, 6}},
    {"ST502", {18, 8}},
    {"ST503", {14, 6}},
    {"ST601", {17, 9}},
    {"ST602", {67, 38}},
    {"ST604", {15, 7}},
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
