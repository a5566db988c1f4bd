/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of file this is, by its first bytes. */
#ifndef READ_SNIFF_H
#define READ_SNIFF_H

#include "base/str.h"

/* Trace-event JSON: an object that is none of the known others, or a list of objects. */
bool sniff_kineto(str head);

/* An execution trace of PyTorch. */
bool sniff_execution(str head);

/* The name of a known kind that is not read here, "a zip archive"; NULL for an unknown one. */
const char *sniff_other(str head);

#endif
