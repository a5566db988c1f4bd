/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate_gpu.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "calibrate_show.h"
#include "model/fit/fit.h"
#include "model/posterior/like.h"
#include "recorder.h"

enum { CANDIDATES = 300, AT_ONCE = 12 };

/* Of a middling size; what is measured is like these, up to eight times as small or large each way. */
static const struct kernel templates[] = {
    {.form = FORM_LINEAR, .dtype = DTYPE_BF16, .product = {1, 2048, 2048, 2048}},
    {.form = FORM_LINEAR, .dtype = DTYPE_F32, .product = {1, 2048, 2048, 2048}},
    {.form = FORM_BMM, .dtype = DTYPE_BF16, .product = {64, 512, 512, 512}},
    {.form = FORM_BMM, .dtype = DTYPE_F32, .product = {64, 512, 512, 512}},
    {.form = FORM_ELEMENTWISE,
     .dtype = DTYPE_F32,
     .variant = {"gelu", 4},
     .elements = {.rows = 4096, .cols = 2048, .accesses = 2}},
    {.form = FORM_ELEMENTWISE,
     .dtype = DTYPE_F32,
     .variant = {"add", 3},
     .elements = {.rows = 4096, .cols = 2048, .accesses = 3}},
    {.form = FORM_SOFTMAX, .dtype = DTYPE_F32, .rows = {4096, 1024}},
    {.form = FORM_LAYER_NORM, .dtype = DTYPE_F32, .rows = {4096, 1024}},
};
enum { TEMPLATES = sizeof templates / sizeof *templates };

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    interrupted = signal;
}

/* Those that a model has there. */
static uint32_t candidates_of(const struct models *models, const struct hardware *hardware,
                              const struct kernel **candidates, struct arena *arena)
{
    struct kernel *lone = arena_array(arena, TEMPLATES, sizeof *lone);
    const struct kernel *known[TEMPLATES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < TEMPLATES; i++) {
        struct estimate estimate;
        lone[i] = templates[i];
        lone[i].alone = true;
        if (models_estimate(models, hardware, &lone[i], &estimate, NULL))
            known[count++] = &lone[i];
    }
    if (!count)
        return 0;
    const struct kernel *const *like = kernels_like(known, count, CANDIDATES, hardware, arena);
    memcpy(candidates, like, CANDIDATES * sizeof *candidates);
    return CANDIDATES;
}

static void tell(const struct hardware *hardware, uint32_t rows, double spent_s, double seconds)
{
    const bool screen = isatty(STDERR_FILENO);
    fprintf(stderr, "%ssteptime: %.*s: %u rows, %.0f of %.0f s%s", screen ? "\r\033[K" : "", (int)hardware->name.len,
            hardware->name.at, rows, spent_s, seconds, screen ? "" : "\n");
}

static void take_out(const struct kernel **candidates, uint32_t *count, const struct kernel *kernel)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (candidates[i] != kernel)
            candidates[kept++] = candidates[i];
    *count = kept;
}

/* A session while it runs. */
struct minute {
    struct gpu_session *session;
    struct recorder recorder;
    const struct hardware *hardware;
    struct calibrate_rows *rows;
    struct arena *arena;
    const struct kernel **candidates;
    uint32_t count;
    double begin_s;
};

static bool time_is_left(const struct minute *minute)
{
    return !interrupted && clock_s() - minute->begin_s < minute->session->seconds && minute->count;
}

/* What is known with the rows so far. */
static struct models models_so_far(const struct minute *minute, struct arena *arena)
{
    struct models models = *minute->session->before;
    models.own = models_own_copied(&models, arena);
    if (minute->rows->believed.count)
        fit_adapt(&models, &minute->rows->believed, arena);
    return models;
}

/* A dozen rows, chosen one after the other before they are measured. False: the recorder has ended. */
static bool measure_some(struct minute *minute)
{
    struct arena scratch = {0};
    const struct kernel *picked[AT_ONCE];
    const struct models models = models_so_far(minute, &scratch);
    const struct next_asked asked = {&models, minute->hardware, minute->candidates, minute->count, AT_ONCE};
    const uint32_t count = choose_next(&asked, picked);
    bool good = count > 0;
    for (uint32_t i = 0; i < count && good && time_is_left(minute); i++) {
        double us;
        good = recorder_measure(&minute->recorder, picked[i], &us);
        minute->rows->read += good;
        if (good && us > 0)
            calibrate_add(minute->rows, minute->session->before, minute->hardware, picked[i], us, "measured",
                          minute->arena);
        take_out(minute->candidates, &minute->count, picked[i]);
    }
    tell(minute->hardware, minute->rows->believed.count, clock_s() - minute->begin_s, minute->session->seconds);
    arena_free(&scratch);
    return good;
}

static bool find_hardware(struct minute *minute, struct steptime_error *err)
{
    const str name = minute->recorder.device;
    const struct hardware *given = minute->session->given;
    const struct hardware *found = catalogue_gpu(catalogue_built_in(), name, (struct gpu_signs){-1, -1});
    minute->hardware = given ? given : found;
    if (!minute->hardware)
        return fail(err, STEPTIME_INPUT,
                    "the device '%.*s' is not known: --hw FILE gives its figures ('steptime hw' lists those that are)",
                    (int)name.len, name.at);
    return !(given && found) || str_eq(given->name, found->name) ||
           fail(err, STEPTIME_USAGE, "the GPU here is %.*s, and --hw names %.*s", (int)found->name.len, found->name.at,
                (int)given->name.len, given->name.at);
}

static bool run(struct minute *minute, struct steptime_error *err)
{
    struct sigaction before, ours = {.sa_handler = on_interrupt}, pipe_before, ignored = {.sa_handler = SIG_IGN};
    if (!find_hardware(minute, err))
        return false;
    minute->candidates = arena_array(minute->arena, CANDIDATES, sizeof *minute->candidates);
    minute->count = candidates_of(minute->session->before, minute->hardware, minute->candidates, minute->arena);
    sigaction(SIGINT, &ours, &before);
    sigaction(SIGPIPE, &ignored, &pipe_before);
    minute->begin_s = clock_s();
    while (time_is_left(minute) && measure_some(minute))
        ;
    sigaction(SIGINT, &before, NULL);
    sigaction(SIGPIPE, &pipe_before, NULL);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (interrupted)
        fprintf(stderr, "steptime: interrupted: %u rows are kept\n", minute->rows->believed.count);
    return true;
}

bool calibrate_gpu(struct gpu_session *session, struct calibrate_rows *rows, struct arena *arena,
                   struct steptime_error *err)
{
    struct minute minute = {.session = session, .rows = rows, .arena = arena};
    if (!recorder_start(&minute.recorder, session->command, arena, err))
        return false;
    const bool good = run(&minute, err);
    session->stub = minute.recorder.stub;
    session->measured_by = minute.recorder.stub ? S("a stub") : minute.recorder.with;
    recorder_stop(&minute.recorder);
    return good;
}
