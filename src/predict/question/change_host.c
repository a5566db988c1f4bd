/* SPDX-License-Identifier: Apache-2.0 */
/* How the host drives the device: its speed, its waits, its copies, launches all at once. */
#include "change.h"

/*
 * ---- --cpu-speed X: everything that the host does takes 1/X; waits and the device as before ----
 *
 * A plan has means of operators, which do not tell what is no work of the host, so the share that stays is dealt over all.
 */

static void tell_speed(struct changing *changing, double speed)
{
    const double kept = changing->context->kept;
    const str but =
        kept > 0 ? str_printf(changing->arena,
                              ", but for %.0f %% of it: sleep, the loader, start-up and the network stay as they are",
                              100 * kept)
                 : S("");
    change_tell(changing, str_printf(changing->arena, "--cpu-speed: what the host does takes 1/%g%.*s", speed,
                                     (int)but.len, but.at));
}

bool change_cpu_speed(struct changing *changing)
{
    const double speed = changing->question->cpu_speed, kept = changing->context->kept;
    plan_scale_host(changing->plan, kept + (1 - kept) / speed);
    tell_speed(changing, speed);
    return true;
}

/* ---- --no-sync: the host waits for nothing but room in the queue ---- */

static uint32_t free_op(struct plan *plan, struct plan_op *op)
{
    uint32_t waits = op->wait_stream != WAITS_FOR_NOTHING;
    op->wait_stream = WAITS_FOR_NOTHING;
    for (uint32_t i = 0; i < op->launches; i++) {
        struct plan_launch *launch = &plan->launches[op->first_launch + i];
        waits += launch->wait_stream != WAITS_FOR_NOTHING;
        launch->wait_stream = WAITS_FOR_NOTHING;
    }
    return waits;
}

bool change_no_sync(struct changing *changing)
{
    uint32_t waits = 0;
    for (uint32_t i = 0; i < changing->plan->count; i++)
        waits += free_op(changing->plan, &changing->plan->ops[i]);
    change_tell(changing, str_printf(changing->arena, "--no-sync: %u waits of the host are gone", waits));
    return true;
}

/* ---- --pinned: copies from host memory are from pinned memory, and the host goes on ---- */

static bool is_pageable(const struct plan *plan, const struct plan_launch *launch)
{
    if (launch->source == PLAN_NONE)
        return launch->has_kernel && launch->kernel.form == FORM_HOST_COPY && !launch->kernel.moved.pinned;
    const struct program_launch *recorded = &plan->program->launches[launch->source];
    const bool silent = recorded->memory == HOST_UNKNOWN && launch->wait_stream != WAITS_FOR_NOTHING;
    return recorded->direction == COPY_H2D && (recorded->memory == HOST_PAGEABLE || silent);
}

static struct kernel host_copy(int64_t bytes, bool pinned)
{
    return (struct kernel){.form = FORM_HOST_COPY, .dtype = DTYPE_F32, .moved = {bytes, pinned, SCATTERED_NOT}};
}

static void pin(struct changing *changing, struct plan_launch *launch)
{
    const struct program *program = changing->plan->program;
    const int64_t bytes =
        launch->source != PLAN_NONE ? program->launches[launch->source].bytes : launch->kernel.moved.bytes;
    launch->wait_stream = WAITS_FOR_NOTHING;
    if (bytes <= 0)
        return;
    const struct kernel from = host_copy(bytes, false), to = host_copy(bytes, true);
    bool known;
    const double ratio = change_ratio(changing->context, one_kernel(&from), one_kernel(&to), &known);
    change_stretch(launch, ratio < 1 ? ratio : 1);
}

bool change_pinned(struct changing *changing)
{
    struct plan *plan = changing->plan;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        if (!change_is_live(plan, &plan->launches[i]) || !is_pageable(plan, &plan->launches[i]))
            continue;
        pin(changing, &plan->launches[i]);
        copies++;
    }
    change_tell(changing,
                str_printf(changing->arena, "--pinned: %u copies to the device no longer keep the host", copies));
    return true;
}

/* ---- --cuda-graph: what lies between two waits of the host is launched at once ---- */

static void graph_launches(struct plan *plan, struct plan_op *op, bool *open)
{
    for (uint32_t i = 0; i < op->launches; i++) {
        struct plan_launch *launch = &plan->launches[op->first_launch + i];
        if (launch->gone)
            continue;
        launch->graphed = true;
        if (*open)
            launch->gap_us = launch->call_us = 0;
        *open = true;
    }
}

bool change_cuda_graph(struct changing *changing)
{
    struct plan *plan = changing->plan;
    uint32_t graphs = 0;
    bool open = false;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct plan_op *op = &plan->ops[i];
        if (op->gone)
            continue;
        if (change_op_waits(plan, op)) {
            open = false;
            continue;
        }
        const bool was_open = open;
        graph_launches(plan, op, &open);
        graphs += open && !was_open;
        if (open)
            op->last_us = 0;
        if (was_open)
            op->before_us = 0;
    }
    change_tell(changing, str_printf(changing->arena, "--cuda-graph: the step is launched as %u graph%s", graphs,
                                     graphs == 1 ? "" : "s"));
    return true;
}
