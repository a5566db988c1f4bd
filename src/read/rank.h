/* SPDX-License-Identifier: Apache-2.0 */
/* The rank that a file's name tells: rank0, rank-3, kineto_rank7, worker3, rank_2/trace.json. -1 where it tells none. */
#ifndef READ_RANK_H
#define READ_RANK_H

#include "base/str.h"

int64_t rank_of_path(str path);

#endif
