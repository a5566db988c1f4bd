/* SPDX-License-Identifier: Apache-2.0 */
#include "device_name.h"

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static str lower(struct arena *arena, str text)
{
    char *copy = arena_alloc(arena, text.len);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = text.at[i] >= 'A' && text.at[i] <= 'Z' ? (char)(text.at[i] + ('a' - 'A')) : text.at[i];
    return (str){copy, text.len};
}

static bool any(str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

/* Words that no two devices of the catalogue differ in. */
static bool says_nothing(str word)
{
    static const char *const words[] = {
        "nvidia",   "amd",   "ati",    "tesla", "geforce",    "quadro",      "instinct", "radeon",
        "graphics", "gpu",   "tensor", "core",  "generation", "hbm2",        "hbm2e",    "hbm3",
        "hbm3e",    "gddr6", "gddr6x", "vf",    "oam",        "corporation", "inc",
    };
    return any(word, words, sizeof words / sizeof *words);
}

/* "SXM2" to "SXM6": the socket goes with the chip. */
static str without_socket_number(str word)
{
    return str_starts(word, S("sxm")) && word.len == 4 && digit(word.at[3]) ? (str){word.at, 3} : word;
}

static str next_word(str *rest)
{
    while (rest->len && !letter(rest->at[0]) && !digit(rest->at[0]))
        *rest = str_from(*rest, 1);
    size_t len = 0;
    while (len < rest->len && (letter(rest->at[len]) || digit(rest->at[len])))
        len++;
    const str word = {rest->at, len};
    *rest = str_from(*rest, len);
    return word;
}

static bool number(str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!digit(word.at[i]))
            return false;
    return word.len > 0;
}

/* "80 GB" and "80GiB" are "80gb". */
static str with_unit(struct arena *arena, str word, str *rest)
{
    str ahead = *rest;
    const str unit = lower(arena, next_word(&ahead));
    if (number(word) && (str_eq(unit, S("gb")) || str_eq(unit, S("gib")))) {
        *rest = ahead;
        return str_printf(arena, "%.*sgb", (int)word.len, word.at);
    }
    if (str_ends(word, S("gib")))
        return str_printf(arena, "%.*sgb", (int)(word.len - 3), word.at);
    return word;
}

static void insert(struct device_name *name, str word)
{
    if (name->count < DEVICE_NAME_WORDS) {
        uint32_t at = name->count;
        for (; at > 0 && str_cmp(word, name->words[at - 1]) < 0; at--)
            name->words[at] = name->words[at - 1];
        name->words[at] = word;
    }
    name->count++;
}

struct device_name device_name(struct arena *arena, str text)
{
    struct device_name name = {.count = 0};
    for (;;) {
        const str raw = next_word(&text);
        if (!raw.len)
            return name;
        const str word = with_unit(arena, lower(arena, raw), &text);
        if (!says_nothing(word))
            insert(&name, without_socket_number(word));
    }
}

bool device_name_eq(const struct device_name *a, const struct device_name *b)
{
    if (a->count != b->count || a->count > DEVICE_NAME_WORDS)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!str_eq(a->words[i], b->words[i]))
            return false;
    return true;
}

/* Letters to insert or delete; replacing one counts as both, so that MI300 is nearer to MI300X than to MI100. */
static uint32_t word_distance(str a, str b)
{
    enum { MOST = 15 };
    if (a.len > MOST || b.len > MOST)
        return MOST;
    uint32_t row[MOST + 1];
    for (uint32_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 0; i < a.len; i++) {
        uint32_t corner = row[0];
        row[0]++;
        for (size_t j = 0; j < b.len; j++) {
            const uint32_t change = corner + (a.at[i] != b.at[j] ? 2 : 0);
            const uint32_t edit = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);
            corner = row[j + 1];
            row[j + 1] = change < edit ? change : edit;
        }
    }
    return row[b.len];
}

/* Each word of a against the nearest of b. */
static uint32_t distance_from(const struct device_name *a, const struct device_name *b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < a->count && i < DEVICE_NAME_WORDS; i++) {
        uint32_t least = (uint32_t)a->words[i].len;
        for (uint32_t j = 0; j < b->count && j < DEVICE_NAME_WORDS; j++) {
            const uint32_t distance = word_distance(a->words[i], b->words[j]);
            least = distance < least ? distance : least;
        }
        sum += least;
    }
    return sum;
}

uint32_t device_name_distance(const struct device_name *a, const struct device_name *b)
{
    return distance_from(a, b) + distance_from(b, a);
}

bool device_name_like(const struct device_name *asked, const struct device_name *name)
{
    uint32_t letters = 0;
    for (uint32_t i = 0; i < asked->count && i < DEVICE_NAME_WORDS; i++)
        letters += (uint32_t)asked->words[i].len;
    return 2 * distance_from(asked, name) <= letters;
}
