/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware that the program knows: which there is, and all that is known of one. */
#include "base/error.h"
#include "cli/program/call.h"
#include "cli/program/commands.h"
#include "cli/program/hardware_option.h"
#include "hw/catalogue.h"
#include "hw/figures.h"
#include "cli/program/output.h"
#include "report/report.h"

/* ---- hw ---- */

static void figure_cell(struct table *table, const struct hardware *gpu, enum hw_key key)
{
    if (gpu->figure[key] > 0)
        table_real(table, gpu->figure[key] / hw_figures[key].usual->scale);
    else
        table_null(table);
}

/* What a list of devices says of each: the rest is for `hw NAME`. */
static const struct {
    enum hw_key key;
    struct column_spec spec;
} columns[] = {
    {HW_FP32, {"fp32_tflop_per_s", "fp32 (TFLOP/s)", UNIT_NONE, COLUMN_PLAIN, "peak of fp32 arithmetic, dense"}},
    {HW_FP32_MATRIX,
     {"fp32_matrix_tflop_per_s", "fp32 matrix", UNIT_NONE, COLUMN_DETAIL, "peak of fp32 on matrix units"}},
    {HW_TF32, {"tf32_tflop_per_s", "tf32", UNIT_NONE, COLUMN_PLAIN, "peak of tf32 on matrix units"}},
    {HW_FP16, {"fp16_tflop_per_s", "fp16", UNIT_NONE, COLUMN_PLAIN, "peak of fp16 on matrix units"}},
    {HW_BF16, {"bf16_tflop_per_s", "bf16", UNIT_NONE, COLUMN_DETAIL, "peak of bf16 on matrix units"}},
    {HW_FP8, {"fp8_tflop_per_s", "fp8", UNIT_NONE, COLUMN_PLAIN, "peak of fp8 on matrix units"}},
    {HW_FP4, {"fp4_tflop_per_s", "fp4", UNIT_NONE, COLUMN_DETAIL, "peak of fp4 on matrix units"}},
    {HW_INT8, {"int8_tflop_per_s", "int8", UNIT_NONE, COLUMN_DETAIL, "peak of int8 on matrix units"}},
    {HW_MATRIX_SHARE,
     {"matrix_share", "share of it reached", UNIT_NONE, COLUMN_DETAIL,
      "of the peaks of matrix units in 16 bits what large products reach, measured"}},
    {HW_MEMORY_BYTES,
     {"memory_gib", "memory (GiB)", UNIT_NONE, COLUMN_PLAIN, "its memory; null where several sizes are sold"}},
    {HW_MEMORY_RATE, {"memory_gb_per_s", "(GB/s)", UNIT_NONE, COLUMN_PLAIN, "rate of the memory"}},
    {HW_STREAM_SHARE,
     {"stream_share", "share reached", UNIT_NONE, COLUMN_DETAIL,
      "of the memory's rate that long streams reach, measured"}},
    {HW_SMS, {"sm_count", "SMs", UNIT_NONE, COLUMN_PLAIN, "multiprocessors or compute units"}},
    {HW_LANES_PER_SM, {"lanes_per_sm", "lanes of an SM", UNIT_NONE, COLUMN_DETAIL, "fp32 lanes of one"}},
    {HW_THREADS_PER_SM, {"threads_per_sm", "threads of an SM", UNIT_NONE, COLUMN_DETAIL, "resident threads of one"}},
    {HW_CLOCK, {"clock_mhz", "clock (MHz)", UNIT_NONE, COLUMN_DETAIL, "boost clock"}},
    {HW_L2_BYTES, {"l2_mib", "L2 (MiB)", UNIT_NONE, COLUMN_PLAIN, "size of the L2 cache"}},
    {HW_L2_RATE, {"l2_gb_per_s", "L2 (GB/s)", UNIT_NONE, COLUMN_DETAIL, "rate of the L2 cache, measured"}},
    {HW_SHARED_BYTES_PER_SM,
     {"shared_kib_per_sm", "shared memory of an SM (KiB)", UNIT_NONE, COLUMN_DETAIL,
      "shared memory of a multiprocessor"}},
    {HW_POWER, {"power_w", "power (W)", UNIT_NONE, COLUMN_DETAIL, "power limit"}},
    {HW_HOST_LINK, {"host_link_gb_per_s", "host link", UNIT_NONE, COLUMN_DETAIL, "link to the host, one way"}},
    {HW_GPU_LINK,
     {"gpu_link_gb_per_s", "GPU link (GB/s)", UNIT_NONE, COLUMN_PLAIN,
      "links to the other GPUs of the server, all together, one way"}},
    {HW_NETWORK,
     {"network_gb_per_s", "network of the server", UNIT_NONE, COLUMN_DETAIL,
      "network of the usual server around it, one way"}},
    {HW_GPUS_PER_SERVER,
     {"gpus_per_server", "GPUs of a server", UNIT_NONE, COLUMN_DETAIL, "GPUs of the usual server around it"}},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void show_devices(struct report *report, const struct catalogue *catalogue)
{
    struct section *section = report_section(report, "gpus", "Devices");
    section_text(section, S("Peaks are dense. 'steptime hw NAME' shows all figures of one, and where they come from."));
    struct table *table = section_table(section, "gpus", "");
    table_column(table, (struct column_spec){"name", "name", UNIT_NONE, COLUMN_WIDE, "of the device, link or server"});
    for (int i = 0; i < COLUMNS; i++)
        table_column(table, columns[i].spec);
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue); i++) {
        const struct hardware *gpu = catalogue_gpu_at(catalogue, i);
        table_row(table);
        table_text(table, gpu->name);
        for (int column = 0; column < COLUMNS; column++)
            figure_cell(table, gpu, columns[column].key);
    }
}

