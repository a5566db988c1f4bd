/* SPDX-License-Identifier: Apache-2.0 */
/* Values that the host truly needs where it reads them: telling people to leave them on the device would not help. */
#ifndef RULES_NEEDED_H
#define RULES_NEEDED_H

#include "rules/ask/ask.h"

/* Whether the test decides when a loop ends, or what the best value so far is: early stopping, convergence. */
bool needed_to_go_on(const struct check *check, uint32_t test);

/* Whether the value of the read goes to such a test, to a function that takes host data, or back to where it is sampled. */
bool needed_by_host(const struct check *check, uint32_t read);

/* Whether it gives the lengths by which rows are cut apart: on the device each row would wait for its own. */
bool needed_to_unpad(const struct check *check, uint32_t read);

#endif
