/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

/*
 * The first rule whose part occurs in the name decides; case counts, as the
 * vendors' names do. Freeing device or pinned memory waits for the device: the
 * CUDA and HIP manuals call it implicitly synchronising.
 */
static const struct {
    const char *part;
    enum call_effect effect;
} rules[] = {
    {"Synchronize", CALL_SYNC}, {"synchronize", CALL_SYNC}, {"signal_wait", CALL_SYNC}, /* hsa_signal_wait_scacquire and its like */
    {"FreeAsync", CALL_PLAIN},  {"FreeHost", CALL_SYNC},    {"cudaFree", CALL_SYNC},    {"hipFree", CALL_SYNC},
    {"cuMemFree", CALL_SYNC},   {"Memcpy", CALL_COPY},      {"Memset", CALL_LAUNCH},    {"Launch", CALL_LAUNCH},
};

enum call_effect call_effect(str name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (str_has(name, str_of(rules[i].part)))
            return rules[i].effect;
    return CALL_PLAIN;
}
