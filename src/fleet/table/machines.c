/* SPDX-License-Identifier: Apache-2.0 */
#include "machines.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "hw/catalogue.h"

/* What a pair of names leads to. */
struct machine {
    str gpu, network;
    bool known;
    struct cluster cluster;
    const char *why; /* where it is not known */
};

/* A table that names more is not one of a cluster; memory stays bounded whatever it holds. */
enum { MACHINES_MOST = 4096 };

struct machines {
    const struct cluster *given, *otherwise;
    const struct machine_changes *changes;
    struct arena arena;
    const struct catalogue *catalogue; /* NULL until a row names a device */
    struct intern *names;
    struct machine **at; /* by the id of "gpu\nnetwork" */
    size_t room, count;
    const struct machine *last; /* of the last row: rows of one kind stand together */
    struct cluster unused;      /* of jobs that lack amounts: their times are recorded, not modelled */
};

struct machines *machines_new(const struct cluster *given, const struct cluster *otherwise,
                              const struct machine_changes *changes)
{
    struct machines *machines = mem_zeroed(sizeof *machines);
    machines->given = given;
    machines->otherwise = otherwise;
    machines->changes = changes;
    machines->names = intern_new();
    machines->unused = cluster_paper();
    return machines;
}

void machines_free(struct machines *machines)
{
    if (!machines)
        return;
    intern_free(machines->names);
    mem_free(machines->at);
    arena_free(&machines->arena);
    mem_free(machines);
}

/* A row is somebody else's text: it may name a device of the catalogue, never a file. */
static bool device_of_row(struct machines *machines, str gpu, struct hardware *hardware, struct steptime_error *err)
{
    if (!machines->catalogue)
        machines->catalogue = catalogue_built_in();
    const struct hardware *found = catalogue_gpu(machines->catalogue, gpu, (struct gpu_signs){-1, -1});
    if (!found)
        return fail(err, STEPTIME_INPUT, "names the device '%.*s', which is not known, or is several", (int)gpu.len,
                    gpu.at);
    *hardware = *found;
    return true;
}

static bool look_up(struct machines *machines, str gpu, str network, struct machine *machine,
                    struct steptime_error *err)
{
    struct hardware hardware;
    struct arena *arena = &machines->arena;
    const struct machine_changes *changes = machines->changes;
    if (str_eq(gpu, S("paper"))) {
        machine->cluster = cluster_paper();
        return !changes || changes->apply(changes->context, &machine->cluster, arena, err);
    }
    if (!device_of_row(machines, gpu, &hardware, err))
        return false;
    if (network.len &&
        !hardware_set(&hardware, str_printf(arena, "network=%.*s", (int)network.len, network.at), arena, err))
        return false;
    if (!cluster_of_hardware(&hardware, arena, &machine->cluster, err))
        return false;
    return !changes || changes->apply(changes->context, &machine->cluster, arena, err);
}

/* The place of the names in `at`; NULL where there are too many. */
static struct machine **place_of(struct machines *machines, str gpu, str network)
{
    struct arena scratch = {0};
    const str key = str_printf(&scratch, "%.*s\n%.*s", (int)gpu.len, gpu.at, (int)network.len, network.at);
    uint32_t id;
    const bool known = intern_find(machines->names, key, &id);
    if (!known && machines->count < MACHINES_MOST)
        id = intern_id(machines->names, key);
    arena_free(&scratch);
    if (!known && machines->count == MACHINES_MOST)
        return NULL;
    machines->at = mem_grow(machines->at, &machines->room, (size_t)id + 1, sizeof *machines->at);
    while (machines->count <= id)
        machines->at[machines->count++] = NULL;
    return &machines->at[id];
}

static const struct machine *machine_of_names(struct machines *machines, str gpu, str network)
{
    static const struct machine too_many = {.why = "names the 4097th kind of hardware of this table"};
    struct machine **place = place_of(machines, gpu, network);
    if (!place)
        return &too_many;
    if (*place)
        return *place;
    struct steptime_error err = {0};
    struct machine *machine = *place = arena_alloc(&machines->arena, sizeof *machine);
    machine->gpu = str_copy(&machines->arena, gpu);
    machine->network = str_copy(&machines->arena, network);
    machine->known = look_up(machines, machine->gpu, machine->network, machine, &err);
    machine->why = machine->known ? NULL : str_z(&machines->arena, str_of(err.message));
    return machine;
}

static const struct cluster *of_names(struct machines *machines, const struct job *job, const char **why)
{
    if (!job->gpu.len) {
        *why = machines->otherwise ? NULL : "names no gpu, and no --hw says one for all";
        return machines->otherwise;
    }
    const struct machine *machine = machines->last;
    if (!machine || !str_eq(job->gpu, machine->gpu) || !str_eq(job->network, machine->network))
        machine = machines->last = machine_of_names(machines, job->gpu, job->network);
    *why = machine->why;
    return machine->known ? &machine->cluster : NULL;
}

const struct cluster *machines_of_job(struct machines *machines, const struct job *job, const char **why)
{
    if (machines->given)
        return machines->given;
    const struct cluster *cluster = of_names(machines, job, why);
    if (cluster || !job->lacks_amounts)
        return cluster;
    *why = NULL;
    return &machines->unused;
}
