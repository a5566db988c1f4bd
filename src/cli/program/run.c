/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include "analyse.h"
#include "call.h"
#include "spare.h"

enum steptime_code call_run(const struct call *call, struct steptime_error *err)
{
    if (!outputs_spare_named(call, err))
        return err->code;
    return call->command->analysis ? analyse(call, err) : call->command->run(call, err);
}