static const struct column_spec links_columns[] = {
    {"name", "name", UNIT_NONE, 0, "of the device, link or server"},
    {"aliases", "or", UNIT_NONE, 0, "other names"},
    {"joins", "joins", UNIT_NONE, 0, "devices or servers"},
    {"gb_per_s", "one way (GB/s)", UNIT_NONE, 0, "rate one way"},
    {"latency_us", "a message (us)", UNIT_NONE, 0, "of a message; null where it is not known"},
    {"source", "source", UNIT_NONE, COLUMN_WIDE, "where the figures come from"},
    {0},
};

static void show_links(struct report *report, const struct catalogue *catalogue)
{
    struct section *section = report_section(report, "links", "Links and networks");
    struct table *table = section_table(section, "links", "");
    table_columns(table, links_columns);
    for (uint32_t i = 0; i < catalogue_link_count(catalogue); i++) {
        const struct link *link = catalogue_link_at(catalogue, i);
        table_row(table);
        table_text(table, link->name);
        table_text(table, link->aliases);
        table_text(table, link->kind == LINK_SERVERS ? S("servers") : S("devices"));
        table_real(table, link->bytes_per_s / 1e9);
        table_cell(table, link->latency_s > 0 ? cell_real(link->latency_s * 1e6) : cell_null());
        table_text(table, link->source);
    }
}

static const struct column_spec servers_columns[] = {
    {"name", "name", UNIT_NONE, 0, "of the device, link or server"},
    {"gpus_per_server", "GPUs", UNIT_NONE, 0, "GPUs of the server"},
    {"network", "network", UNIT_NONE, 0, "the server's network"},
    {"network_ports", "ports", UNIT_NONE, 0, "how many times it has it"},
    {"source", "source", UNIT_NONE, COLUMN_WIDE, "where the figures come from"},
    {0},
};

static void show_servers(struct report *report, const struct catalogue *catalogue)
{
    struct section *section = report_section(report, "servers", "Servers");
    struct table *table = section_table(section, "servers", "");
    table_columns(table, servers_columns);
    for (uint32_t i = 0; i < catalogue_server_count(catalogue); i++) {
        const struct server *server = catalogue_server_at(catalogue, i);
        table_row(table);
        table_text(table, server->name);
        table_int(table, server->gpus);
        table_text(table, server->network->name);
        table_int(table, server->ports);
        table_text(table, server->source);
    }
}

static void show_all(struct report *report)
{
    const struct catalogue *catalogue = catalogue_built_in();
    show_devices(report, catalogue);
    show_links(report, catalogue);
    show_servers(report, catalogue);
}

/* ---- hw NAME ---- */

/* "3350 GB/s"; "" where it is not known. */
static str figure_text(struct arena *arena, const struct hardware *gpu, enum hw_key key)
{
    const struct multiple *usual = hw_figures[key].usual;
    if (gpu->figure[key] <= 0)
        return S("");
    return str_printf(arena, "%.5g %s", gpu->figure[key] / usual->scale, usual->word);
}

