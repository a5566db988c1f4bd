/* SPDX-License-Identifier: Apache-2.0 */
/* What a change spares, by family. */
#include "chain.h"

str chain_gain(const struct check *check, const struct match *match)
{
    (void)check;
    static const struct {
        const char *family, *spares;
    } families[] = {
        {"ST1", "the kernels of all rounds but one, each launched by the host"},
        {"ST2", "the time in which the host builds the tensor while the device waits"},
        {"ST30", "the time in which the device waits for the host's work"},
        {"ST4", "the wait: the host goes on to launch work while the device computes"},
        {"ST5", "copies that are made again, and the wait for each"},
        {"ST604", "the time in which the device waits for the training thread to load a batch"},
        {"ST606", "the wait for all that the device was given"},
        {"ST6", "the wait for the copy, which can run beside the step"},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_starts(str_of(match->rule->id), str_of(families[i].family)))
            return str_of(families[i].spares);
    return S("time of the host");
}
