/* SPDX-License-Identifier: Apache-2.0 */
/* Names of devices as drivers, clouds and people write them. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hw/catalogue.h"
#include "hw/device_name.h"
#include "hw/quantity.h"

static struct arena arena;
static const struct catalogue *catalogue;
static const struct gpu_signs silent = {-1, -1};

static int open_catalogue(void **state)
{
    catalogue = catalogue_built_in();
    return 0;
}

static int close_catalogue(void **state)
{
    arena_free(&arena);
    return 0;
}

static void means(const char *text, const char *name)
{
    const struct hardware *gpu = catalogue_gpu(catalogue, str_of(text), silent);
    if (!gpu)
        fail_msg("%s is not found", text);
    assert_string_equal(str_z(&arena, gpu->name), name);
}

static void any_usual_spelling_is_found(void **state)
{
    means("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM 80GB");
    means("NVIDIA_H100_80GB_HBM3", "NVIDIA H100 SXM 80GB");
    means("H100", "NVIDIA H100 SXM 80GB");
    means("h100 80 gb", "NVIDIA H100 SXM 80GB");
    means("H100-SXM5-80GB", "NVIDIA H100 SXM 80GB");
    means("NVIDIA H100 PCIe", "NVIDIA H100 PCIe 80GB");
    means("NVIDIA H100 NVL", "NVIDIA H100 NVL");
    means("NVIDIA H200", "NVIDIA H200 SXM 141GB");
    means("NVIDIA B200", "NVIDIA B200");
    means("Tesla V100-SXM2-32GB", "NVIDIA Tesla V100 SXM2");
    means("Tesla V100-SXM2-16GB", "NVIDIA Tesla V100 SXM2");
    means("Tesla V100-DGXS-32GB", "NVIDIA Tesla V100 SXM2");
    means("Tesla V100-PCIE-16GB", "NVIDIA Tesla V100 PCIe");
    means("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB");
    means("NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB");
    means("NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe");
    means("A100-PCIE-40GB", "NVIDIA A100-PCIE-40GB");
    means("Tesla P100-PCIE-16GB", "NVIDIA Tesla P100 PCIe 16GB");
    means("Tesla T4", "NVIDIA T4");
    means("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090");
    means("GeForce RTX 2080 Ti", "NVIDIA GeForce RTX 2080 Ti");
    means("NVIDIA RTX A6000", "NVIDIA RTX A6000");
    means("AMD Instinct MI300X VF", "AMD Instinct MI300X");
    means("AMD Instinct MI210", "AMD Instinct MI210");
    means("Quadro GP100", "NVIDIA Quadro GP100");
}

static void every_name_of_the_table_finds_itself(void **state)
{
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue); i++) {
        const struct hardware *gpu = catalogue_gpu_at(catalogue, i);
        assert_ptr_equal(catalogue_gpu(catalogue, gpu->name, silent), gpu);
        assert_true(gpu->source[HW_FP32].len > 0);
        assert_true(gpu->figure[HW_MEMORY_RATE] > 1e11);
        assert_true(hardware_peak(gpu, PRECISION_FP32) > 1e12);
    }
}

static void what_is_not_known_is_not_guessed(void **state)
{
    const char *const names[] = {"",
                                 "NVIDIA",
                                 "AMD Radeon Graphics",
                                 "ARTEMIS",
                                 "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                                 "NVIDIA GeForce RTX 4090 D",
                                 "A",
                                 "100"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(catalogue_gpu(catalogue, str_of(names[i]), silent));
}

static void signs_tell_variants_apart(void **state)
{
    assert_null(catalogue_gpu(catalogue, S("NVIDIA A100-PG509-200"), (struct gpu_signs){24000000000, 108}));
    const struct hardware *gpu =
        catalogue_gpu(catalogue, S("NVIDIA A100-PG509-200"), (struct gpu_signs){42505273344, 108});
    assert_non_null(gpu);
    assert_int_equal(gpu->figure[HW_MEMORY_RATE] / 1e9, 1555);
    gpu = catalogue_gpu(catalogue, S("NVIDIA H100"), (struct gpu_signs){84990623744, 114});
    assert_non_null(gpu);
    assert_string_equal(str_z(&arena, gpu->name), "NVIDIA H100 PCIe 80GB");
    assert_null(catalogue_gpu(catalogue, S("NVIDIA H100"), (struct gpu_signs){102085492736, 132}));
}

static void an_ambiguous_name_is_not_found_but_has_neighbours(void **state)
{
    assert_null(catalogue_gpu(catalogue, S("A100"), silent));
    const str closest = catalogue_closest(catalogue, &arena, S("A100"));
    assert_true(str_has(closest, S("A100-SXM4-40GB")));
    assert_true(str_has(closest, S("A100-SXM4-80GB")));
}

static void a_slip_of_the_pen_has_its_neighbour_first(void **state)
{
    assert_null(catalogue_gpu(catalogue, S("H20O"), silent));
    assert_true(str_starts(catalogue_closest(catalogue, &arena, S("MI300")), S("AMD Instinct MI300")));
    assert_true(str_starts(catalogue_closest(catalogue, &arena, S("RTX 409O")), S("NVIDIA GeForce RTX 4090")));
    assert_true(str_starts(catalogue_hint(catalogue, &arena, S("MI300")), S("near are AMD Instinct MI300")));
    assert_int_equal(catalogue_closest(catalogue, &arena, S("")).len, 0);
    assert_int_equal(catalogue_closest(catalogue, &arena, S("FooGPU")).len, 0);
    assert_int_equal(catalogue_closest(catalogue, &arena, S("ARTEMIS")).len, 0);
}

static void figures_are_in_base_units(void **state)
{
    const struct hardware *gpu = catalogue_gpu(catalogue, S("H100 SXM"), silent);
    assert_non_null(gpu);
    assert_true(hardware_peak(gpu, PRECISION_BF16) == 989e12);
    assert_true(gpu->figure[HW_MEMORY_RATE] == 3350e9);
    assert_true(gpu->figure[HW_MEMORY_BYTES] == 80.0 * (1 << 30));
    assert_int_equal((int)gpu->figure[HW_SMS], 132);
}

static void long_names_do_no_harm(void **state)
{
    char text[4096];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 3 == 2 ? ' ' : (char)('a' + i % 26);
    const str name = {text, sizeof text};
    assert_null(catalogue_gpu(catalogue, name, silent));
    assert_int_equal(catalogue_closest(catalogue, &arena, name).len, 0);
}

/* ---- quantities ---- */

