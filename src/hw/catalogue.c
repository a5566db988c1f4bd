/* SPDX-License-Identifier: Apache-2.0 */
#include "hw/catalogue.h"

#include <stdlib.h>

#include "hw/device_name.h"
#include "text/csv_reader.h"

extern const char hw_csv[]; /* made from data/hw.csv at build time */
extern const size_t hw_csv_bytes;

/* A spelling of a device, as words. */
struct alias {
    struct device_name name;
    uint32_t gpu;
    bool meant; /* the name means this device where nothing says otherwise */
};

struct catalogue {
    struct gpu *gpus;
    uint32_t gpu_count;
    struct alias *aliases;
    uint32_t alias_count, alias_room;
};

/* ---- the table ---- */

/* A decimal number times `scale`; 0 for an empty field. */
static double field_number(struct arena *arena, const struct csv_row *header, const struct csv_row *row, str column,
                           double scale)
{
    const str text = csv_field(row, csv_column(header, column));
    return text.len ? strtod(str_z(arena, text), NULL) * scale : 0;
}

static int64_t field_count(struct arena *arena, const struct csv_row *header, const struct csv_row *row, str column,
                           double scale)
{
    const double value = field_number(arena, header, row, column, scale);
    return value > 0 ? (int64_t)value : -1;
}

static struct gpu gpu_of_row(struct arena *arena, const struct csv_row *header, const struct csv_row *row)
{
    static const char *const peaks[PRECISIONS] = {
        [PRECISION_FP32] = "fp32_tflop_per_s", [PRECISION_FP32_MATRIX] = "fp32_matrix_tflop_per_s",
        [PRECISION_TF32] = "tf32_tflop_per_s", [PRECISION_FP16] = "fp16_tflop_per_s",
        [PRECISION_BF16] = "bf16_tflop_per_s", [PRECISION_FP8] = "fp8_tflop_per_s",
    };
    struct gpu gpu = {
        .name = csv_field(row, csv_column(header, S("name"))),
        .memory_bytes_per_s = field_number(arena, header, row, S("memory_gb_per_s"), 1e9),
        .memory_bytes = field_count(arena, header, row, S("memory_gib"), 1024.0 * 1024 * 1024),
        .sms = field_count(arena, header, row, S("sm_count"), 1),
        .source = csv_field(row, csv_column(header, S("source"))),
    };
    for (int i = 0; i < PRECISIONS; i++)
        gpu.flop_per_s[i] = field_number(arena, header, row, str_of(peaks[i]), 1e12);
    return gpu;
}

static struct alias *find_alias(const struct catalogue *catalogue, const struct device_name *name, uint32_t gpu)
{
    for (uint32_t i = 0; i < catalogue->alias_count; i++)
        if (catalogue->aliases[i].gpu == gpu && device_name_eq(&catalogue->aliases[i].name, name))
            return &catalogue->aliases[i];
    return NULL;
}

static void add_alias(struct catalogue *catalogue, struct arena *arena, str text, bool meant)
{
    const uint32_t gpu = catalogue->gpu_count - 1;
    const struct device_name name = device_name(arena, text);
    struct alias *known = find_alias(catalogue, &name, gpu);
    if (known)
        known->meant |= meant;
    else if (catalogue->alias_count < catalogue->alias_room)
        catalogue->aliases[catalogue->alias_count++] = (struct alias){name, gpu, meant};
}

/* Spellings stand between semicolons. */
static void add_aliases(struct catalogue *catalogue, struct arena *arena, str list, bool meant)
{
    str part;
    while (str_cut(&list, ';', &part))
        if (part.len)
            add_alias(catalogue, arena, part, meant);
}

