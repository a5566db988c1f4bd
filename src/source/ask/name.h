/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What names mean.
 *
 * A qualified name is where a thing comes from, whatever the file calls it:
 * "torch.tensor" also for `t.tensor` under `import torch as t`,
 * "torch.nn.functional.relu" also for `F.relu`, "numpy.unique", "torch.utils.data.DataLoader".
 * Of a method of a known value the name begins with its type:
 *
 *     torch.Tensor.item           torch.nn.Module.to       torch.optim.Optimizer.step
 *     numpy.ndarray.tolist        list.append, dict.items, str.format
 *     torch.utils.data.DataLoader torch.device             builtins: "float", "len", "print", "range", "sorted"
 *
 * Things of the run are named by module: "pkg.model.Net.forward". Names are
 * canonical: torch.FloatTensor is "torch.FloatTensor", but
 * torch.autograd.Variable.item is "torch.Tensor.item", torch.nn.modules.X is torch.nn.X.
 */
#ifndef SOURCE_NAME_H
#define SOURCE_NAME_H

#include "project.h"

/* The qualified name of an expression (of a call: of its callee); "" where it is not known. */
str name_of(const struct project *project, struct site expression);
bool name_is(const struct project *project, struct site expression, const char *qualified);
/* Whether it begins with this prefix: name_under(p, s, "numpy.") */
bool name_under(const struct project *project, struct site expression, const char *prefix);

/*
 * The function of the run that a call reaches, if it is just one: module.function, self.method, super().method,
 * a method of an instance whose class is known, Class(...) -> its __init__, calling an nn.Module -> its forward.
 * SYNTAX_NONE where it is none of the run, or several.
 */
uint32_t name_target(const struct project *project, struct site call);
/* All that a call reaches: of a method also those of classes that inherit. */
const struct call *name_calls(const struct project *project, struct site call, uint32_t *count);

/* The expression that a call gives to parameter k of its target (self is 0 where there is one); SYNTAX_NONE. */
uint32_t name_argument(const struct project *project, struct site call, uint32_t k);
/* The same, were that function its target; self: 1 where the object before the dot is parameter 0, else 0. */
uint32_t name_argument_to(const struct project *project, struct site call, uint32_t target, uint32_t self, uint32_t k);

/* Calls in the run that reach this function. *count of them; they live as long as the project. */
const struct site *name_callers(const struct project *project, uint32_t function, uint32_t *count);

#endif