static const struct column_spec figures_columns[] = {
    {"key", "key", UNIT_NONE, 0, "the word of --set"},
    {"what", "what", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the figure in words"},
    {"figure", "figure", UNIT_NONE, COLUMN_ANSWER, "value and unit as people say them"},
    {"value", "value", UNIT_NONE, COLUMN_DETAIL, "the value, in `unit`; null where it is not known"},
    {"unit", "unit", UNIT_NONE, COLUMN_DETAIL, "the usual multiple: TFLOP/s, GB/s, MiB, MHz, us, W; empty for counts"},
    {"source", "source", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP | COLUMN_ANSWER, "where the figures come from"},
    {0},
};

static void show_figures(struct report *report, const struct hardware *gpu)
{
    struct section *section = report_section(report, "figures", "Figures");
    section_value(section, "name", "name", UNIT_NONE, cell_text(gpu->name));
    struct table *table = section_table(section, "figures", "");
    table_columns(table, figures_columns);
    for (int key = 0; key < HW_KEYS; key++) {
        table_row(table);
        table_text(table, hw_key_word((enum hw_key)key));
        table_text(table, str_of(hw_figures[key].title));
        table_text(table, figure_text(report_arena(report), gpu, (enum hw_key)key));
        figure_cell(table, gpu, (enum hw_key)key);
        table_text(table, str_of(hw_figures[key].usual->word));
        table_text(table, gpu->source[key]);
    }
}

/* At most one device, and nothing to set where there is none. */
static bool check(const struct call *call, struct steptime_error *err)
{
    if (call_argument_count(call) > 1)
        return fail(err, STEPTIME_USAGE, "one device at a time; a name with blanks wants quotes");
    if (!call_argument_count(call) && call_text(call, "set"))
        return fail(err, STEPTIME_USAGE, "--set changes a device: which one? 'steptime hw NAME --set ...'");
    return true;
}

/* These tables are short and read as a whole: no row is left out unless --rows says so. */
static bool output_whole(const struct call *call, struct report *report, struct steptime_error *err)
{
    if (call_text(call, "rows"))
        return output_report(call, report, err);
    struct call whole = *call;
    whole.given = arena_array(report_arena(report), call->given_count + 1, sizeof *whole.given);
    if (call->given_count)
        memcpy(whole.given, call->given, call->given_count * sizeof *whole.given);
    whole.given[whole.given_count++] = (struct given){command_option(call->command, S("rows")), "0"};
    return output_report(&whole, report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct report *report = report_new(&arena, S("hw"));
    struct hardware gpu;
    bool good = check(call, err);
    if (good && !call_argument_count(call))
        show_all(report);
    else if (good && (good = hardware_of_words(call, str_of(call_argument(call, 0)), &arena, &gpu, err)))
        show_figures(report, &gpu);
    good = good && output_whole(call, report, err);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"set", 0, "KEY=VALUE", NULL,
     "Another value for one figure of the device, with its unit: memory=4TB/s, network=100Gbps, l2=50MiB, clock=1.4GHz, "
     "fp16=312TFLOPS, memory=120% of what it was, host_link=PCIe5. Several are set one after the other."},
    {0},
};

const struct command command_hw = {
    .name = "hw",
    .arguments = "[NAME|FILE]",
    .brief = "the hardware that predictions know: devices, links, networks, servers",
    .about =
        "Without arguments: tables of the devices, links, networks and servers that are built in.\n\nWith the name of a "
        "device in any usual spelling (H100, 'NVIDIA H100 80GB HBM3', NVIDIA_H100_80GB_HBM3): all its figures with their "
        "units and where each comes from. A figure that is not known is left empty; nothing is guessed.\n\nA FILE ending "
        "in .csv, or with a slash in its name, describes a device of your own: a header and a row with the columns of "
        "data/hw.csv, as many of them as are known. Wherever --hw takes a name it takes such a file too.",
    .examples = "steptime hw|what there is\n"
                "steptime hw A100-SXM4-80GB|all figures of one\n"
                "steptime hw H100 --set memory=4TB/s --set network=100Gbps|with two of them changed\n"
                "steptime hw --format csv --table gpus|for a script",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
