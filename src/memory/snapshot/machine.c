/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <stdarg.h>

#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"

enum {
    WINDOW = 256 << 10,
    MOST_TEXT = 64 << 10, /* bytes of a text that are kept */
    MOST_STACK = 1 << 25, /* values: the longest list that is written in one piece */
    MOST_MARKS = 1 << 10, /* containers in containers; a snapshot has six */
    MOST_MEMO = 1 << 30,  /* values that may be named again */
    OLDEST = 2,
    NEWEST = 5,
};

bool refuse(struct machine *m, const char *format, ...)
{
    if (m->failed || m->ended)
        return false;
    char text[200];
    va_list args;
    va_start(args, format);
    format_text_v(text, sizeof text, format, args);
    va_end(args);
    m->failed = true;
    return fail_at(m->err, STEPTIME_INPUT, str_of(source_path(m->source)), m->began, "%s", text);
}

/* ---- bytes ---- */

static bool more(struct machine *m, size_t need)
{
    if (m->at != m->window)
        memmove(m->window, m->at, m->left);
    m->at = m->window;
    while (m->left < need) {
        const size_t got = source_read(m->source, m->window + m->left, WINDOW - m->left);
        if (!got) {
            m->ended = true;
            return false;
        }
        m->left += got;
    }
    return true;
}

/* `count` bytes that lie side by side; NULL at the end of the file. At most WINDOW. */
static inline const uint8_t *take(struct machine *m, size_t count)
{
    if (m->left < count && !more(m, count))
        return NULL;
    const uint8_t *at = m->at;
    m->at += count;
    m->left -= count;
    m->taken += (int64_t)count;
    return at;
}

static bool pass_over(struct machine *m, uint64_t count)
{
    while (count) {
        const size_t part = count < WINDOW ? (size_t)count : WINDOW;
        if (!take(m, part))
            return false;
        count -= part;
    }
    return true;
}

/* Little endian. */
static bool number(struct machine *m, unsigned bytes, uint64_t *value)
{
    const uint8_t *at = take(m, bytes);
    if (!at)
        return false;
    *value = 0;
    for (unsigned i = 0; i < bytes; i++)
        *value |= (uint64_t)at[i] << 8 * i;
    return true;
}

/* ---- the stack ---- */

static bool push(struct machine *m, uint8_t kind, int64_t number)
{
    if (m->depth >= m->stack_room) {
        if (m->depth >= MOST_STACK)
            return refuse(m, "more than %d values side by side: no snapshot has so many in one piece", MOST_STACK);
        m->stack = mem_grow(m->stack, &m->stack_room, m->depth + 1, sizeof *m->stack);
    }
    m->stack[m->depth++] = (struct value){number, kind};
    return true;
}

static bool mark(struct machine *m)
{
    if (m->mark_count >= MOST_MARKS)
        return refuse(m, "values nested more than %d deep: this is no snapshot of an allocator", MOST_MARKS);
    m->marks = mem_grow(m->marks, &m->mark_room, m->mark_count + 1, sizeof *m->marks);
    m->marks[m->mark_count++] = m->depth;
    return true;
}

/* The values that stand above the last mark, which is gone then. */
static bool above_mark(struct machine *m, size_t *first)
{
    if (!m->mark_count)
        return refuse(m, "an opcode wants a mark, and there is none");
    *first = m->marks[--m->mark_count];
    return true;
}

/* So many values must stand above the last mark. */
static bool has(struct machine *m, size_t count)
{
    const size_t floor = m->mark_count ? m->marks[m->mark_count - 1] : 0;
    return m->depth >= floor + count || refuse(m, "an opcode wants more values than there are");
}

/* ---- the memo ---- */

