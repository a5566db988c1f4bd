/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include "base/error.h"
#include "figures.h"

struct reading {
    const struct csv_row *header, *row;
    struct arena *arena;
    struct steptime_error *err;
};

static str field(const struct reading *r, str column)
{
    return str_trim(csv_field(r->row, csv_column(r->header, column)));
}

static bool wrong(const struct reading *r, str column, const char *what)
{
    const str name = field(r, S("name")), text = field(r, column);
    return fail(r->err, STEPTIME_INPUT, "the row of '%.*s': %.*s '%.*s' %s", (int)name.len, name.at, (int)column.len,
                column.at, (int)text.len, text.at, what);
}

/* A number without unit, times `scale`; 0 for an empty field. */
static bool number(const struct reading *r, str column, double scale, double *value)
{
    *value = 0;
    const str text = field(r, column);
    if (!text.len)
        return true;
    struct quantity quantity;
    const char *const what = quantity_read(text, &quantity);
    if (what)
        return wrong(r, column, what);
    if (quantity.dimension != DIMENSION_COUNT)
        return wrong(r, column, "has a unit; the column's name says in what it is");
    *value = quantity.value * scale;
    return true;
}

static bool count(const struct reading *r, str column, int64_t *value)
{
    double real;
    if (!number(r, column, 1, &real))
        return false;
    *value = real < 1e9 ? (int64_t)real : 0;
    return true;
}

/* ---- links and servers ---- */

bool row_link(const struct csv_row *header, const struct csv_row *row, struct arena *arena, struct link *link,
              struct steptime_error *err)
{
    const struct reading r = {header, row, arena, err};
    link->kind = str_eq(field(&r, S("kind")), S("network")) ? LINK_SERVERS : LINK_DEVICES;
    link->name = field(&r, S("name"));
    link->aliases = field(&r, S("aliases"));
    link->source = field(&r, S("source"));
    return number(&r, S("gb_per_s"), 1e9, &link->bytes_per_s) && number(&r, S("latency_us"), 1e-6, &link->latency_s);
}

bool row_server(const struct csv_row *header, const struct csv_row *row, const struct catalogue *catalogue,
                struct arena *arena, struct server *server, struct steptime_error *err)
{
    const struct reading r = {header, row, arena, err};
    server->name = field(&r, S("name"));
    server->source = field(&r, S("source"));
    server->network = catalogue_link(catalogue, field(&r, S("network")));
    if (!server->network)
        return wrong(&r, S("network"), "is no network of the table");
    return count(&r, S("gpus_per_server"), &server->gpus) && count(&r, S("network_ports"), &server->ports);
}

static enum hw_key latency_of(enum hw_key link)
{
    return link - HW_HOST_LINK + HW_HOST_LATENCY;
}

static void put(struct hardware *hardware, enum hw_key key, double value, str source)
{
    hardware->figure[key] = value;
    hardware->source[key] = value > 0 ? source : S("");
}

/* A link's source says first whose rate it is, then, after "latency:", whose latency. */
static str latency_source(str source)
{
    str statement;
    while (str_cut(&source, ';', &statement))
        if (str_starts(str_trim(statement), S("latency:")))
            return str_trim(str_from(str_trim(statement), S("latency:").len));
    return S("");
}

static void put_link(struct hardware *hardware, enum hw_key key, const struct link *link, double bytes_per_s)
{
    str rest = link->source, source = S("");
    str_cut(&rest, ';', &source);
    put(hardware, key, bytes_per_s, source);
    put(hardware, latency_of(key), link->latency_s, latency_source(link->source));
}

const char *link_figures(const struct catalogue *catalogue, enum hw_key key, str text, struct hardware *hardware)
{
    const struct link *link = catalogue_link(catalogue, text);
    if (link) {
        put_link(hardware, key, link, link->bytes_per_s);
        return NULL;
    }
    struct quantity quantity;
    const char *const what = quantity_read(text, &quantity);
    if (what || quantity.dimension != DIMENSION_BYTE_RATE)
        return "is neither a link of the table nor a rate such as 25GB/s";
    put(hardware, key, quantity.value, S("as given"));
    return NULL;
}

static bool link_column(const struct reading *r, const struct catalogue *catalogue, enum hw_key key,
                        struct hardware *hardware)
{
    const str column = hw_key_word(key), text = field(r, column);
    const char *const what = text.len ? link_figures(catalogue, key, text, hardware) : NULL;
    return what ? wrong(r, column, what) : true;
}

static bool server_column(const struct reading *r, const struct catalogue *catalogue, struct hardware *hardware)
{
    const str name = field(r, S("server"));
    if (!name.len)
        return true;
    const struct server *server = catalogue_server(catalogue, name);
    if (!server)
        return wrong(r, S("server"), "is no server of the table");
    const str of_network = str_printf(r->arena, "%.*s: %.*s", (int)server->name.len, server->name.at,
                                      (int)server->source.len, server->source.at);
    put_link(hardware, HW_NETWORK, server->network, server->network->bytes_per_s * (double)server->ports);
    put(hardware, HW_NETWORK, hardware->figure[HW_NETWORK], of_network);
    put(hardware, HW_GPUS_PER_SERVER, (double)server->gpus, of_network);
    return true;
}

/* ---- devices ---- */

/* Where the statement names figures, "l2 l2_rate: measured", these have its source. */
static bool special_source(str statement, struct hardware *hardware)
{
    str words;
    str rest = statement;
    if (!str_cut(&rest, ':', &words) || !rest.len)
        return false;
    str word;
    while (str_cut(&words, ' ', &word)) {
        enum hw_key key;
        if (!hw_key_of_word(word, &key))
            return false;
        hardware->source[key] = str_trim(rest);
    }
    return true;
}

static void sources(str text, struct hardware *hardware)
{
    str statement = S("as given");
    if (text.len)
        str_cut(&text, ';', &statement);
    for (int key = 0; key < HW_HOST_LINK; key++)
        hardware->source[key] = hardware->figure[key] > 0 ? str_trim(statement) : S("");
    while (str_cut(&text, ';', &statement))
        special_source(str_trim(statement), hardware);
}

bool row_device(const struct csv_row *header, const struct csv_row *row, const struct catalogue *catalogue,
                struct arena *arena, struct hardware *hardware, struct steptime_error *err)
{
    const struct reading r = {header, row, arena, err};
    *hardware = (struct hardware){.name = field(&r, S("name"))};
    for (int i = 0; i < HW_KEYS; i++) {
        const struct figure *figure = &hw_figures[i];
        if (figure->column && !number(&r, str_of(figure->column), figure->usual->scale, &hardware->figure[i]))
            return false;
    }
    double capability;
    if (!number(&r, S("compute_capability"), 10, &capability))
        return false;
    hardware->capability = capability < 1000 ? (int)(capability + 0.5) : 0;
    sources(field(&r, S("source")), hardware);
    return server_column(&r, catalogue, hardware) && link_column(&r, catalogue, HW_HOST_LINK, hardware) &&
           link_column(&r, catalogue, HW_GPU_LINK, hardware) && link_column(&r, catalogue, HW_NETWORK, hardware);
}
