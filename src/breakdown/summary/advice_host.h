/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on steps without a device, where the host's work is the work: its size, what one says of it, what it bounds. */
#ifndef BREAKDOWN_ADVICE_HOST_H
#define BREAKDOWN_ADVICE_HOST_H

#include "breakdown/holdup/holdup.h"
#include "breakdown/step/facts.h"

double host_python_ns(const struct facts *facts);
double host_optimizer_ns(const struct facts *facts);
double host_operators_ns(const struct facts *facts); /* of the forward and the backward pass, but for those that copy */
double host_copies_ns(const struct facts *facts);

str say_host_python(const struct facts *facts, double ns, struct arena *arena);
str say_host_optimizer(const struct facts *facts, double ns, struct arena *arena);
str say_host_operators(const struct facts *facts, double ns, struct arena *arena);
str say_host_copies(const struct facts *facts, double ns, struct arena *arena);

/* Which bound a finding is about; BOUND_UNKNOWN: about none. `holdup` NULL: of the rule. */
enum bound host_bound_of(const char *rule, const struct holdup *holdup);

#endif
