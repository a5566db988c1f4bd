/* SPDX-License-Identifier: Apache-2.0 */
/* Single figures of a cluster, as --set and --sweep write them. */
#include <math.h>

#include "base/error.h"
#include "text/suggest.h"
#include "cluster.h"
#include "measured_efficiency.h"
#include "hw/catalogue.h"
#include "hw/quantity.h"

/* One setting on its way: "network=100Gbps" is word and text. */
struct setting {
    str word, text;
    struct cluster *cluster;
    struct steptime_error *err;
};

static bool wrong(const struct setting *s, const char *what, const char *example)
{
    return fail(s->err, STEPTIME_USAGE, "%.*s: '%.*s' %s; write %.*s=%s", (int)s->word.len, s->word.at,
                (int)s->text.len, s->text.at, what, (int)s->word.len, s->word.at, example);
}

/* ---- words ---- */

struct resource_spelling {
    const char *word;
    enum resource resource;
};

static const struct resource_spelling rates[] = {
    {"flops", RESOURCE_FLOPS},       {"memory", RESOURCE_MEMORY},    {"pcie", RESOURCE_HOST_LINK},
    {"nvlink", RESOURCE_GPU_LINK},   {"ethernet", RESOURCE_NETWORK}, {"host_link", RESOURCE_HOST_LINK},
    {"gpu_link", RESOURCE_GPU_LINK}, {"network", RESOURCE_NETWORK},
};

static const struct resource_spelling latencies[] = {
    {"host_latency", RESOURCE_HOST_LINK},
    {"gpu_latency", RESOURCE_GPU_LINK},
    {"network_latency", RESOURCE_NETWORK},
};

static bool find(const struct resource_spelling *spellings, size_t count, str word, enum resource *resource)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(word, str_of(spellings[i].word))) {
            *resource = spellings[i].resource;
            return true;
        }
    return false;
}

static bool find_rate(str word, enum resource *resource)
{
    return find(rates, sizeof rates / sizeof *rates, word, resource);
}

/* The resource behind "efficiency." or "latency."; a latency has its own words too. */
static bool find_after(str word, str prefix, enum resource *resource)
{
    return str_starts(word, prefix) && find_rate(str_from(word, prefix.len), resource);
}

static bool find_latency(str word, enum resource *resource)
{
    return (find_after(word, S("latency."), resource) && *resource >= RESOURCE_HOST_LINK) ||
           find(latencies, sizeof latencies / sizeof *latencies, word, resource);
}

static bool find_precision(str word, enum precision *precision)
{
    for (int i = 0; i < PRECISIONS; i++)
        if (str_eq(word, hw_key_word((enum hw_key)(HW_FP32 + i)))) {
            *precision = (enum precision)i;
            return true;
        }
    return false;
}

/* ---- rates and latencies ---- */

static bool is_link(enum resource resource)
{
    return resource >= RESOURCE_HOST_LINK;
}

static void set_rate(struct cluster *cluster, enum resource resource, double rate)
{
    cluster->rate[resource] = rate;
    cluster->assumed[resource] = false;
}

/* "ethernet=HDR", "pcie=PCIe4": rate and latency of a row of the catalogue. */
static bool link_of_catalogue(const struct setting *s, enum resource resource)
{
    struct arena arena = {0};
    const struct link *link = catalogue_link(catalogue_built_in(), s->text);
    if (link) {
        set_rate(s->cluster, resource, link->bytes_per_s);
        s->cluster->latency_s[resource] = link->latency_s;
    }
    const bool found = link;
    arena_free(&arena);
    return found;
}

