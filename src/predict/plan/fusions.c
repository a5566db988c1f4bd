/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit that cannot be fused is a barrier. The depth of a tensor is the barrier that it was made by, or that what it was
 * computed from was; a unit has that of its deepest input. So units of one depth can run at the same time, after that
 * barrier: those that read what another one writes, or what another one reads too, become one kernel.
 */
#include "fusions.h"

#include "base/map.h"

enum { NOWHERE = UINT32_MAX };

struct fusing {
    const struct program *program;
    struct units *units;
    struct unit *at; /* of the units, to be changed */
    struct arena *arena, scratch;
    uint32_t *region;     /* by operator: which call of what is compiled, from 1 on; 0: of none */
    uint32_t *group;      /* by unit: the first of those that it is fused with; NOWHERE */
    uint32_t *depth;      /* by unit */
    int64_t *tensor;      /* by place in program->tensors: its tensor; of a view that which it is one of */
    struct map depth_of;  /* by tensor: of who wrote it last */
    struct map writer_of; /* by tensor: the unit that wrote it last */
    struct map reader_of; /* by tensor: the unit that can be fused and read it last */
};

/* ---- what is compiled ---- */

/* Numbers calls by the marks around them; a gradient is of the call that its forward operator is of. */
static bool find_regions(struct fusing *f)
{
    const struct program *const program = f->program;
    uint32_t calls = 0, now = 0, mark = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *const op = &program->ops[i];
        for (; mark < program->mark_count && program->marks[mark].id < op->id; mark++)
            if (program->marks[mark].kind == MARK_COMPILED)
                now = program->marks[mark].what ? ++calls : 0;
        const uint32_t around = op->parent < i ? f->region[op->parent] : 0;
        const uint32_t forward = op->forward < i ? f->region[op->forward] : 0;
        f->region[i] = forward ? forward : now ? now : around;
    }
    return calls > 0;
}

/* ---- what can be fused ---- */

static bool form_fuses(enum kernel_form form)
{
    switch (form) {
    case FORM_ELEMENTWISE:
    case FORM_SOFTMAX:
    case FORM_LAYER_NORM:
    case FORM_DROPOUT:
    case FORM_BATCH_NORM:
    case FORM_REDUCTION:
    case FORM_TRANSPOSE:
    case FORM_COPY:
    case FORM_FILL:
        return true;
    default:
        return false;
    }
}

static bool unit_fuses(const struct fusing *f, const struct unit *unit)
{
    bool fuses = f->region[unit->op] && unit->lowering.way == LOWERED_TO_KERNELS && unit->lowering.count;
    for (uint32_t i = 0; i < unit->lowering.count && fuses; i++)
        fuses = form_fuses(unit->lowering.kernels[i].form);
    return fuses;
}

/* ---- tensors ---- */

/* Calls that launch nothing and hold no others give views of the first that they are given. */
static void find_tensors(struct fusing *f)
{
    const struct program *const program = f->program;
    struct map viewed = {0}; /* by tensor that is a view: a place where what it is one of stands */
    uint32_t unit = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *const op = &program->ops[i];
        const bool launches = unit < f->units->count && f->at[unit].op == i;
        const bool views = !launches && op->end == i + 1 && op->inputs && !op->label;
        unit += launches;
        for (uint32_t k = op->first_input; k < op->first_input + op->inputs; k++) {
            const uint32_t of = map_get(&viewed, program->tensors[k]);
            f->tensor[k] = of == MAP_NONE ? program->tensors[k] : f->tensor[of];
        }
        for (uint32_t k = op->first_output; k < op->first_output + op->outputs; k++) {
            f->tensor[k] = views ? f->tensor[op->first_input] : program->tensors[k];
            if (views)
                map_put(&viewed, program->tensors[k], op->first_input);
            else if (launches && map_get(&viewed, program->tensors[k]) != MAP_NONE)
                map_put(&viewed, program->tensors[k], MAP_NONE);
        }
    }
    map_free(&viewed);
}

/* ---- groups ---- */

static uint32_t root_of(const struct fusing *f, uint32_t unit)
{
    while (f->group[unit] != unit)
        unit = f->group[unit];
    return unit;
}

static void join(struct fusing *f, uint32_t unit, uint32_t other)
{
    if (other == MAP_NONE || f->group[other] == NOWHERE || f->depth[other] != f->depth[unit] ||
        f->region[f->at[other].op] != f->region[f->at[unit].op] ||
        f->program->ops[f->at[other].op].phase != f->program->ops[f->at[unit].op].phase)
        return;
    const uint32_t a = root_of(f, unit), b = root_of(f, other);
    f->group[a > b ? a : b] = a > b ? b : a;
}

