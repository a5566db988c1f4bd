/* SPDX-License-Identifier: Apache-2.0 */
#include "surroundings.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

static bool matters(str name)
{
    static const char whole[] = "PATH LD_LIBRARY_PATH LD_PRELOAD VIRTUAL_ENV CONDA_PREFIX WORLD_SIZE RANK LOCAL_RANK";
    static const str beginnings[] = {S("PYTHON"), S("TORCH"),   S("PYTORCH_"), S("CUDA_"),    S("CUBLAS_"),
                                     S("CUDNN_"), S("NVIDIA_"), S("NCCL_"),    S("HIP_"),     S("ROCR_"),
                                     S("OMP_"),   S("MKL_"),    S("KMP_"),     S("OPENBLAS_")};
    if (str_is_among(whole, name))
        return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (str_starts(name, beginnings[i]))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct variable *const x = a, *const y = b;
    return str_cmp(x->name, y->name);
}

struct surroundings surroundings_now(struct arena *arena)
{
    size_t count = 0;
    while (environ[count])
        count++;
    struct surroundings now = {.at = arena_array(arena, count, sizeof *now.at)};
    for (size_t i = 0; i < count; i++) {
        str rest = str_of(environ[i]), name;
        if (str_cut(&rest, '=', &name) && matters(name))
            now.at[now.count++] = (struct variable){str_copy(arena, name), str_copy(arena, rest)};
    }
    qsort(now.at, now.count, sizeof *now.at, by_name);
    return now;
}

static const struct variable *named(const struct surroundings *all, str name)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (str_eq(all->at[i].name, name))
            return &all->at[i];
    return NULL;
}

static void add_name(str *names, str name, struct arena *arena)
{
    *names =
        str_printf(arena, "%.*s%s%.*s", (int)names->len, names->at, names->len ? ", " : "", (int)name.len, name.at);
}

/* What a manifest names is set only where it could have been noted, so that no file that somebody made sets anything else. */
str surroundings_set(const struct surroundings *wanted, struct arena *arena)
{
    const struct surroundings now = surroundings_now(arena);
    str otherwise = S("");
    for (uint32_t i = 0; i < now.count; i++)
        if (!named(wanted, now.at[i].name)) {
            unsetenv(now.at[i].name.at);
            add_name(&otherwise, now.at[i].name, arena);
        }
    for (uint32_t i = 0; i < wanted->count; i++) {
        const struct variable *const before = named(&now, wanted->at[i].name);
        if (!matters(wanted->at[i].name) || (before && str_eq(before->value, wanted->at[i].value)))
            continue;
        setenv(wanted->at[i].name.at, wanted->at[i].value.at, 1);
        add_name(&otherwise, wanted->at[i].name, arena);
    }
    return otherwise;
}
