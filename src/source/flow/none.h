/* SPDX-License-Identifier: Apache-2.0 */
/* No node, definition, function, class or file: one word for all of them. */
#ifndef SOURCE_NONE_H
#define SOURCE_NONE_H

#include "syntax/syntax.h"

enum { NONE = SYNTAX_NONE };

#endif