static bool put_rate(const struct setting *s, enum resource resource)
{
    const enum dimension wanted = resource == RESOURCE_FLOPS ? DIMENSION_FLOP_RATE : DIMENSION_BYTE_RATE;
    const str such_as = dimension_examples(wanted);
    struct quantity quantity;
    const char *const what = quantity_read(s->text, &quantity);
    if (what && is_link(resource) && link_of_catalogue(s, resource))
        return true;
    if (what)
        return wrong(s, what, such_as.at);
    const bool share = quantity.dimension == DIMENSION_SHARE;
    if (!share && quantity.dimension != wanted)
        return wrong(s, quantity.dimension == DIMENSION_COUNT ? "has no unit" : "is in another unit", such_as.at);
    if (share && s->cluster->rate[resource] <= 0)
        return wrong(s, "is a share of nothing", such_as.at);
    const double rate = share ? quantity.value * s->cluster->rate[resource] : quantity.value;
    if (rate < 1 && (rate > 0 || resource != RESOURCE_GPU_LINK))
        return wrong(s, rate > 0 ? "is next to nothing" : "is zero", such_as.at);
    if (rate > 1e30)
        return wrong(s, "is out of range", such_as.at);
    set_rate(s->cluster, resource, rate);
    return true;
}

static bool put_latency(const struct setting *s, enum resource link)
{
    struct quantity quantity;
    const char *const what = quantity_read(s->text, &quantity);
    if (what || quantity.dimension != DIMENSION_TIME)
        return wrong(s, what ? what : "is no time", "5us");
    s->cluster->latency_s[link] = quantity.value;
    return true;
}

/* ---- shares ---- */

static const str as_set = {"as set", sizeof "as set" - 1};

/* Less is no share of a rate; and times stay finite. */
static const double least_share = 1e-6;

/* "60%" or "0.6": 0 to 1, and not 0 where `above`. */
static bool read_share(const struct setting *s, bool above, double *share)
{
    struct quantity quantity;
    const char *const what = quantity_read(s->text, &quantity);
    if (what || (quantity.dimension != DIMENSION_SHARE && quantity.dimension != DIMENSION_COUNT))
        return wrong(s, what ? what : "is no share", "60%");
    *share = quantity.value;
    return (quantity.value <= 1 && (quantity.value >= least_share || !above)) ||
           wrong(s, above ? "is not above 0 and at most 100%" : "is more than 100%", "60%");
}

static void set_efficiency(struct cluster *cluster, enum resource resource, double share)
{
    cluster->efficiency[resource] = share;
    cluster->table[resource] = NULL;
    cluster->source[resource] = as_set;
}

static bool put_efficiency(const struct setting *s)
{
    const bool all = str_eq(s->word, S("efficiency"));
    enum resource resource = RESOURCE_FLOPS;
    if (!all)
        find_after(s->word, S("efficiency."), &resource);
    double share = 0;
    if (!read_share(s, true, &share))
        return false;
    for (int i = 0; i < RESOURCES; i++)
        if (all || i == (int)resource)
            set_efficiency(s->cluster, (enum resource)i, share);
    return true;
}

static bool put_overlap(const struct setting *s)
{
    s->cluster->scaling.by_layer = str_eq(s->text, S("layers"));
    if (s->cluster->scaling.by_layer)
        return true;
    if (str_eq(s->text, S("none")) || str_eq(s->text, S("ideal"))) {
        s->cluster->overlap = str_eq(s->text, S("ideal")) ? 1 : 0;
        return true;
    }
    double share = 0;
    if (!read_share(s, false, &share))
        return false;
    s->cluster->overlap = share;
    return true;
}

/* ---- the rest ---- */

static bool put_step_spread(const struct setting *s)
{
    return read_share(s, false, &s->cluster->scaling.step_spread);
}

static bool put_network_spread(const struct setting *s)
{
    return read_share(s, false, &s->cluster->scaling.network_spread);
}

static bool read_of(const struct setting *s, enum dimension wanted, double least, const char *example, double *value)
{
    struct quantity quantity;
    const char *const what = quantity_read(s->text, &quantity);
    if (what || quantity.dimension != wanted)
        return wrong(s, what ? what : "is in another unit", example);
    if (quantity.value < least)
        return wrong(s, "is too small", example);
    *value = quantity.value;
    return true;
}

static bool put_pcie_share(const struct setting *s)
{
    if (str_eq(s->text, S("server"))) {
        s->cluster->host_link_is_shared = true;
        return true;
    }
    double replicas = 0;
    if (!read_of(s, DIMENSION_COUNT, 1, "4, or =server", &replicas))
        return false;
    s->cluster->host_link_shared = replicas;
    s->cluster->host_link_is_shared = false;
    return true;
}

