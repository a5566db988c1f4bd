/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include "base/mem.h"

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

/* ---- the amounts of events ---- */

enum { PAGE_ROWS = 256 };

#define NOT_BOOKED INT64_MIN

/* The events of an account that are near each other in the file lie on one page; most pages of an account are empty. */
struct ledger_page {
    int64_t amount[PAGE_ROWS];
};

static struct ledger_page *new_page(void)
{
    struct ledger_page *page = mem_alloc(sizeof *page);
    for (int i = 0; i < PAGE_ROWS; i++)
        page->amount[i] = NOT_BOOKED;
    return page;
}

static void make_room(struct ledger_amounts *amounts, uint32_t pages)
{
    const size_t before = amounts->room;
    amounts->pages = mem_grow(amounts->pages, &amounts->room, pages, sizeof *amounts->pages);
    for (size_t i = before; i < amounts->room; i++)
        amounts->pages[i] = NULL;
}

static int64_t *amount_of(struct ledger_amounts *amounts, uint32_t row)
{
    if (row == ROW_NONE)
        return &amounts->without_event;
    const uint32_t page = row / PAGE_ROWS;
    if (page >= amounts->room)
        make_room(amounts, page + 1);
    if (!amounts->pages[page])
        amounts->pages[page] = new_page();
    return &amounts->pages[page]->amount[row % PAGE_ROWS];
}

static struct ledger_amounts *new_amounts(void)
{
    struct ledger_amounts *amounts = mem_zeroed(sizeof *amounts);
    amounts->without_event = NOT_BOOKED;
    return amounts;
}

void ledger_book(struct ledger *ledger, enum account account, uint32_t row, int64_t amount)
{
    ledger->total[account] += amount;
    if (!ledger->wanted || !ledger->wanted[account])
        return;
    if (!ledger->amounts[account])
        ledger->amounts[account] = new_amounts();
    int64_t *booked = amount_of(ledger->amounts[account], row);
    *booked = *booked == NOT_BOOKED ? amount : *booked + amount;
}

/* ---- the largest ---- */

/* A heap of the largest entries so far, the least of them at the root. */
struct largest {
    struct ledger_entry *at;
    uint32_t count, most, met;
};

/* Of equal amounts the event that comes first in the file is the larger one. */
static bool is_less(const struct ledger_entry *a, const struct ledger_entry *b)
{
    return a->amount != b->amount ? a->amount < b->amount : a->row > b->row;
}

static void swap(struct ledger_entry *a, struct ledger_entry *b)
{
    const struct ledger_entry old = *a;
    *a = *b;
    *b = old;
}

static void sink(struct ledger_entry *at, uint32_t count, uint32_t i)
{
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_less(&at[child + 1], &at[child]))
            child++;
        if (!is_less(&at[child], &at[i]))
            return;
        swap(&at[child], &at[i]);
    }
}

static void rise(struct ledger_entry *at, uint32_t i)
{
    for (; i && is_less(&at[i], &at[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&at[i], &at[(i - 1) / 2]);
}

static void offer(struct largest *largest, uint32_t row, int64_t amount)
{
    const struct ledger_entry entry = {row, amount};
    if (amount == NOT_BOOKED)
        return;
    largest->met++;
    if (largest->count < largest->most) {
        largest->at[largest->count] = entry;
        rise(largest->at, largest->count++);
    } else if (largest->most && is_less(largest->at, &entry)) {
        largest->at[0] = entry;
        sink(largest->at, largest->count, 0);
    }
}

/* The heap in order, largest first. */
static void put_in_order(const struct largest *largest)
{
    for (uint32_t left = largest->count; left > 1; left--) {
        swap(&largest->at[0], &largest->at[left - 1]);
        sink(largest->at, left - 1, 0);
    }
}

struct ledger_entry *ledger_largest(const struct ledger *ledger, enum account account, uint32_t most,
                                    struct arena *arena, uint32_t *count, uint32_t *events)
{
    struct largest largest = {.at = arena_array(arena, most, sizeof *largest.at), .most = most};
    const struct ledger_amounts *amounts = ledger->amounts[account];
    for (size_t page = 0; amounts && page < amounts->room; page++)
        for (uint32_t i = 0; amounts->pages[page] && i < PAGE_ROWS; i++)
            offer(&largest, (uint32_t)page * PAGE_ROWS + i, amounts->pages[page]->amount[i]);
    if (amounts)
        offer(&largest, ROW_NONE, amounts->without_event);
    put_in_order(&largest);
    *count = largest.count;
    *events = largest.met;
    return largest.at;
}

static void free_amounts(struct ledger_amounts *amounts)
{
    for (size_t page = 0; amounts && page < amounts->room; page++)
        mem_free(amounts->pages[page]);
    if (amounts)
        mem_free(amounts->pages);
    mem_free(amounts);
}

void ledger_free(struct ledger *ledger)
{
    for (int account = 0; account < ACCOUNTS; account++) {
        free_amounts(ledger->amounts[account]);
        ledger->amounts[account] = NULL;
    }
}
