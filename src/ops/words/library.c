/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

static const char *const words[LIBRARIES] = {
    [LIBRARY_UNTOLD] = "",   [LIBRARY_UNKNOWN] = "unknown", [LIBRARY_SGLANG] = "sglang", [LIBRARY_TRTLLM] = "trtllm",
    [LIBRARY_VLLM] = "vllm", [LIBRARY_NCCL] = "nccl",       [LIBRARY_ONECCL] = "oneccl", [LIBRARY_CUDNN] = "cudnn",
};

enum library library_of_word(str word)
{
    for (int i = 0; i < LIBRARIES; i++)
        if (str_eq(word, str_of(words[i])))
            return (enum library)i;
    return LIBRARY_UNKNOWN;
}

str library_word(enum library library)
{
    return (unsigned)library < LIBRARIES ? str_of(words[library]) : S("");
}
