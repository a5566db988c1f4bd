/* SPDX-License-Identifier: Apache-2.0 */
#include "info_execution.h"

#include "program/program.h"

static void count_operator(const struct program *program, uint32_t i, struct info_execution *info)
{
    const struct program_op *op = &program->ops[i];
    if (op->label) {
        info->labels++;
        return;
    }
    info->operators++;
    info->outermost += program_is_top(program, i);
    info->by_phase[op->phase]++;
    info->on_host += op->on_host;
    info->linked += op->phase == PHASE_BACKWARD && op->forward != OP_NONE;
}

void info_execution_take(const struct execution *execution, struct arena *arena, struct info_execution *info)
{
    struct arena scratch = {0};
    const struct program program = program_of_execution(execution, &scratch);
    *info = (struct info_execution){.recorded = str_copy(arena, execution->recorded),
                                    .nodes = execution->count,
                                    .process = execution->process,
                                    .step = program.step,
                                    .threads = program.threads,
                                    .collectives = program.collective_count};
    for (uint32_t i = 0; i < program.count; i++)
        count_operator(&program, i, info);
    arena_free(&scratch);
}

static void count(struct section *section, const char *id, const char *title, uint64_t value)
{
    section_value(section, id, title, UNIT_COUNT, cell_int((int64_t)value));
}

void info_execution_show(const struct info_execution *info, struct report *report)
{
    struct section *section = report_section(report, "execution", "The step that prediction takes");
    section_text(section,
                 S("An execution trace of PyTorch knows the operators with their shapes and data, and no times: "
                   "'steptime predict' puts times on it."));
    section_value(section, "nodes", "nodes in the file", UNIT_COUNT, cell_int(info->nodes));
    section_value(section, "recorded", "recorded", UNIT_NONE, cell_text_or_null(info->recorded));
    section_value(section, "step", "step", UNIT_NONE, cell_int_or_null(info->step));
    count(section, "operators", "operators", info->operators);
    count(section, "outermost", "of them in no other", info->outermost);
    count(section, "forward", "forward", info->by_phase[PHASE_FORWARD]);
    count(section, "backward", "backward", info->by_phase[PHASE_BACKWARD]);
    count(section, "linked", "backward with its forward operator", info->linked);
    count(section, "optimizer", "optimizer", info->by_phase[PHASE_OPTIMIZER]);
    count(section, "on_host", "with tensors in host memory alone", info->on_host);
    count(section, "labels", "labels", info->labels);
    count(section, "threads", "threads", info->threads);
    count(section, "collectives", "collectives", info->collectives);
}
