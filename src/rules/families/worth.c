/* SPDX-License-Identifier: Apache-2.0 */
#include "worth.h"

#include "base/str.h"

/* clang-format off */
static const struct {
    const char *rule;
    struct worth worth;
} table[] = {
    {"ST101", {23, 9}},
    {"ST102", {3, 2}},
    {"ST103", {1, 0}},
    {"ST201", {14, 2}},
    {"ST301", {7, 1}},
    {"ST302", {8, 0}},
    {"ST401", {90, 48}},
    {"ST402", {44, 20}},
    {"ST403", {6, 3}},
    {"ST404", {18, 8}},
    {"ST406", {30, 19}},
    {"ST407", {7, 3}},
    {"ST408", {8, 0}},
    {"ST409", {63, 41}},
    {"ST410", {17, 4}},
    {"ST501", {14, 7}},
    {"ST502", {26, 11}},
    {"ST503", {20, 8}},
    {"ST601", {36, 19}},
    {"ST602", {119, 54}},
    {"ST604", {24, 12}},
    {"ST606", {14, 3}},
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