static bool keep(struct machine *m, uint64_t place)
{
    if (!has(m, 1))
        return false;
    if (place > m->memo_count || place >= MOST_MEMO)
        return refuse(m, "value %llu is kept before those below it: no pickler does that", (unsigned long long)place);
    const struct value *top = &m->stack[m->depth - 1];
    if (top->kind == VALUE_INT || top->kind == VALUE_PLAIN)
        return refuse(m, "a number is kept to be named again: no pickler does that");
    if (place == m->memo_count)
        m->memo = mem_grow(m->memo, &m->memo_room, ++m->memo_count, sizeof *m->memo);
    else if ((m->memo[place] & 15) == VALUE_OPEN)
        m->slots[m->memo[place] >> 4].pinned = true;
    m->memo[place] = (uint64_t)top->number << 4 | top->kind;
    if (top->kind == VALUE_OPEN) {
        struct slot *slot = &m->slots[top->number];
        slot->pinned |= slot->memo != MEMORY_NONE;
        slot->memo = (uint32_t)place;
    }
    return true;
}

static bool name_again(struct machine *m, uint64_t place)
{
    if (place >= m->memo_count)
        return refuse(m, "value %llu is named, and was never kept", (unsigned long long)place);
    const uint8_t kind = m->memo[place] & 15;
    if (kind == VALUE_OPEN)
        m->slots[m->memo[place] >> 4].pinned = true;
    return push(m, kind, (int64_t)(m->memo[place] >> 4));
}

/* ---- values ---- */

static bool text(struct machine *m, unsigned bytes_of_length)
{
    uint64_t length;
    if (!number(m, bytes_of_length, &length))
        return false;
    const size_t kept = length < MOST_TEXT ? (size_t)length : MOST_TEXT;
    const uint8_t *at = take(m, kept);
    if (!at)
        return false;
    const uint32_t id = intern_id(m->log->names, (str){(const char *)at, kept});
    m->log->texts_cut += kept < length;
    return pass_over(m, length - kept) && push(m, VALUE_TEXT, id);
}

static bool long_number(struct machine *m)
{
    uint64_t bytes, low = 0;
    if (!number(m, 1, &bytes))
        return false;
    const uint8_t *at = take(m, (size_t)bytes);
    if (!at)
        return false;
    if (bytes > 9 || (bytes == 9 && at[8]))
        return refuse(m, "a number of more than 64 bits");
    for (unsigned i = 0; i < 8; i++) {
        const bool negative = bytes && bytes < 8 && at[bytes - 1] & 0x80;
        low |= (uint64_t)(i < bytes ? at[i] : negative ? 0xFF : 0) << 8 * i;
    }
    return push(m, VALUE_INT, (int64_t)low);
}

static bool short_number(struct machine *m, unsigned bytes)
{
    uint64_t value;
    return number(m, bytes, &value) && push(m, VALUE_INT, bytes == 4 ? (int64_t)(int32_t)value : (int64_t)value);
}

static bool open_slot(struct machine *m, bool is_list)
{
    return push(m, VALUE_OPEN, slot_new(m, is_list));
}

/* The values on top become one, of which nobody asks more than whether a number in it is not 0. */
static bool tuple(struct machine *m, size_t first)
{
    int64_t any = 0;
    for (size_t i = first; i < m->depth; i++) {
        const struct value value = settle(m, m->stack[i]);
        any |= value.kind == VALUE_INT && value.number;
    }
    m->depth = first;
    return push(m, VALUE_OTHER, any);
}

static bool tuple_of(struct machine *m, size_t count)
{
    return has(m, count) && tuple(m, m->depth - count);
}

/* ---- containers ---- */

/* The values from `first` on go into the container below them. */
static bool put(struct machine *m, size_t first, bool list)
{
    if (!first || first > m->depth || m->stack[first - 1].kind != VALUE_OPEN ||
        (m->mark_count && m->marks[m->mark_count - 1] >= first))
        return refuse(m, "values for a %s stand behind something else", list ? "list" : "dict");
    const uint32_t slot = (uint32_t)m->stack[first - 1].number;
    const size_t count = m->depth - first;
    if (m->slots[slot].is_list != list)
        return refuse(m, "values for a %s stand behind a %s", list ? "list" : "dict", list ? "dict" : "list");
    const bool good = list ? list_add(m, slot, m->stack + first, count) : dict_add(m, slot, m->stack + first, count);
    m->depth = first;
    return good;
}

