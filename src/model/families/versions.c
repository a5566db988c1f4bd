/* SPDX-License-Identifier: Apache-2.0 */
#include "versions.h"

/* The newest there was for A100, and for devices after it. */
static const struct {
    const char *before, *now;
} fitted[LIBRARIES] = {
    [LIBRARY_SGLANG] = {"0.5.10", "0.5.14"},
    [LIBRARY_TRTLLM] = {"1.0.0", "1.3.0rc20"},
    [LIBRARY_VLLM] = {"0.14.0", "0.24.0"},
    [LIBRARY_NCCL] = {"2.27.3", "2.29.2"},
};

/* Arithmetic of 8 bits came with the generation after A100. */
static bool is_fitted(const struct kernel *kernel, const struct hardware *hardware)
{
    const bool after = hardware->figure[HW_FP8] > 0;
    const char *word = after ? fitted[kernel->library].now : fitted[kernel->library].before;
    return word && kernel->version == version_of_word(str_of(word));
}

double version_doubt(const struct family *family, const struct kernel *kernel, const struct hardware *hardware)
{
    if (kernel->version == VERSION_UNTOLD || !family->versions || is_fitted(kernel, hardware))
        return 0;
    return family->versions(kernel);
}
