/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include "base/mem.h"
#include "base/sort.h"

const char *account_word(enum account account)
{
    static const char *const phases[PHASES] = {"forward", "backward", "optimizer", "none"};
    static const char *const overlaps[] = {"communication under compute", "copies under compute",
                                           "copies under communication"};
    static const char *const four[] = {"input_copy", "compute_bound", "memory_bound", "weight_communication"};
    const int a = (int)account;
    if (a < PARTS)
        return part_id((enum part)a);
    if (a == ACCOUNT_COPY)
        return "copies";
    if (a >= ACCOUNT_COMMUNICATION_UNDER_COMPUTE && a <= ACCOUNT_COPY_UNDER_COMMUNICATION)
        return overlaps[a - ACCOUNT_COMMUNICATION_UNDER_COMPUTE];
    if (a >= ACCOUNT_COPY_BYTES && a < ACCOUNT_LAUNCHED_COMPUTE)
        return part_id((enum part)(PART_FIRST_COPY + (a - ACCOUNT_COPY_BYTES) % COPY_PARTS));
    if (a >= ACCOUNT_INPUT_COPY && a <= ACCOUNT_WEIGHT_COMMUNICATION)
        return four[a - ACCOUNT_INPUT_COPY];
    return a >= ACCOUNT_PHASE_DEVICE ? phases[(a - ACCOUNT_PHASE_DEVICE) % PHASES] : "";
}

void ledger_book(struct ledger *ledger, enum account account, uint32_t row, int64_t amount)
{
    ledger->total[account] += amount;
    if (!ledger->wanted || !ledger->wanted[account])
        return;
    ledger->kept = mem_grow(ledger->kept, &ledger->room, ledger->count + 1, sizeof *ledger->kept);
    ledger->kept[ledger->count++] = (struct ledger_entry){account, row, amount};
    ledger->kept_of[account]++;
}

/* Entries of one event become one. */
static uint32_t joined(struct ledger_entry *entries, const struct keyed *by_row, uint32_t count,
                       const struct ledger_entry *kept)
{
    uint32_t joined = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = &kept[by_row[i].row];
        if (joined && entries[joined - 1].row == entry->row)
            entries[joined - 1].amount += entry->amount;
        else
            entries[joined++] = *entry;
    }
    return joined;
}

static void largest_first(struct ledger_entry *entries, struct keyed *order, uint32_t count, struct arena *scratch)
{
    struct ledger_entry *copy = arena_array(scratch, count, sizeof *copy);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = entries[i];
        order[i] = (struct keyed){-entries[i].amount, i};
    }
    sort_keyed(order, count);
    for (uint32_t i = 0; i < count; i++)
        entries[i] = copy[order[i].row];
}

struct ledger_entry *ledger_entries(const struct ledger *ledger, enum account account, struct arena *arena,
                                    uint32_t *count)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, ledger->kept_of[account], sizeof *order);
    uint32_t found = 0;
    for (size_t i = 0; found < ledger->kept_of[account]; i++)
        if (ledger->kept[i].account == account)
            order[found++] = (struct keyed){ledger->kept[i].row, (uint32_t)i};
    sort_keyed(order, found);
    struct ledger_entry *entries = arena_array(arena, found, sizeof *entries);
    *count = joined(entries, order, found, ledger->kept);
    largest_first(entries, order, *count, &scratch);
    arena_free(&scratch);
    return entries;
}

void ledger_free(struct ledger *ledger)
{
    mem_free(ledger->kept);
    ledger->kept = NULL;
    ledger->count = ledger->room = 0;
}