static uint32_t deepest_input(const struct fusing *f, const struct program_op *op)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < op->inputs; i++) {
        const uint32_t depth = map_get(&f->depth_of, f->tensor[op->first_input + i]);
        deepest = depth != MAP_NONE && depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void join_inputs(struct fusing *f, uint32_t unit, const struct program_op *op)
{
    for (uint32_t i = 0; i < op->inputs; i++) {
        const int64_t tensor = f->tensor[op->first_input + i];
        join(f, unit, map_get(&f->writer_of, tensor));
        join(f, unit, map_get(&f->reader_of, tensor));
        map_put(&f->reader_of, tensor, unit);
    }
}

static void write_outputs(struct fusing *f, uint32_t unit, const struct program_op *op)
{
    for (uint32_t i = 0; i < op->outputs; i++) {
        const int64_t tensor = f->tensor[op->first_output + i];
        map_put(&f->depth_of, tensor, f->depth[unit]);
        map_put(&f->writer_of, tensor, unit);
    }
}

static void find_groups(struct fusing *f)
{
    for (uint32_t i = 0; i < f->units->count; i++) {
        const struct program_op *const op = &f->program->ops[f->at[i].op];
        const bool fuses = unit_fuses(f, &f->at[i]);
        f->group[i] = fuses ? i : NOWHERE;
        f->depth[i] = fuses ? deepest_input(f, op) : i + 1;
        if (fuses)
            join_inputs(f, i, op);
        write_outputs(f, i, op);
    }
}

/* ---- the fused kernel ---- */

static double bytes_at(const struct fusing *f, uint32_t tensor)
{
    const int64_t bytes = f->program->tensor_bytes ? f->program->tensor_bytes[tensor] : -1;
    return bytes > 0 ? (double)bytes : 0;
}

/* Who reads what units write, by place of an output in program->tensors. */
struct readers {
    uint32_t *outside;     /* a unit of another group that reads it before it is written anew; NOWHERE */
    bool *read;            /* anybody does */
    struct map written_at; /* by tensor: place of its last write */
};

static bool are_fused(const struct fusing *f, uint32_t unit, uint32_t other)
{
    return other < f->units->count && f->group[unit] != NOWHERE && f->group[other] != NOWHERE &&
           root_of(f, unit) == root_of(f, other);
}

static void note_read(const struct fusing *f, struct readers *readers, uint32_t unit, int64_t tensor)
{
    const uint32_t place = map_get(&readers->written_at, tensor);
    if (place == MAP_NONE)
        return;
    readers->read[place] = true;
    if (!are_fused(f, unit, map_get(&f->writer_of, (int64_t)place)))
        readers->outside[place] = unit;
}

static void note_reads_and_writes(struct fusing *f, struct readers *readers, uint32_t unit)
{
    const struct program_op *const op = &f->program->ops[f->at[unit].op];
    for (uint32_t k = op->first_input; k < op->first_input + op->inputs; k++)
        note_read(f, readers, unit, f->tensor[k]);
    for (uint32_t k = op->first_output; k < op->first_output + op->outputs; k++) {
        map_put(&readers->written_at, f->tensor[k], k);
        map_put(&f->writer_of, (int64_t)k, unit);
    }
}

/* By place of an output: whether somebody outside of its group wants it. What nobody reads is the program's own output. */
static bool *wanted_outside(struct fusing *f)
{
    const uint32_t count = f->program->tensor_count;
    struct readers readers = {arena_array(&f->scratch, count, sizeof *readers.outside),
                              arena_array(&f->scratch, count, sizeof *readers.read),
                              {0}};
    bool *const wanted = arena_array(&f->scratch, count, sizeof *wanted);
    for (uint32_t k = 0; k < count; k++)
        readers.outside[k] = NOWHERE;
    for (uint32_t i = 0; i < f->units->count; i++)
        note_reads_and_writes(f, &readers, i);
    for (uint32_t k = 0; k < count; k++)
        wanted[k] = !readers.read[k] || readers.outside[k] != NOWHERE;
    map_free(&readers.written_at);
    return wanted;
}

/* What the units of each group read and write, added to their first. */
struct traffic {
    double *bytes;         /* by unit */
    const bool *wanted;    /* by place of an output, outside of its group */
    struct map seen;       /* by tensor: the group that read it last */
    struct map written_by; /* by tensor: the group */
};

static void add_read(const struct fusing *f, struct traffic *traffic, uint32_t root, uint32_t place)
{
    const int64_t tensor = f->tensor[place];
    if (map_get(&traffic->written_by, tensor) == root || map_get(&traffic->seen, tensor) == root)
        return;
    map_put(&traffic->seen, tensor, root);
    traffic->bytes[root] += bytes_at(f, place);
}

static void add_unit(const struct fusing *f, struct traffic *traffic, uint32_t unit)
{
    const struct program_op *const op = &f->program->ops[f->at[unit].op];
    const uint32_t root = f->group[unit] == NOWHERE ? (uint32_t)NOWHERE : root_of(f, unit);
    for (uint32_t k = op->first_input; k < op->first_input + op->inputs && root != NOWHERE; k++)
        add_read(f, traffic, root, k);
    for (uint32_t k = op->first_output; k < op->first_output + op->outputs; k++) {
        map_put(&traffic->written_by, f->tensor[k], root);
        if (root != NOWHERE && traffic->wanted[k])
            traffic->bytes[root] += bytes_at(f, k);
    }
}

static double *traffic_of(struct fusing *f)
{
    struct traffic traffic = {.bytes = arena_array(&f->scratch, f->units->count, sizeof *traffic.bytes)};
    map_free(&f->writer_of); /* now by place of an output */
    traffic.wanted = wanted_outside(f);
    for (uint32_t i = 0; i < f->units->count; i++)
        add_unit(f, &traffic, i);
    map_free(&traffic.seen);
    map_free(&traffic.written_by);
    return traffic.bytes;
}

static struct kernel kernel_of(const struct kernel *first, double bytes)
{
    const double each = kernel_element_bytes(first);
    const int64_t elements = (int64_t)(bytes / each / 2);
    return (struct kernel){.form = FORM_ELEMENTWISE,
                           .backward = first->backward,
                           .among = first->among,
                           .dtype = first->dtype,
                           .variant = S("fused"),
                           .elements = {.rows = 1, .cols = elements > 1 ? elements : 1, .accesses = 2}};
}

static void fuse_unit(struct fusing *f, uint32_t i, bool several, double bytes, bool *fused)
{
    struct unit *const unit = &f->at[i];
    if (f->group[i] == NOWHERE || (!several && unit->lowering.count < 2))
        return;
    struct kernel *const kernel = arena_alloc(f->arena, sizeof *kernel);
    *kernel = kernel_of(&unit->lowering.kernels[0], bytes);
    unit->lowering = (struct lowering){.way = LOWERED_TO_KERNELS, .kernels = kernel, .count = 1};
    fused[unit->op] = true;
}

static void fuse(struct fusing *f, struct fusions *fusions, bool *fused)
{
    const double *const bytes = traffic_of(f);
    uint32_t *const members = arena_array(&f->scratch, f->units->count, sizeof *members);
    for (uint32_t i = 0; i < f->units->count; i++)
        if (f->group[i] != NOWHERE)
            members[root_of(f, i)]++;
    for (uint32_t i = 0; i < f->units->count; i++) {
        if (!f->region[f->at[i].op])
            continue;
        const bool first = f->group[i] == NOWHERE || root_of(f, i) == i;
        fusions->operators++;
        fusions->kernels += first;
        if (first)
            fuse_unit(f, i, members[i] > 1, bytes[i], fused);
        else
            f->at[i].lowering = (struct lowering){.way = LOWERED_TO_NOTHING};
    }
}

static void fuse_program(struct fusing *f, struct fusions *fusions)
{
    const struct program *const program = f->program;
    bool *const compiled = arena_array(f->arena, program->count, sizeof *compiled);
    bool *const fused = arena_array(f->arena, program->count, sizeof *fused);
    f->at = arena_array(f->arena, f->units->count, sizeof *f->at);
    if (f->units->count)
        memcpy(f->at, f->units->at, f->units->count * sizeof *f->at);
    f->group = arena_array(&f->scratch, f->units->count, sizeof *f->group);
    f->depth = arena_array(&f->scratch, f->units->count, sizeof *f->depth);
    f->tensor = arena_array(&f->scratch, program->tensor_count, sizeof *f->tensor);
    find_tensors(f);
    find_groups(f);
    fuse(f, fusions, fused);
    for (uint32_t i = 0; i < program->count; i++)
        compiled[i] = f->region[i] != 0;
    fusions->compiled = compiled;
    fusions->fused = fused;
    f->units->at = f->at;
}

struct fusions fusions_of(const struct program *program, struct units *units, struct arena *arena)
{
    struct fusing f = {.program = program, .units = units, .arena = arena};
    struct fusions fusions = {0};
    f.region = arena_array(&f.scratch, program->count, sizeof *f.region);
    if (program->mark_count && find_regions(&f))
        fuse_program(&f, &fusions);
    map_free(&f.depth_of);
    map_free(&f.writer_of);
    map_free(&f.reader_of);
    arena_free(&f.scratch);
    return fusions;
}