static void is_quantity(const char *text, double value, enum dimension dimension)
{
    struct quantity quantity;
    const char *const what = quantity_read(str_of(text), &quantity);
    if (what)
        fail_msg("'%s' %s", text, what);
    if (fabs(quantity.value - value) > 1e-9 * value || quantity.dimension != dimension)
        fail_msg("'%s' is read as %g, dimension %d", text, quantity.value, quantity.dimension);
}

static void usual_units_are_read(void **state)
{
    is_quantity("108", 108, DIMENSION_COUNT);
    is_quantity("2.5e2", 250, DIMENSION_COUNT);
    is_quantity("312TFLOPS", 312e12, DIMENSION_FLOP_RATE);
    is_quantity("312 tflop/s", 312e12, DIMENSION_FLOP_RATE);
    is_quantity("1e3GFLOPS", 1e12, DIMENSION_FLOP_RATE);
    is_quantity("5EFLOPS", 5e18, DIMENSION_FLOP_RATE);
    is_quantity("50MiB", 50.0 * 1048576, DIMENSION_BYTES);
    is_quantity("50 mb", 50e6, DIMENSION_BYTES);
    is_quantity("80GB", 80e9, DIMENSION_BYTES);
    is_quantity("80GiB", 80.0 * 1073741824, DIMENSION_BYTES);
    is_quantity("512 bytes", 512, DIMENSION_BYTES);
    is_quantity("1410MHz", 1.41e9, DIMENSION_FREQUENCY);
    is_quantity("1.41 ghz", 1.41e9, DIMENSION_FREQUENCY);
    is_quantity("5us", 5e-6, DIMENSION_TIME);
    is_quantity("5 \xC2\xB5s", 5e-6, DIMENSION_TIME);
    is_quantity("3ms", 3e-3, DIMENSION_TIME);
    is_quantity("700 W", 700, DIMENSION_POWER);
    is_quantity("1.2kW", 1200, DIMENSION_POWER);
    is_quantity("120%", 1.2, DIMENSION_SHARE);
}

