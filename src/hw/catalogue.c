/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue.h"

#include <assert.h>
#include <pthread.h>

#include "device_name.h"
#include "row.h"

extern const char hw_csv[]; /* made from data/hw.csv at build time */
extern const size_t hw_csv_bytes;

/* A spelling of a device, as words. */
struct alias {
    struct device_name name;
    uint32_t gpu;
    bool meant; /* the name means this device where nothing says otherwise */
};

struct catalogue {
    struct hardware *gpus;
    struct link *links;
    struct server *servers;
    struct common_variant *commons;
    uint32_t gpu_count, link_count, server_count, common_count;
    struct alias *aliases;
    uint32_t alias_count, alias_room;
};

/* ---- the table ---- */

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

static void add_gpu(struct catalogue *catalogue, struct arena *arena, const struct csv_row *header,
                    const struct csv_row *row)
{
    struct hardware *gpu = &catalogue->gpus[catalogue->gpu_count++];
    const bool good = row_device(header, row, catalogue, arena, gpu, NULL);
    assert(good && "the table is checked when the program is built");
    (void)good;
    gpu->catalogued = true;
    add_alias(catalogue, arena, gpu->name, false);
    add_aliases(catalogue, arena, csv_field(row, csv_column(header, S("aliases"))), false);
    add_aliases(catalogue, arena, csv_field(row, csv_column(header, S("default_for"))), true);
}

/* Such rows stand behind the devices that they name. */
static void add_common(struct catalogue *catalogue, const struct csv_row *header, const struct csv_row *row)
{
    const str name = csv_field(row, csv_column(header, S("name")));
    for (uint32_t i = 0; i < catalogue->gpu_count; i++)
        if (str_eq(catalogue->gpus[i].name, name))
            catalogue->commons[catalogue->common_count++] =
                (struct common_variant){csv_field(row, csv_column(header, S("aliases"))), &catalogue->gpus[i],
                                        csv_field(row, csv_column(header, S("source")))};
}

static void add_row(struct catalogue *catalogue, struct arena *arena, const struct csv_row *header,
                    const struct csv_row *row)
{
    const str kind = csv_field(row, csv_column(header, S("kind")));
    if (str_eq(kind, S("gpu")))
        add_gpu(catalogue, arena, header, row);
    else if (str_eq(kind, S("common")))
        add_common(catalogue, header, row);
    else if (str_eq(kind, S("server")))
        catalogue->server_count +=
            row_server(header, row, catalogue, arena, &catalogue->servers[catalogue->server_count], NULL);
    else
        catalogue->link_count += row_link(header, row, arena, &catalogue->links[catalogue->link_count], NULL);
}

static uint32_t lines(str text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == '\n';
    return count;
}

static const struct catalogue *read_table(struct arena *arena)
{
    const str text = {hw_csv, hw_csv_bytes};
    struct catalogue *catalogue = arena_alloc(arena, sizeof *catalogue);
    const uint32_t rows = lines(text) + 1;
    catalogue->gpus = arena_array(arena, rows, sizeof *catalogue->gpus);
    catalogue->links = arena_array(arena, rows, sizeof *catalogue->links);
    catalogue->servers = arena_array(arena, rows, sizeof *catalogue->servers);
    catalogue->commons = arena_array(arena, rows, sizeof *catalogue->commons);
    catalogue->alias_room = (uint32_t)(text.len / 8); /* no spelling is shorter with its share of the row */
    catalogue->aliases = arena_array(arena, catalogue->alias_room, sizeof *catalogue->aliases);

    struct csv_reader reader = csv_reader(text);
    struct csv_row header, row;
    if (csv_next(&reader, arena, &header))
        while (csv_next(&reader, arena, &row))
            add_row(catalogue, arena, &header, &row);
    return catalogue;
}

/* Read once, on whatever thread asks first: each rank of a job wants it. */
static const struct catalogue *built_in;

static void read_built_in(void)
{
    static struct arena arena;
    built_in = read_table(&arena);
}

const struct catalogue *catalogue_built_in(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_built_in);
    return built_in;
}

uint32_t catalogue_gpu_count(const struct catalogue *catalogue)
{
    return catalogue->gpu_count;
}

const struct hardware *catalogue_gpu_at(const struct catalogue *catalogue, uint32_t i)
{
    return &catalogue->gpus[i];
}

/* ---- looking up: links and servers ---- */

uint32_t catalogue_link_count(const struct catalogue *catalogue)
{
    return catalogue->link_count;
}

const struct link *catalogue_link_at(const struct catalogue *catalogue, uint32_t i)
{
    return &catalogue->links[i];
}

/* "PCIe 4.0 x16", "PCIe4" and "pcie 4.0 X16" name one link; no words are left out. */
static bool same_letters(str a, str b)
{
    a = str_trim(a);
    return a.len == b.len && str_starts_nocase(a, b);
}

static bool link_named(const struct link *link, str name)
{
    if (same_letters(name, link->name))
        return true;
    str aliases = link->aliases, alias;
    while (str_cut(&aliases, ';', &alias))
        if (alias.len && same_letters(name, alias))
            return true;
    return false;
}

const struct link *catalogue_link(const struct catalogue *catalogue, str name)
{
    for (uint32_t i = 0; i < catalogue->link_count; i++)
        if (link_named(&catalogue->links[i], name))
            return &catalogue->links[i];
    return NULL;
}

uint32_t catalogue_server_count(const struct catalogue *catalogue)
{
    return catalogue->server_count;
}

const struct server *catalogue_server_at(const struct catalogue *catalogue, uint32_t i)
{
    return &catalogue->servers[i];
}

const struct server *catalogue_server(const struct catalogue *catalogue, str name)
{
    for (uint32_t i = 0; i < catalogue->server_count; i++)
        if (same_letters(name, catalogue->servers[i].name))
            return &catalogue->servers[i];
    return NULL;
}

/* ---- looking up: devices ---- */

/*
 * A device never reports more memory than it has, and with error correction on it reports down to an eighth less. A
 * figure of the table that is missing contradicts nothing.
 */
static bool contradicts(const struct hardware *gpu, struct gpu_signs signs)
{
    const double sms = gpu->figure[HW_SMS], bytes = gpu->figure[HW_MEMORY_BYTES];
    if (signs.sms > 0 && sms > 0 && signs.sms != (int64_t)sms)
        return true;
    if (signs.memory_bytes <= 0 || bytes <= 0)
        return false;
    const double share = (double)signs.memory_bytes / bytes;
    return share < 0.87 || share > 1.005;
}

const struct hardware *catalogue_gpu(const struct catalogue *catalogue, str text, struct gpu_signs signs)
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

static bool spells(str spellings, const struct device_name *name, struct arena *arena)
{
    for (str one; str_cut(&spellings, ';', &one);) {
        const struct device_name of = device_name(arena, one);
        if (device_name_eq(&of, name))
            return true;
    }
    return false;
}

const struct common_variant *catalogue_common(const struct catalogue *catalogue, str text)
{
    struct arena scratch = {0};
    const struct device_name name = device_name(&scratch, text);
    const struct common_variant *found = NULL;
    for (uint32_t i = 0; i < catalogue->common_count && !found; i++)
        if (spells(catalogue->commons[i].spellings, &name, &scratch))
            found = &catalogue->commons[i];
    arena_free(&scratch);
    return found;
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
