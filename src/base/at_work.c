/* SPDX-License-Identifier: Apache-2.0 */
#include "at_work.h"

#include <stddef.h>

static struct at_work unseen;
struct at_work *at_work_seen = &unseen;
void (*at_work_hook)(const char *path);
bool at_work_alone;
