/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware.h"

#include "base/buf.h"
#include "base/error.h"
#include "text/suggest.h"
#include "figures.h"
#include "row.h"
#include "io/source.h"

/* ---- a device by its name, or from a file ---- */

/* A description of one device; whatever is larger is none. */
enum { FILE_BYTES = 1 << 20 };

static bool read_all(str path, struct buf *buf, struct arena *arena, struct steptime_error *err)
{
    struct source *source = source_open(str_z(arena, path), err);
    if (!source)
        return false;
    char block[4096];
    size_t got;
    while (buf->len <= FILE_BYTES && (got = source_read(source, block, sizeof block)))
        buf_add(buf, (str){block, got});
    source_close(source);
    return buf->len <= FILE_BYTES ||
           fail_at(err, STEPTIME_INPUT, path, -1, "too large for a table of hardware, of which one row is wanted");
}

/* The only row of kind gpu. Rows of links and servers are allowed, but the catalogue's are used. */
static bool device_of_text(str text, str path, struct arena *arena, struct hardware *hardware,
                           struct steptime_error *err)
{
    struct csv_reader reader = csv_reader(text);
    struct csv_row header, row;
    if (!csv_next(&reader, arena, &header) || csv_column(&header, S("name")) == UINT32_MAX)
        return fail_at(err, STEPTIME_INPUT, path, -1, "no table of hardware: its header has no column 'name'");
    const struct catalogue *catalogue = catalogue_built_in();
    const uint32_t kind = csv_column(&header, S("kind"));
    uint32_t devices = 0;
    while (csv_next(&reader, arena, &row)) {
        if (kind != UINT32_MAX && !str_eq(csv_field(&row, kind), S("gpu")))
            continue;
        if (!row_device(&header, &row, catalogue, arena, hardware, err))
            return false;
        devices++;
    }
    return devices == 1 || fail_at(err, STEPTIME_INPUT, path, -1, "%u devices; one is wanted", devices);
}

static bool find_in_file(str path, struct arena *arena, struct hardware *hardware, struct steptime_error *err)
{
    struct buf buf = {0};
    bool good = read_all(path, &buf, arena, err);
    const str text = good ? str_copy(arena, buf_str(&buf)) : S("");
    buf_free(&buf);
    return good && device_of_text(text, path, arena, hardware, err);
}

static bool names_a_file(str name)
{
    return str_has(name, S("/")) || str_ends(name, S(".csv"));
}

static bool find(str name, bool common, struct arena *arena, struct hardware *hardware, struct steptime_error *err)
{
    if (names_a_file(name))
        return find_in_file(name, arena, hardware, err);
    const struct catalogue *catalogue = catalogue_built_in();
    const struct hardware *found = catalogue_gpu(catalogue, name, (struct gpu_signs){-1, -1});
    const struct common_variant *variant = found || !common ? NULL : catalogue_common(catalogue, name);
    if (found || variant) {
        *hardware = found ? *found : *variant->gpu;
        return true;
    }
    const str hint = catalogue_hint(catalogue, arena, name);
    return fail(err, STEPTIME_USAGE, "the device '%.*s' is not known, or is several; %.*s ('steptime hw' lists all)",
                (int)name.len, name.at, (int)hint.len, hint.at);
}

bool hardware_find(str name, struct arena *arena, struct hardware *hardware, struct steptime_error *err)
{
    return find(name, true, arena, hardware, err);
}

bool hardware_recorded(str name, struct arena *arena, struct hardware *hardware, struct steptime_error *err)
{
    return find(name, false, arena, hardware, err);
}

str hardware_remark(str name, struct arena *arena)
{
    const struct catalogue *catalogue = catalogue_built_in();
    if (names_a_file(name) || catalogue_gpu(catalogue, name, (struct gpu_signs){-1, -1}))
        return S("");
    const struct common_variant *variant = catalogue_common(catalogue, name);
    if (!variant)
        return S("");
    const str gpu = variant->gpu->name, source = variant->source;
    return str_printf(arena, "'%.*s' is several devices; the most common is taken, %.*s: %.*s", (int)name.len, name.at,
                      (int)gpu.len, gpu.at, (int)source.len, source.at);
}

/* ---- single figures ---- */

