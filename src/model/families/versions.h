/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions of libraries were fitted, and how far others are off. */
#ifndef MODEL_VERSIONS_H
#define MODEL_VERSIONS_H

#include "family.h"

/*
 * A standard deviation of ln time: how far a version that the kernel names may be from that which was fitted on devices of
 * that generation. 0 where it is that, where none is named, and where the family tells no libraries apart.
 */
double version_doubt(const struct family *family, const struct kernel *kernel, const struct hardware *hardware);

#endif
