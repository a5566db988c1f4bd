/* SPDX-License-Identifier: Apache-2.0 */
/* What people may ask for beside a trace: an execution trace, the log of PyTorch's compiler. */
#ifndef RECORD_EXTRAS_H
#define RECORD_EXTRAS_H

#include "record.h"

/* Where the compiler notes what it does: the folder of $TORCH_TRACE, or one beside the traces. */
const char *extras_compile_log(const struct record_options *options, struct arena *arena);

/* Packs FOLDER/BASE.et.json to where the trace lies and tells so. Nothing where there is none. */
void extras_pack_execution(const struct record_options *options, const char *folder, str base, struct arena *arena);

/* What the compiler did, in a line. */
void extras_tell_compile_log(const struct record_options *options, struct arena *arena);

#endif
