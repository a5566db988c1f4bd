/* SPDX-License-Identifier: Apache-2.0 */
#include "cupti_abi.h"

/*
 * Versions up to 28 count releases (18: CUDA 11.8 and 12.1, 26: 12.8, 28: 12.9), later ones are those of CUDA (130500).
 * tests/cuda/test_cupti_abi.py compares a row with the headers of its version.
 */
/* clang-format off */
static const struct cupti_layout layouts[] = {
    /* since, kernel, copy, peer, set, sync, call, mark, device, overhead */
    {18, 208, 88, 96, 88, 40, 40, 56, 176, 40},
    {19, 208, 88, 96, 88, 40, 40, 56, 0, 0},
    {22, 208, 88, 96, 88, 40, 40, 56, 184, 56},
    {26, 208, 96, 96, 88, 56, 40, 56, 184, 56},
    {130000, 216, 96, 96, 88, 56, 40, 56, 184, 56},
    {130100, 224, 96, 96, 88, 56, 40, 56, 184, 56},
    {130200, 224, 96, 96, 88, 56, 40, 56, 192, 56},
    {130300, 232, 96, 96, 88, 56, 40, 56, 192, 56},
    {130400, 248, 112, 96, 104, 56, 40, 56, 192, 56},
    {130500, 248, 112, 96, 104, 56, 40, 56, 192, 56},
};
/* clang-format on */

const struct cupti_layout *cupti_layout_of(uint32_t version, int *is_newer)
{
    enum { COUNT = sizeof layouts / sizeof *layouts };
    int at = COUNT - 1;
    while (at >= 0 && layouts[at].since > version)
        at--;
    *is_newer = at == COUNT - 1 && version / 100 > layouts[at].since / 100;
    return at >= 0 ? &layouts[at] : NULL;
}

unsigned cupti_record_bytes(const struct cupti_layout *layout, uint32_t kind)
{
    switch (kind) {
    case KIND_KERNEL:
    case KIND_CONCURRENT_KERNEL:
        return layout->kernel;
    case KIND_MEMCPY:
        return layout->copy;
    case KIND_MEMCPY2:
        return layout->peer_copy;
    case KIND_MEMSET:
        return layout->set;
    case KIND_SYNCHRONIZATION:
        return layout->sync;
    case KIND_DRIVER:
    case KIND_RUNTIME:
        return layout->call;
    case KIND_MARKER:
        return layout->mark;
    case KIND_DEVICE:
        return layout->device;
    case KIND_OVERHEAD:
        return layout->overhead;
    default:
        return 0;
    }
}
