/* SPDX-License-Identifier: Apache-2.0 */
#include "backend.h"

static const char *const words[BACKENDS] = {"", "triton", "marlin", "cutlass", "deepgemm", "fused"};

str backend_word(enum backend backend)
{
    return (unsigned)backend < BACKENDS ? str_of(words[backend]) : S("");
}

/* The first that a name has decides: names of kernels for Triton say of which engine and format, too. */
static const struct {
    const char *part;
    enum backend backend;
} parts[] = {
    {"marlin", BACKEND_MARLIN},   {"deepgemm", BACKEND_DEEPGEMM}, {"min_latency", BACKEND_FUSED},
    {"trtllm", BACKEND_FUSED},    {"triton", BACKEND_TRITON},     {"fused_moe", BACKEND_TRITON},
    {"cutlass", BACKEND_CUTLASS},
};

enum backend backend_of_name(str name)
{
    for (int i = 1; i < BACKENDS; i++)
        if (str_eq(name, str_of(words[i])))
            return (enum backend)i;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (str_has(name, str_of(parts[i].part)))
            return parts[i].backend;
    return BACKEND_UNTOLD;
}