const struct catalogue *catalogue_new(struct arena *arena)
{
    const str text = {hw_csv, hw_csv_bytes};
    struct catalogue *catalogue = arena_alloc(arena, sizeof *catalogue);
    const size_t room = text.len / 8; /* no spelling is shorter with its share of the row */
    catalogue->gpus = arena_array(arena, room / 8, sizeof *catalogue->gpus);
    catalogue->alias_room = (uint32_t)room;
    catalogue->aliases = arena_array(arena, room, sizeof *catalogue->aliases);

    struct csv_reader reader = csv_reader(text);
    struct csv_row header, row;
    if (!csv_next(&reader, arena, &header))
        return catalogue;
    while (csv_next(&reader, arena, &row)) {
        if (!str_eq(csv_field(&row, csv_column(&header, S("kind"))), S("gpu")))
            continue;
        catalogue->gpus[catalogue->gpu_count++] = gpu_of_row(arena, &header, &row);
        add_alias(catalogue, arena, csv_field(&row, csv_column(&header, S("name"))), false);
        add_aliases(catalogue, arena, csv_field(&row, csv_column(&header, S("aliases"))), false);
        add_aliases(catalogue, arena, csv_field(&row, csv_column(&header, S("default_for"))), true);
    }
    return catalogue;
}

uint32_t catalogue_gpu_count(const struct catalogue *catalogue)
{
    return catalogue->gpu_count;
}

const struct gpu *catalogue_gpu_at(const struct catalogue *catalogue, uint32_t i)
{
    return &catalogue->gpus[i];
}

/* ---- looking up ---- */

/*
 * A device never reports more memory than it has, and with error correction on it reports down to an eighth less. A
 * figure of the table that is missing contradicts nothing.
 */
static bool contradicts(const struct gpu *gpu, struct gpu_signs signs)
{
    if (signs.sms > 0 && gpu->sms > 0 && signs.sms != gpu->sms)
        return true;
    if (signs.memory_bytes <= 0 || gpu->memory_bytes <= 0)
        return false;
    const double share = (double)signs.memory_bytes / (double)gpu->memory_bytes;
    return share < 0.87 || share > 1.005;
}

const struct gpu *catalogue_gpu(const struct catalogue *catalogue, str text, struct gpu_signs signs)
{
    struct arena scratch = {0};
    const struct device_name name = device_name(&scratch, text);
    uint32_t fits = 0, found = 0;
    bool meant = false;
    for (uint32_t i = 0; i < catalogue->alias_count && name.count; i++) {
        const struct alias *alias = &catalogue->aliases[i];
        if (!device_name_eq(&alias->name, &name) || contradicts(&catalogue->gpus[alias->gpu], signs))
            continue;
        fits++;
        if (alias->meant || !meant)
            found = alias->gpu;
        meant |= alias->meant;
    }
    arena_free(&scratch);
    return fits == 1 || meant ? &catalogue->gpus[found] : NULL;
}

/* The least distance to a spelling of the device that is like the name; UINT32_MAX where none is. */
static uint32_t gpu_distance(const struct catalogue *catalogue, uint32_t gpu, const struct device_name *name)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < catalogue->alias_count; i++) {
        if (catalogue->aliases[i].gpu != gpu || !device_name_like(name, &catalogue->aliases[i].name))
            continue;
        const uint32_t distance = device_name_distance(&catalogue->aliases[i].name, name);
        least = distance < least ? distance : least;
    }
    return least;
}

str catalogue_closest(const struct catalogue *catalogue, struct arena *arena, str text)
{
    enum { SHOWN = 3 };
    struct {
        uint32_t distance, gpu;
    } nearest[SHOWN];
    const struct device_name name = device_name(arena, text);
    uint32_t count = 0;
    for (uint32_t gpu = 0; gpu < catalogue->gpu_count && name.count; gpu++) {
        const uint32_t distance = gpu_distance(catalogue, gpu, &name);
        if (distance == UINT32_MAX)
            continue;
        uint32_t at = count < SHOWN ? count++ : SHOWN;
        for (; at > 0 && distance < nearest[at - 1].distance; at--)
            if (at < SHOWN)
                nearest[at] = nearest[at - 1];
        if (at < SHOWN) {
            nearest[at].distance = distance;
            nearest[at].gpu = gpu;
        }
    }
    str list = S("");
    for (uint32_t i = 0; i < count; i++) {
        const str one = catalogue->gpus[nearest[i].gpu].name;
        list = str_printf(arena, "%.*s%s%.*s", (int)list.len, list.at, i ? ", " : "", (int)one.len, one.at);
    }
    return list;
}

str catalogue_hint(const struct catalogue *catalogue, struct arena *arena, str name)
{
    const str closest = catalogue_closest(catalogue, arena, name);
    return closest.len ? str_printf(arena, "near are %.*s", (int)closest.len, closest.at)
                       : S("no device known here has a name near to it");
}
