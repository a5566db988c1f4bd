/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include "breakdown/holdup/holdup.h"
#include "breakdown/parts/part.h"
#include "breakdown/path/critical_path.h"
#include "ops/rows/phase.h"
#include "ops/rows/work.h"

static const char *resource_word(int resource)
{
    return resource_id((enum resource)resource);
}

static const char *cause_word(int cause)
{
    return cause_id((enum cause)cause);
}

static const char *habit_word(int habit)
{
    return habit_id((enum habit)habit);
}

static const char *part_word(int part)
{
    return part_id((enum part)part);
}

static const char *kernel_word(int class)
{
    return kernel_class_word((enum kernel_class) class).at;
}

static const char *source_word(int source)
{
    return step_source_id((enum step_source)source);
}

static const char *path_word(int class)
{
    return path_class_id((enum path_class) class);
}

static const char *phase_text(int phase)
{
    static const char *const others[] = {"", "loader"};
    return phase < PHASES ? phase_word((enum phase)phase).at : others[phase - PHASES];
}

const struct code_enum sketch_resources = {resource_word, RESOURCES}, sketch_causes = {cause_word, CAUSES},
                       sketch_habits = {habit_word, HABITS}, sketch_parts = {part_word, PARTS},
                       sketch_kernel_classes = {kernel_word, KERNEL_CLASSES},
                       sketch_step_sources = {source_word, STEP_SOURCES},
                       sketch_path_classes = {path_word, PATH_CLASSES}, sketch_phases = {phase_text, PHASES + 2};

int sketch_phase(const char *word)
{
    int phase = 0;
    while (phase < sketch_phases.limit - 1 && !str_eq(str_of(phase_text(phase)), str_of(word)))
        phase++;
    return phase;
}
