/* SPDX-License-Identifier: Apache-2.0 */
#include "tile_table.h"

#include <assert.h>
#include <pthread.h>

extern const char tiles_csv[];
extern const size_t tiles_csv_bytes;

enum vendor { NVIDIA, AMD, OTHERS, VENDORS };
enum { GENERATIONS = 5, LIBRARY = 0, GENERATION, OPERANDS, PRODUCT, TILES, COLUMNS };

/* Those of a vendor; its rows tell which of them has what is multiplied. */
static const char *const libraries[VENDORS] = {"cublas", "rocblas hipblaslt", "*"};
static const char *const generations[GENERATIONS] = {"pascal", "volta", "ampere", "hopper", "blackwell"};
static const char *const operands_words[TILE_OPERANDS] = {"fp32", "half", "format", "narrow"};
static const char *const products[] = {"single", "batched"};

static struct tile_list table[VENDORS][GENERATIONS][TILE_OPERANDS][2];

/* ---- reading the table, once ---- */

/* "128x64", "256x128p" */
static struct tile tile_of(str text)
{
    struct tile tile = {.pair = text.len && text.at[text.len - 1] == 'p'};
    int64_t n = 0, m = 0;
    str part;
    text.len -= tile.pair;
    const bool good = str_cut(&text, 'x', &part) && str_int(part, &n) && str_int(text, &m) && n > 0 && m > 0;
    assert(good && "tiles.csv is checked when the program is built");
    (void)good;
    tile.n = (double)n;
    tile.m = (double)m;
    return tile;
}

static struct tile_list list_of(str text)
{
    struct tile_list list = {.count = 0};
    for (str word; str_cut(&text, ' ', &word) && list.count < MOST_TILES;)
        list.at[list.count++] = tile_of(word);
    return list;
}

static bool is_all(str word)
{
    return str_eq(word, S("*"));
}

/* The place of the word; 0, the first, for all. */
static uint32_t place_of(str word, const char *const *words, uint32_t count)
{
    uint32_t at = 0;
    while (at < count && !is_all(word) && !str_eq(word, str_of(words[at])))
        at++;
    assert(at < count && "tiles.csv is checked when the program is built");
    return at;
}

static void put(const str *cell, enum vendor vendor, const struct tile_list *list)
{
    const uint32_t operands = place_of(cell[OPERANDS], operands_words, TILE_OPERANDS);
    for (uint32_t from = place_of(cell[GENERATION], generations, GENERATIONS); from < GENERATIONS; from++)
        for (uint32_t product = 0; product < 2; product++)
            if (is_all(cell[PRODUCT]) || str_eq(cell[PRODUCT], str_of(products[product])))
                table[vendor][from][operands][product] = *list;
}

static void read_line(str line)
{
    str cell[COLUMNS] = {0};
    for (int i = 0; i < COLUMNS; i++)
        str_cut(&line, ',', &cell[i]);
    const struct tile_list list = list_of(cell[TILES]);
    for (int vendor = 0; vendor < VENDORS; vendor++)
        if (is_all(cell[LIBRARY]) || str_is_among(libraries[vendor], cell[LIBRARY]))
            put(cell, vendor, &list);
}

static void read_table(void)
{
    str text = {tiles_csv, tiles_csv_bytes};
    bool header = true;
    for (str line; str_cut(&text, '\n', &line);) {
        if (!line.len || line.at[0] == '#')
            continue;
        if (!header)
            read_line(line);
        header = false;
    }
}

/* ---- asking it ---- */

int hardware_generation(const struct hardware *hardware)
{
    const double *figure = hardware->figure;
    const bool matrix_units = figure[HW_FP16] > 3 * figure[HW_FP32];
    return figure[HW_FP8] > 0 ? 3 : figure[HW_TF32] > 0 ? 2 : matrix_units ? 1 : 0;
}

/* Libraries tell later ones apart that have the same units for single precision. */
static int library_generation(const struct hardware *hardware)
{
    return hardware->figure[HW_FP4] > 0 ? GENERATIONS - 1 : hardware_generation(hardware);
}

static enum vendor vendor_of_name(str name)
{
    return str_starts(name, S("NVIDIA")) ? NVIDIA : str_starts(name, S("AMD")) ? AMD : OTHERS;
}

const struct tile_list *library_tiles(const struct hardware *hardware, enum tile_operands operands, bool batched)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_table);
    return &table[vendor_of_name(hardware->name)][library_generation(hardware)][operands][batched];
}
