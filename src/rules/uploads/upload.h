/* SPDX-License-Identifier: Apache-2.0 */
/* A call that moves a tensor from the host to the device, and where that tensor came from. */
#ifndef RULES_UPLOAD_H
#define RULES_UPLOAD_H

#include "rules/ask/ask.h"

struct upload {
    bool is; /* else nothing below means anything */
    struct move_info move;
    bool constructor; /* of a tensor on the device: torch.tensor(array, device=gpu), torch.cuda.FloatTensor(array) */
    bool handed;      /* an iterator of which nothing is known gives another one each step */
    uint32_t what;    /* the expression that is moved */
    const struct value *value; /* its value, on the CPU; never NULL */
    uint32_t origin;           /* the call that made it, behind views, casts and a name bound once; else `what` */
};

/* Only of tensors and batches, told where the call stands: not again inside a wrapper. */
struct upload upload_of(const struct check *check, uint32_t call);

/* torch.zeros, arange, randn ...: made of sizes and numbers, so it could have been made on the device. */
bool upload_is_creation(const struct check *check, uint32_t origin);
/* torch.empty(0), torch.tensor([]): there is nothing to copy. */
bool upload_is_empty(const struct check *check, uint32_t origin);
bool upload_is_random(const struct check *check, uint32_t origin);

/* A batch of a loader or part of one, or data that the step brings from NumPy. */
bool upload_is_batch(const struct check *check, const struct upload *upload);
/* `x.float()` of a batch of another type: a new tensor in pageable memory, whatever the loader has pinned. */
bool upload_is_cast(const struct check *check, const struct upload *upload);

/* A tensor of the CPU that the function around has made, of what comes anew each time. */
bool upload_is_made_here(const struct check *check, const struct upload *upload);

#endif
