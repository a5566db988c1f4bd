/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The class of a device row follows from its kind and its name. A name is judged
 * when the first row that carries it comes by, so the work is one pass over the
 * rows plus one look at the rules a distinct name.
 */
#include "work.h"

#include "copy_names.h"
#include "kernel_names.h"
#include "ops/words/rules.h"

/* What is known of a name, by the kind of row that carries it: a kernel may be called what a copy is called. */
struct judged {
    bool as_kernel, as_copy, as_annotation; /* judged already */
    uint8_t kernel;                         /* enum kernel_class */
    uint8_t direction, memory;              /* enum copy_direction, enum host_memory */
    bool host_communication;
    bool awaits;
};

struct work_classes {
    const struct trace *trace;
    struct judged *names; /* by text id */
};

static str word(const char *const *words, unsigned count, unsigned i)
{
    return i < count ? str_of(words[i]) : S("");
}

str work_class_word(enum work_class class)
{
    static const char *const words[WORK_CLASSES] = {"compute", "communication", "copy", "memset"};
    return word(words, WORK_CLASSES, class);
}

str kernel_class_word(enum kernel_class class)
{
    static const char *const words[KERNEL_CLASSES] = {
        [KERNEL_GEMM] = "gemm",
        [KERNEL_CONVOLUTION] = "convolution",
        [KERNEL_ATTENTION] = "attention",
        [KERNEL_EMBEDDING] = "embedding",
        [KERNEL_NORM] = "norm",
        [KERNEL_SOFTMAX] = "softmax",
        [KERNEL_REDUCTION] = "reduction",
        [KERNEL_ELEMENTWISE] = "elementwise",
        [KERNEL_INDEX] = "index",
        [KERNEL_LAYOUT] = "layout",
        [KERNEL_POOLING] = "pooling",
        [KERNEL_RANDOM] = "random",
        [KERNEL_OPTIMIZER] = "optimizer",
        [KERNEL_TRITON] = "triton",
        [KERNEL_COMMUNICATION] = "communication",
        [KERNEL_OTHER] = "other",
    };
    return word(words, KERNEL_CLASSES, class);
}

str copy_direction_word(enum copy_direction direction)
{
    static const char *const words[COPY_DIRECTIONS] = {"H2D", "D2H", "D2D", "P2P", "H2H", "unknown"};
    return word(words, COPY_DIRECTIONS, direction);
}

str host_memory_word(enum host_memory memory)
{
    static const char *const words[HOST_MEMORIES] = {"pinned", "pageable", "unknown"};
    return word(words, HOST_MEMORIES, memory);
}

static void judge_kernel(struct judged *judged, str name)
{
    if (judged->as_kernel)
        return;
    judged->as_kernel = true;
    judged->kernel = kernel_class_of_name(name);
}

static void judge_copy(struct judged *judged, str name)
{
    if (judged->as_copy)
        return;
    judged->as_copy = true;
    judged->direction = copy_direction_of_name(name);
    judged->memory = copy_memory_of_name(name, judged->direction);
}

/* A backend that moves the bytes with the host's own threads. nccl:* on the host only launches. */
static void judge_annotation(struct judged *judged, str name)
{
    static const struct name_rule rules[] = {{"^gloo:", 1}, {"^mpi:", 1}, {"^ucc:", 1}, {"::wait_tensor$", 1}};
    if (judged->as_annotation)
        return;
    judged->as_annotation = true;
    judged->host_communication = name_judged(name, rules, sizeof rules / sizeof *rules, 0);
    judged->awaits = str_ends(name, S("::wait")) || str_ends(name, S("::wait_tensor"));
}

static void judge(struct work_classes *classes, uint32_t row)
{
    struct judged *judged = &classes->names[classes->trace->name[row]];
    switch (classes->trace->kind[row]) {
    case EVENT_KERNEL:
        judge_kernel(judged, trace_name(classes->trace, row));
        return;
    case EVENT_COPY:
        judge_copy(judged, trace_name(classes->trace, row));
        return;
    case EVENT_ANNOTATION:
    case EVENT_OPERATOR:
        judge_annotation(judged, trace_name(classes->trace, row));
        return;
    default:
        return;
    }
}

struct work_classes *work_classes_new(const struct trace *trace, struct arena *arena)
{
    struct work_classes *classes = arena_alloc(arena, sizeof *classes);
    classes->trace = trace;
    classes->names = arena_array(arena, trace_text_count(trace), sizeof *classes->names);
    for (uint32_t row = 0; row < trace->count; row++)
        judge(classes, row);
    return classes;
}

static const struct judged *of_row(const struct work_classes *classes, uint32_t row)
{
    return &classes->names[classes->trace->name[row]];
}

enum work_class work_class(const struct work_classes *classes, uint32_t row)
{
    switch (classes->trace->kind[row]) {
    case EVENT_COPY:
        return WORK_COPY;
    case EVENT_MEMSET:
        return WORK_MEMSET;
    default:
        return of_row(classes, row)->kernel == KERNEL_COMMUNICATION ? WORK_COMMUNICATION : WORK_COMPUTE;
    }
}

enum kernel_class work_kernel_class(const struct work_classes *classes, uint32_t row)
{
    const struct judged *judged = of_row(classes, row);
    return judged->as_kernel ? judged->kernel : KERNEL_OTHER;
}

enum copy_direction work_copy_direction(const struct work_classes *classes, uint32_t row)
{
    const struct judged *judged = of_row(classes, row);
    return judged->as_copy ? judged->direction : COPY_UNKNOWN;
}

enum host_memory work_copy_memory(const struct work_classes *classes, uint32_t row)
{
    const struct judged *judged = of_row(classes, row);
    return judged->as_copy ? judged->memory : HOST_UNKNOWN;
}

bool work_host_communication(const struct work_classes *classes, uint32_t row)
{
    return of_row(classes, row)->host_communication;
}

bool work_awaits(const struct work_classes *classes, uint32_t row)
{
    return classes->trace->kind[row] == EVENT_OPERATOR && of_row(classes, row)->awaits;
}
