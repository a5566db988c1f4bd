/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of a test say of how often it holds: a count, a rank, a flag, a meter that says when it is time. */
#ifndef SOURCE_GATE_WORDS_H
#define SOURCE_GATE_WORDS_H

#include "gate.h"

enum gate gate_of_words(const struct syntax *tree, uint32_t test);

#endif