static void bits_and_bytes_are_told_apart(void **state)
{
    is_quantity("100Gbps", 12.5e9, DIMENSION_BYTE_RATE);
    is_quantity("100gbps", 12.5e9, DIMENSION_BYTE_RATE);
    is_quantity("100 Gb/s", 12.5e9, DIMENSION_BYTE_RATE);
    is_quantity("100 Gbit/s", 12.5e9, DIMENSION_BYTE_RATE);
    is_quantity("100 gbit/s", 12.5e9, DIMENSION_BYTE_RATE);
    is_quantity("100GB/s", 100e9, DIMENSION_BYTE_RATE);
    is_quantity("100GBps", 100e9, DIMENSION_BYTE_RATE);
    is_quantity("4TB/s", 4e12, DIMENSION_BYTE_RATE);
    is_quantity("1GiB/s", 1073741824, DIMENSION_BYTE_RATE);
    struct quantity quantity;
    assert_non_null(quantity_read(S("100gb/s"), &quantity));
    assert_non_null(quantity_read(S("100mb/s"), &quantity));
}

static void what_is_no_quantity_is_refused(void **state)
{
    const char *const texts[] = {"",      "fast",          "-3GB/s", "nan", "inf",   "0x10",  "1e",
                                 "1.2.3", "3 GB/s please", "3 m/s",  ".",   "1e400", "3QB/s", "3 iB",
                                 "+5",    "5 parsec",      "1e31GB", "e5"};
    struct quantity quantity;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!quantity_read(str_of(texts[i]), &quantity))
            fail_msg("'%s' is read as %g", texts[i], quantity.value);
}

/* ---- a device with what is set ---- */

static struct hardware found(const char *name)
{
    struct hardware hardware;
    struct steptime_error err;
    if (!hardware_find(str_of(name), &arena, &hardware, &err))
        fail_msg("%s", err.message);
    return hardware;
}

static void a_device_knows_what_it_is_attached_to(void **state)
{
    const struct hardware gpu = found("NVIDIA H100 80GB HBM3");
    assert_true(gpu.catalogued);
    assert_true(gpu.figure[HW_GPU_LINK] == 450e9);
    assert_true(gpu.figure[HW_HOST_LINK] == 63e9);
    assert_true(gpu.figure[HW_NETWORK] == 400e9);
    assert_true(gpu.figure[HW_GPUS_PER_SERVER] == 8);
    assert_true(gpu.source[HW_GPU_LINK].len > 0);
    const struct hardware card = found("NVIDIA_A100_80GB_PCIe");
    assert_true(card.figure[HW_GPU_LINK] == 0);
    assert_int_equal(card.source[HW_GPU_LINK].len, 0);
}

static void every_known_figure_has_a_source_and_makes_sense(void **state)
{
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue); i++) {
        const struct hardware *gpu = catalogue_gpu_at(catalogue, i);
        for (int key = 0; key < HW_KEYS; key++)
            if ((gpu->figure[key] > 0) != (gpu->source[key].len > 0))
                fail_msg("%s: %s", str_z(&arena, gpu->name), hw_key_word((enum hw_key)key).at);
        /* A fused multiply-add a lane and clock makes the fp32 peak; some peaks are quoted at another clock. */
        const double lanes = gpu->figure[HW_SMS] * gpu->figure[HW_LANES_PER_SM];
        const double peak = 2 * lanes * gpu->figure[HW_CLOCK] / gpu->figure[HW_FP32];
        if (peak < 0.8 || peak > 1.12)
            fail_msg("%s: lanes x clock give %g of its peak", str_z(&arena, gpu->name), peak);
    }
}