static bool put_precision(const struct setting *s)
{
    enum precision precision;
    if (!find_precision(s->text, &precision))
        return wrong(s, "is none", "bf16");
    if (s->cluster->peak[precision] <= 0)
        return wrong(s, "has no peak here that is known", "fp32, or flops=64TFLOPS");
    s->cluster->precision = precision;
    set_rate(s->cluster, RESOURCE_FLOPS, s->cluster->peak[precision]);
    if (!str_eq(s->cluster->source[RESOURCE_FLOPS], as_set))
        measured_arithmetic(s->cluster);
    return true;
}

/* A peak by its precision counts where that is what is computed in. */
static bool put_peak(const struct setting *s, enum precision precision)
{
    double peak = 0;
    if (!read_of(s, DIMENSION_FLOP_RATE, 1, "312TFLOPS", &peak))
        return false;
    s->cluster->peak[precision] = peak;
    if (s->cluster->precision == precision)
        set_rate(s->cluster, RESOURCE_FLOPS, peak);
    return true;
}

static bool put_duplex(const struct setting *s)
{
    const bool yes = str_eq(s->text, S("yes"));
    if (!yes && !str_eq(s->text, S("no")))
        return wrong(s, "is neither yes nor no", "yes");
    s->cluster->duplex = yes;
    return true;
}

static bool put_bucket(const struct setting *s)
{
    return read_of(s, DIMENSION_BYTES, 1, "25MiB", &s->cluster->bucket_bytes);
}

static bool put_memory_size(const struct setting *s)
{
    return read_of(s, DIMENSION_BYTES, 1, "80GiB", &s->cluster->memory_bytes);
}

static bool put_gpus_per_server(const struct setting *s)
{
    return read_of(s, DIMENSION_COUNT, 1, "8", &s->cluster->gpus_per_server);
}

static bool put_two_servers(const struct setting *s)
{
    return read_of(s, DIMENSION_COUNT, 1, "1.5", &s->cluster->scaling.two_servers);
}

static const struct figure_setting {
    const char *word;
    bool (*put)(const struct setting *setting);
} figures[] = {
    {"efficiency", put_efficiency},   {"overlap", put_overlap},
    {"pcie_share", put_pcie_share},   {"precision", put_precision},
    {"duplex", put_duplex},           {"bucket", put_bucket},
    {"memory_size", put_memory_size}, {"gpus_per_server", put_gpus_per_server},
    {"spread", put_step_spread},      {"spread.network", put_network_spread},
    {"two_servers", put_two_servers},
};

static bool unknown(const struct setting *s)
{
    struct suggestion near = suggest(s->word);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        suggest_offer(&near, str_of(rates[i].word));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        suggest_offer(&near, str_of(figures[i].word));
    if (suggest_found(&near))
        return fail(s->err, STEPTIME_USAGE, "there is no figure '%.*s'; did you mean '%.*s'?", (int)s->word.len,
                    s->word.at, (int)near.best.len, near.best.at);
    return fail(s->err, STEPTIME_USAGE,
                "there is no figure '%.*s'; such as ethernet, pcie, nvlink, memory, flops, "
                "efficiency, overlap",
                (int)s->word.len, s->word.at);
}

static bool put(const struct setting *s)
{
    enum resource resource;
    enum precision precision;
    if (find_rate(s->word, &resource))
        return put_rate(s, resource);
    if (find_after(s->word, S("efficiency."), &resource))
        return put_efficiency(s);
    if (find_latency(s->word, &resource))
        return put_latency(s, resource);
    if (find_precision(s->word, &precision))
        return put_peak(s, precision);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (str_eq(s->word, str_of(figures[i].word)))
            return figures[i].put(s);
    return unknown(s);
}

bool cluster_set(struct cluster *cluster, str setting, struct steptime_error *err)
{
    struct setting s = {.text = setting, .cluster = cluster, .err = err};
    if (!str_cut(&s.text, '=', &s.word) || !str_trim(s.text).len)
        return fail(err, STEPTIME_USAGE, "'%.*s' sets nothing; write KEY=VALUE, such as ethernet=100Gbps",
                    (int)setting.len, setting.at);
    s.word = str_trim(s.word);
    s.text = str_trim(s.text);
    return put(&s);
}
