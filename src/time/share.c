/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

enum { HALVINGS = 24 };

bool share_for(share_replay *replay, void *context, double length, double *share)
{
    double low = 0, high = 1, took;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (!replay(context, middle, &took))
            return false;
        if (took > length)
            high = middle;
        else
            low = middle;
    }
    *share = low;
    return true;
}
