/* SPDX-License-Identifier: Apache-2.0 */
/* What torch.compile is taken to make of a step. */
#include "alone.h"
#include "price_exchange.h"

static void look(void *context, const struct predict_seen *seen)
{
    struct price_compiled *const compiled = context;
    *compiled = (struct price_compiled){seen->plan->compiled, seen->plan->compiled_kernels};
}

bool price_compiled_of(const struct predict_source *source, const struct predict_asked *asked,
                       struct price_compiled *compiled, struct steptime_error *err)
{
    const struct alone with = {.seen = look, .seen_context = compiled};
    struct alone_step step;
    *compiled = (struct price_compiled){0};
    return step_alone(source, asked, &with, &step, err);
}

void price_compiled_show(const struct price_compiled *compiled, struct report *report)
{
    if (!compiled->operators)
        return;
    struct section *const section = report_section(report, "compiled", "Compiled");
    section_value(section, "operators", "operators that torch.compile has", UNIT_COUNT, cell_int(compiled->operators));
    section_value(section, "kernels", "kernels left of them", UNIT_COUNT, cell_int(compiled->kernels));
    section_value(section, "basis", "known by", UNIT_NONE, cell_text(estimate_basis_word(BASIS_ANALYTIC)));
    section_text(
        section,
        S("Nothing was compiled: the operators were run one by one, and what Inductor fuses is estimated from them. "
          "Between products, convolutions, attention and lookups, what is element by element or reduces becomes one "
          "kernel where it hangs together; it reads each input once and writes what others need. Such kernels were "
          "never measured: a factor of three either way is taken to hold nine of ten."));
}
