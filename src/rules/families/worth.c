/* SPDX-License-Identifier: Apache-2.0 */
#include "worth.h"

#include "base/str.h"

/* clang-format off */
static const struct {
    const char *rule;
    struct worth worth;
} table[] = {
    {"ST101", {31, 11}},
    {"ST102", {3, 2}},
    {"ST103", {1, 0}},
    {"ST201", {18, 3}},
    {"ST301", {13, 1}},
    {"ST302", {9, 0}},
    {"ST401", {104, 55}},
    {"ST402", {58, 22}},
    {"ST403", {6, 3}},
    {"ST404", {22, 9}},
    {"ST406", {36, 21}},
    {"ST407", {11, 4}},
    {"ST408", {8, 0}},
    {"ST409", {70, 44}},
    {"ST410", {22, 5}},
    {"ST501", {17, 7}},
    {"ST502", {29, 11}},
    {"ST503", {24, 8}},
    {"ST601", {51, 24}},
    {"ST602", {151, 68}},
    {"ST604", {30, 15}},
    {"ST606", {19, 5}},
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