static bool unknown_key(str word, struct steptime_error *err)
{
    struct suggestion near = suggest(word);
    for (int key = 0; key < HW_KEYS; key++)
        suggest_offer(&near, hw_key_word((enum hw_key)key));
    if (suggest_found(&near))
        return fail(err, STEPTIME_USAGE, "there is no figure '%.*s'; did you mean '%.*s'?", (int)word.len, word.at,
                    (int)near.best.len, near.best.at);
    return fail(err, STEPTIME_USAGE, "there is no figure '%.*s'; 'steptime hw NAME' lists them", (int)word.len,
                word.at);
}

static bool wrong_value(enum hw_key key, str text, const char *what, struct steptime_error *err)
{
    const str word = hw_key_word(key), such_as = dimension_examples(hw_figures[key].usual->dimension);
    return fail(err, STEPTIME_USAGE, "%.*s: '%.*s' %s; write %.*s=%.*s", (int)word.len, word.at, (int)text.len, text.at,
                what, (int)word.len, word.at, (int)such_as.len, such_as.at);
}

/* What a figure may be: latencies may be nothing, all else is something. */
static bool sensible(enum hw_key key, double value)
{
    return value > 0 || hw_figures[key].usual->dimension == DIMENSION_TIME;
}

static bool set_quantity(struct hardware *hardware, enum hw_key key, str text, struct steptime_error *err)
{
    struct quantity quantity;
    const char *const what = quantity_read(text, &quantity);
    if (what)
        return wrong_value(key, text, what, err);
    const bool share = quantity.dimension == DIMENSION_SHARE;
    if (share && hardware->figure[key] <= 0)
        return wrong_value(key, text, "is a share of a figure that is not known", err);
    const enum dimension wanted = hw_figures[key].usual->dimension;
    if (!share && quantity.dimension != wanted)
        return wrong_value(key, text, quantity.dimension == DIMENSION_COUNT ? "has no unit" : "is in another unit",
                           err);
    const double value = share ? quantity.value * hardware->figure[key] : quantity.value;
    if (!sensible(key, value))
        return wrong_value(key, text, "is zero", err);
    hardware->figure[key] = value;
    hardware->source[key] = S("as set");
    return true;
}

static bool is_link(enum hw_key key)
{
    return key == HW_HOST_LINK || key == HW_GPU_LINK || key == HW_NETWORK;
}

bool hardware_set(struct hardware *hardware, str setting, struct arena *arena, struct steptime_error *err)
{
    str text = setting, word;
    if (!str_cut(&text, '=', &word) || !str_trim(text).len)
        return fail(err, STEPTIME_USAGE, "'%.*s' sets nothing; write KEY=VALUE, such as memory=4TB/s", (int)setting.len,
                    setting.at);
    enum hw_key key;
    if (!hw_key_of_word(str_trim(word), &key))
        return unknown_key(str_trim(word), err);
    text = str_copy(arena, str_trim(text));
    if (is_link(key) && !str_ends(text, S("%"))) {
        const struct catalogue *catalogue = catalogue_built_in();
        if (catalogue_link(catalogue, text))
            return !link_figures(catalogue, key, text, hardware);
    }
    return set_quantity(hardware, key, text, err);
}

int hardware_capability(const struct hardware *hardware)
{
    return hardware->capability            ? hardware->capability
           : hardware->figure[HW_FP4] > 0  ? 100
           : hardware->figure[HW_FP8] > 0  ? 90
           : hardware->figure[HW_BF16] > 0 ? 80
                                           : 70;
}

static const int64_t taken_server = 8;

static bool server_is_known(const struct hardware *hardware)
{
    const double size = hardware ? hardware->figure[HW_GPUS_PER_SERVER] : 0;
    return size >= 1 && size < 1e6;
}

int64_t hardware_server(const struct hardware *hardware)
{
    return server_is_known(hardware) ? (int64_t)hardware->figure[HW_GPUS_PER_SERVER] : taken_server;
}

double hardware_link_rate(const struct hardware *hardware, int64_t ranks)
{
    const int64_t server = hardware_server(hardware);
    if (!hardware)
        return 0;
    if (ranks > server)
        return hardware->figure[HW_NETWORK] / (double)server;
    return hardware->figure[HW_GPU_LINK] > 0 ? hardware->figure[HW_GPU_LINK] : hardware->figure[HW_HOST_LINK];
}

str hardware_server_remark(const struct hardware *hardware, struct arena *arena)
{
    const str name = hardware ? hardware->name : S("the device");
    if (server_is_known(hardware))
        return S("");
    return str_printf(
        arena, "How many GPUs a server of %.*s has is not known: %lld are assumed; --set gpus_per_server=N says it.",
        (int)name.len, name.at, (long long)taken_server);
}
