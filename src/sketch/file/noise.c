/* SPDX-License-Identifier: Apache-2.0 */
/* The coder is that of LZMA: 32 bits of range, a carry that is handed on through bytes held back. */
#include "noise.h"

enum {
    HALF_BITS = 16,
    TOP = 1 << 24,
    LEARNT = 4, /* bits behind the highest one */
    CLASSES = 65,
    CLASS_NODES = 128,
    LATEST = 120, /* how many are remembered: what comes adapts to that */
    FLUSH_BYTES = 5,
};

/* How likely a 0 is, less a half, in 1/65536; and how often it was asked. All zeros is the beginning. */
struct chance {
    int16_t above_half;
    uint16_t seen;
};

/* Most columns hold few sizes, or nothing: there is room for what is used. */
struct column {
    struct chance class[CLASS_NODES]; /* of the highest bit, by a tree */
    struct chance *below[CLASSES];    /* of the bits below it, by a tree; NULL: not yet */
    struct chance sign[CLASSES];
};

struct noise {
    struct buf out;
    const uint8_t *at, *end; /* reads */
    bool writes, any, over;  /* over: more was asked for than there is */
    uint64_t low;
    uint32_t range, code;
    uint8_t held;            /* the last byte but for those of all ones behind it, which a carry may change */
    uint64_t held_count;     /* both */
    struct column **columns; /* NULL: not yet */
    struct arena *arena;
};

/* ---- out ---- */

static void shift_low(struct noise *n)
{
    if ((uint32_t)n->low < 0xFF000000u || n->low >> 32) {
        const uint8_t carry = (uint8_t)(n->low >> 32);
        uint8_t byte = n->held;
        for (; n->held_count; n->held_count--, byte = 0xFF)
            buf_char(&n->out, (char)(uint8_t)(byte + carry));
        n->held = (uint8_t)(n->low >> 24);
    }
    n->held_count++;
    n->low = (n->low & 0x00FFFFFF) << 8;
}

/* ---- in ---- */

static uint8_t next_byte(struct noise *n)
{
    n->over |= n->at == n->end;
    return n->at == n->end ? 0 : *n->at++;
}

static void begin(struct noise *n)
{
    n->any = true;
    for (int i = 0; i < FLUSH_BYTES && !n->writes; i++)
        n->code = n->code << 8 | next_byte(n);
}

/* ---- both ways ---- */

static void renew(struct noise *n)
{
    while (n->range < TOP) {
        n->range <<= 8;
        if (n->writes)
            shift_low(n);
        else
            n->code = n->code << 8 | next_byte(n);
    }
}

/* Takes the lower part of the range for a 0, the rest for a 1. */
static uint32_t narrow(struct noise *n, uint32_t lower, uint32_t bit)
{
    if (!n->writes)
        bit = n->code >= lower;
    if (bit) {
        n->low += n->writes ? lower : 0;
        n->code -= n->writes ? 0 : lower;
        n->range -= lower;
    } else {
        n->range = lower;
    }
    renew(n);
    return bit;
}

static uint32_t learnt_bit(struct noise *n, struct chance *chance, uint32_t bit)
{
    const uint32_t zero = (uint32_t)((1 << (HALF_BITS - 1)) + chance->above_half);
    bit = narrow(n, (uint32_t)((uint64_t)n->range * zero >> HALF_BITS), bit);
    const int32_t towards = bit ? 64 - (1 << (HALF_BITS - 1)) : (1 << (HALF_BITS - 1)) - 64;
    chance->above_half += (int16_t)(2 * (towards - chance->above_half) / (2 * chance->seen + 3));
    chance->seen += chance->seen < LATEST;
    return bit;
}

static uint64_t plain_bits(struct noise *n, uint32_t count, uint64_t bits)
{
    uint64_t got = 0;
    while (count--)
        got = got << 1 | narrow(n, n->range >> 1, bits >> count & 1);
    return got;
}

/* A number of so many bits by the nodes of a tree. */
static uint32_t tree(struct noise *n, struct chance *nodes, uint32_t count, uint32_t bits)
{
    uint32_t node = 1;
    for (uint32_t i = count; i-- > 0;)
        node = node << 1 | learnt_bit(n, &nodes[node], bits >> i & 1);
    return node - (1u << count);
}

static uint32_t class_of(uint64_t size)
{
    return size ? 64 - (uint32_t)__builtin_clzll(size) : 0;
}

static struct column *column_at(struct noise *n, uint32_t column)
{
    if (!n->columns[column])
        n->columns[column] = arena_array(n->arena, 1, sizeof **n->columns);
    return n->columns[column];
}

static struct chance *below_of(struct noise *n, struct column *column, uint32_t class)
{
    if (!column->below[class])
        column->below[class] = arena_array(n->arena, 1 << LEARNT, sizeof **column->below);
    return column->below[class];
}

/* Of bits above the class that a file may name there are none. */
static uint64_t coded_size(struct noise *n, struct column *column, uint64_t size, uint32_t *class)
{
    *class = tree(n, column->class, 7, class_of(size));
    *class = *class < CLASSES ? *class : CLASSES - 1;
    if (*class < 2)
        return *class;
    const uint32_t all = *class - 1, learnt = all < LEARNT ? all : LEARNT;
    uint64_t got = 1ull << learnt | tree(n, below_of(n, column, *class), learnt,
                                         (uint32_t)(size >> (all - learnt) & ((1u << learnt) - 1)));
    return got << (all - learnt) | plain_bits(n, all - learnt, size);
}

static int64_t coded(struct noise *n, uint32_t column, int64_t value)
{
    uint32_t class;
    struct column *of = column_at(n, column);
    if (!n->any)
        begin(n);
    const uint64_t size = coded_size(n, of, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, &class);
    const uint32_t negative = size ? learnt_bit(n, &of->sign[class], value < 0) : 0;
    return (int64_t)(negative ? 0 - size : size);
}

int64_t noise_size(int64_t value)
{
    return class_of(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* ---- from outside ---- */

static struct noise *new (bool writes, str bytes, uint32_t columns, struct arena *arena)
{
    struct noise *n = arena_alloc(arena, sizeof *n);
    const uint8_t *const at = (const uint8_t *)(bytes.len ? bytes.at : "");
    *n = (struct noise){.writes = writes,
                        .at = at,
                        .end = at + bytes.len,
                        .range = UINT32_MAX,
                        .held_count = 1,
                        .columns = arena_array(arena, columns, sizeof(struct column *)),
                        .arena = arena};
    return n;
}

struct noise *noise_writer(uint32_t columns, struct arena *arena)
{
    return new (true, S(""), columns, arena);
}

struct noise *noise_reader(str bytes, uint32_t columns, struct arena *arena)
{
    return new (false, bytes, columns, arena);
}

void noise_put(struct noise *noise, uint32_t column, int64_t value)
{
    coded(noise, column, value);
}

int64_t noise_get(struct noise *noise, uint32_t column)
{
    return coded(noise, column, 0);
}

str noise_bytes(struct noise *noise, struct arena *arena)
{
    for (int i = 0; i < FLUSH_BYTES && noise->any; i++)
        shift_low(noise);
    const str bytes = str_copy(arena, buf_str(&noise->out));
    buf_free(&noise->out);
    return bytes;
}

bool noise_whole(const struct noise *noise)
{
    return noise->at == noise->end && !noise->over;
}
