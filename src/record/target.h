/* SPDX-License-Identifier: Apache-2.0 */
/* A process that somebody else started, as /proc shows it. */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct target {
    int64_t process;
    bool readable;             /* its environment could be read: it is of the same user */
    bool hears;                /* it was started with KINETO_USE_DAEMON */
    const char *socket_folder; /* $KINETO_IPC_SOCKET_DIR; NULL */
    const char *write_folder;  /* the one where its PyTorch may write: $KINETO_ONDEMAND_TRACE_DIR, else /tmp */
    str base;                  /* what to name its files: the script's name, with its rank in a job of several */
};

/* False: there is no such process. */
bool target_look(int64_t process, struct arena *arena, struct target *target);

bool target_lives(int64_t process);

#endif