static void one_figure_is_set_and_no_other(void **state)
{
    const struct hardware before = found("V100 SXM2");
    struct hardware after = before;
    assert_true(hardware_set(&after, S(" memory = 4 TB/s "), &arena, NULL));
    for (int key = 0; key < HW_KEYS; key++)
        assert_true(key == HW_MEMORY_RATE ? after.figure[key] == 4e12 : after.figure[key] == before.figure[key]);
    assert_true(hardware_set(&after, S("memory=50%"), &arena, NULL));
    assert_true(after.figure[HW_MEMORY_RATE] == 2e12);
    assert_true(hardware_set(&after, S("network=100Gbps"), &arena, NULL));
    assert_true(after.figure[HW_NETWORK] == 12.5e9);
    assert_true(hardware_set(&after, S("host_link=pcie5"), &arena, NULL));
    assert_true(after.figure[HW_HOST_LINK] == 63e9);
    assert_true(hardware_set(&after, S("gpu_latency=0us"), &arena, NULL));
    assert_true(after.figure[HW_GPU_LATENCY] == 0);
}

static void refuses(const char *setting, const char *part)
{
    struct hardware gpu = found("V100 SXM2");
    const struct hardware before = gpu;
    struct steptime_error err;
    if (hardware_set(&gpu, str_of(setting), &arena, &err))
        fail_msg("'%s' is taken", setting);
    assert_int_equal(err.code, STEPTIME_USAGE);
    if (!strstr(err.message, part))
        fail_msg("'%s': '%s' does not say '%s'", setting, err.message, part);
    assert_memory_equal(gpu.figure, before.figure, sizeof gpu.figure);
}

static void what_cannot_be_set_is_named(void **state)
{
    refuses("memory=4", "no unit");
    refuses("memory=80GiB", "another unit");
    refuses("memory=", "sets nothing");
    refuses("memory", "sets nothing");
    refuses("memroy=4TB/s", "'memory'");
    refuses("colour=4TB/s", "no figure 'colour'");
    refuses("network=100gb/s", "bits");
    refuses("fp8=120%", "not known");
    refuses("sms=0", "zero");
    refuses("clock=nanHz", "number");
}

static void a_file_describes_a_device(void **state)
{
    char path[] = "/tmp/steptime-hw-XXXXXX.csv";
    const int fd = mkstemps(path, 4);
    const char text[] =
        "name,fp32_tflop_per_s,memory_gb_per_s,host_link,gpu_link,colour\nMy GPU,40,1200,PCIe4,90GB/s,red\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    const struct hardware gpu = found(path);
    remove(path);
    assert_string_equal(str_z(&arena, gpu.name), "My GPU");
    assert_false(gpu.catalogued);
    assert_true(hardware_peak(&gpu, PRECISION_FP32) == 40e12);
    assert_true(gpu.figure[HW_HOST_LINK] == 31.5e9);
    assert_true(gpu.figure[HW_GPU_LINK] == 90e9);
    assert_true(gpu.figure[HW_L2_BYTES] == 0);
}

static void an_unusable_file_is_refused(const char *text, const char *part)
{
    char path[] = "/tmp/steptime-hw-XXXXXX.csv";
    const int fd = mkstemps(path, 4);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    struct hardware gpu;
    struct steptime_error err;
    const bool good = hardware_find(str_of(path), &arena, &gpu, &err);
    remove(path);
    assert_false(good);
    if (!strstr(err.message, part))
        fail_msg("'%s' does not say '%s'", err.message, part);
}

static void unusable_files_are_refused(void **state)
{
    an_unusable_file_is_refused("", "no column 'name'");
    an_unusable_file_is_refused("a,b\n1,2\n", "no column 'name'");
    an_unusable_file_is_refused("name,fp32_tflop_per_s\n", "0 devices");
    an_unusable_file_is_refused("name,fp32_tflop_per_s\nA,1\nB,2\n", "2 devices");
    an_unusable_file_is_refused("name,fp32_tflop_per_s\nA,fast\n", "fp32_tflop_per_s 'fast'");
    an_unusable_file_is_refused("name,memory_gb_per_s\nA,4TB/s\n", "has a unit");
    an_unusable_file_is_refused("name,host_link\nA,PCIe 99\n", "neither a link");
    an_unusable_file_is_refused("name,server\nA,nowhere\n", "no server");
}