static bool put_marked(struct machine *m, bool list)
{
    size_t first = 0;
    return above_mark(m, &first) && put(m, first, list);
}

/* ---- opcodes ---- */

/* Of those that are refused: what they would do. */
static const char *harm(uint8_t opcode)
{
    switch (opcode) {
    case 'c':
    case 0x93:
        return "names something to import";
    case 'R':
    case 'i':
    case 'o':
    case 0x81:
    case 0x92:
        return "calls something";
    case 'b':
        return "sets the state of an object";
    case 'P':
    case 'Q':
    case 0x82:
    case 0x83:
    case 0x84:
        return "refers to something outside";
    default:
        return "is none that a snapshot has";
    }
}

static bool protocol(struct machine *m)
{
    uint64_t version;
    if (!number(m, 1, &version))
        return false;
    return (version >= OLDEST && version <= NEWEST) ||
           refuse(m, "a pickle of protocol %d; %d to %d are read", (int)version, OLDEST, NEWEST);
}

/* Those that take a number, a text, or a place in the memo. */
static bool with_argument(struct machine *m, uint8_t opcode)
{
    uint64_t value;
    switch (opcode) {
    case 0x80:
        return protocol(m);
    case 0x95: /* a frame: only its length, which nobody needs */
        return number(m, 8, &value);
    case 'h':
        return number(m, 1, &value) && name_again(m, value);
    case 'j':
        return number(m, 4, &value) && name_again(m, value);
    case 'q':
        return number(m, 1, &value) && keep(m, value);
    case 'r':
        return number(m, 4, &value) && keep(m, value);
    case 'K':
        return short_number(m, 1);
    case 'M':
        return short_number(m, 2);
    case 'J':
        return short_number(m, 4);
    case 0x8a:
        return long_number(m);
    case 'G':
        return number(m, 8, &value) && push(m, VALUE_PLAIN, 0);
    case 0x8c:
        return text(m, 1);
    case 'X':
        return text(m, 4);
    case 0x8d:
        return text(m, 8);
    default:
        return refuse(m, "opcode 0x%02x %s, and is not read", opcode, harm(opcode));
    }
}

static bool step(struct machine *m, uint8_t opcode)
{
    size_t first = 0;
    switch (opcode) {
    case 0x94:
        return keep(m, m->memo_count);
    case '(':
        return mark(m);
    case '}':
        return open_slot(m, false);
    case ']':
        return open_slot(m, true);
    case ')':
        return push(m, VALUE_OTHER, 0);
    case 'u':
        return put_marked(m, false);
    case 'e':
        return put_marked(m, true);
    case 's':
        return has(m, 3) && put(m, m->depth - 2, false);
    case 'a':
        return has(m, 2) && put(m, m->depth - 1, true);
    case 0x85:
        return tuple_of(m, 1);
    case 0x86:
        return tuple_of(m, 2);
    case 0x87:
        return tuple_of(m, 3);
    case 't':
        return above_mark(m, &first) && tuple(m, first);
    case 'N':
    case 0x89:
        return push(m, VALUE_PLAIN, 0);
    case 0x88:
        return push(m, VALUE_PLAIN, 1);
    default:
        return with_argument(m, opcode);
    }
}

bool machine_run(struct machine *m)
{
    m->window = mem_alloc(WINDOW);
    m->at = m->window;
    for (;;) {
        m->began = m->taken;
        const uint8_t *opcode = take(m, 1);
        if (!opcode)
            return false;
        if (*opcode == '.')
            return m->depth == 1 && !m->mark_count ? true : refuse(m, "the pickle ends with values left over");
        if (!step(m, *opcode))
            return false;
    }
}

void machine_free(struct machine *m)
{
    mem_free(m->window);
    mem_free(m->stack);
    mem_free(m->marks);
    mem_free(m->memo);
    mem_free(m->slots);
    mem_free(m->unused);
    mem_free(m->traces);
}
