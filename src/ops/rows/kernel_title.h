/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel's name as a person would say it. Signatures of generated code run to
 * hundreds of characters, and what tells two of them apart stands in the middle:
 *
 *     void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3> >(int, ...)
 *     vectorized_elementwise_kernel AddFunctor<float>
 */
#ifndef OPS_KERNEL_TITLE_H
#define OPS_KERNEL_TITLE_H

#include "base/arena.h"
#include "base/str.h"
#include "trace/event.h"

/* In the arena, or a part of the name. Two kernels may share a title. */
str kernel_title(str name, struct arena *arena);

/* The same of an event of any kind: of what is no kernel the name itself. */
str event_title(enum event_kind kind, str name, struct arena *arena);

#endif
