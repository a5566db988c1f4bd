/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of tables, read fast: most have few digits, whose value is one exact product or quotient. */
#ifndef FLEET_NUMBER_H
#define FLEET_NUMBER_H

#include "base/str.h"

/* The whole text, blanks around it aside, as a finite decimal number; false where it is none. */
bool number_read(str text, double *value);

#endif
