/* SPDX-License-Identifier: Apache-2.0 */
/* Not built yet. */
#include "syntax.h"
