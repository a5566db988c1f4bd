/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's name says about its kind: one table of patterns over the names that libraries and compilers give. */
#ifndef OPS_KERNEL_NAMES_H
#define OPS_KERNEL_NAMES_H

#include "work.h"

enum kernel_class kernel_class_of_name(str name);

#endif
