/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options that are several, with commas between them. */
#ifndef CLI_OPTION_LIST_H
#define CLI_OPTION_LIST_H

#include "command.h"

struct option_list {
    const str *at; /* without blanks around them; none is empty */
    uint32_t count;
};

/* Of an option; none where it is not given. False with STEPTIME_USAGE where nothing stands beside a comma. */
bool option_list_read(const struct call *call, const char *option, struct arena *arena, struct option_list *list,
                      struct steptime_error *err);

/* The same of a text that such an option would be given. */
bool option_list_of(const char *option, str text, struct arena *arena, struct option_list *list,
                    struct steptime_error *err);

#endif
