/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What CUPTI is asked for: kinds of records, which calls of runtime and driver, and of which of these it tells as they happen.
 *
 * CUPTI takes time for each call that it records, and PyTorch makes several for each kernel that only ask for something. So calls
 * are recorded that put work on a device, wait, take memory or load code; others, also those that later versions bring, are not.
 */
#ifndef CUDA_CHOICE_H
#define CUDA_CHOICE_H

#include "cupti.h"

enum { CALL_IDS = 4096 };

/* STEPTIME_CUDA_WITHOUT names, with commas between, what is not asked for: so it can be measured what each costs. */
bool choice_is_without(const char *what);

/* False: one that is needed cannot be had. `say` is told of each that cannot. */
bool choice_kinds(const struct cupti *cupti, void (*say)(const char *format, ...));

/* After choice_kinds: calls that are not wanted are not recorded any more. What a person is told of it. */
const char *choice_calls(const struct cupti *cupti);

/* CUPTI tells the subscriber of copies and waits. */
void choice_listen(const struct cupti *cupti, cupti_subscriber subscriber);

#endif