static void an_unknown_device_is_named_with_its_neighbours(void **state)
{
    struct hardware gpu;
    struct steptime_error err;
    assert_false(hardware_find(S("MI300"), &arena, &gpu, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
    assert_non_null(strstr(err.message, "MI300X"));
    assert_false(hardware_find(S("/no/such/file.csv"), &arena, &gpu, &err));
}

static void of_several_variants_the_most_common_is_taken_and_told(void **state)
{
    struct hardware gpu;
    assert_true(hardware_find(S("A100"), &arena, &gpu, NULL));
    assert_string_equal(str_z(&arena, gpu.name), "NVIDIA A100-SXM4-80GB");
    const str remark = hardware_remark(S("a100"), &arena);
    assert_true(str_has(remark, S("NVIDIA A100-SXM4-80GB")) && str_has(remark, S("MLPerf")));
    assert_true(hardware_find(S("A100 40GB"), &arena, &gpu, NULL));
    assert_string_equal(str_z(&arena, gpu.name), "NVIDIA A100-SXM4-40GB");
    assert_int_equal(hardware_remark(S("A100-SXM4-80GB"), &arena).len, 0);
    assert_int_equal(hardware_remark(S("H100"), &arena).len, 0);
    assert_false(hardware_recorded(S("NVIDIA A100"), &arena, &gpu, NULL));
}

/* Within a server the links of its GPUs, else the host's; beyond it the network is shared. */
static void the_rate_between_ranks_is_that_of_their_link(void **state)
{
    struct hardware gpu = {.figure = {[HW_HOST_LINK] = 32e9, [HW_NETWORK] = 100e9, [HW_GPUS_PER_SERVER] = 4}};
    assert_true(hardware_link_rate(&gpu, 4) == 32e9);
    gpu.figure[HW_GPU_LINK] = 300e9;
    assert_true(hardware_link_rate(&gpu, 4) == 300e9);
    assert_true(hardware_link_rate(&gpu, 5) == 25e9);
    gpu.figure[HW_NETWORK] = 0;
    assert_true(hardware_link_rate(&gpu, 5) == 0);
    assert_true(hardware_link_rate(NULL, 2) == 0);
}

static void a_server_that_nobody_knows_is_told(void **state)
{
    struct hardware gpu;
    assert_true(hardware_find(S("T4"), &arena, &gpu, NULL));
    assert_int_equal(hardware_server(&gpu), 8);
    assert_true(str_has(hardware_server_remark(&gpu, &arena), S("NVIDIA T4")));
    gpu.figure[HW_GPUS_PER_SERVER] = 4;
    assert_int_equal(hardware_server(&gpu), 4);
    assert_int_equal(hardware_server_remark(&gpu, &arena).len, 0);
    gpu.figure[HW_GPUS_PER_SERVER] = 1e300; /* as a user's file may say */
    assert_int_equal(hardware_server(&gpu), 8);
    assert_int_equal(hardware_server(NULL), 8);
    assert_true(hardware_server_remark(NULL, &arena).len > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_usual_spelling_is_found),
        cmocka_unit_test(every_name_of_the_table_finds_itself),
        cmocka_unit_test(what_is_not_known_is_not_guessed),
        cmocka_unit_test(signs_tell_variants_apart),
        cmocka_unit_test(an_ambiguous_name_is_not_found_but_has_neighbours),
        cmocka_unit_test(a_slip_of_the_pen_has_its_neighbour_first),
        cmocka_unit_test(figures_are_in_base_units),
        cmocka_unit_test(long_names_do_no_harm),
        cmocka_unit_test(usual_units_are_read),
        cmocka_unit_test(bits_and_bytes_are_told_apart),
        cmocka_unit_test(what_is_no_quantity_is_refused),
        cmocka_unit_test(a_device_knows_what_it_is_attached_to),
        cmocka_unit_test(every_known_figure_has_a_source_and_makes_sense),
        cmocka_unit_test(one_figure_is_set_and_no_other),
        cmocka_unit_test(what_cannot_be_set_is_named),
        cmocka_unit_test(a_file_describes_a_device),
        cmocka_unit_test(unusable_files_are_refused),
        cmocka_unit_test(an_unknown_device_is_named_with_its_neighbours),
        cmocka_unit_test(of_several_variants_the_most_common_is_taken_and_told),
        cmocka_unit_test(the_rate_between_ranks_is_that_of_their_link),
        cmocka_unit_test(a_server_that_nobody_knows_is_told),
    };
    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
