/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket that Kineto asks for work, in processes started with KINETO_USE_DAEMON=1: about every five seconds each sends a
 * datagram, and takes what is answered for the configuration of a recording.
 *
 *     uint64 size, char type[32], then `size` bytes
 *     "ctxt"  int32 gpu, int32 process, int64 job                    answered by an int32
 *     "req"   int32 kinds, int32 n, int64 job, int32 processes[n]    answered by text; none: nothing to do
 *
 * The socket is the abstract "dynolog", or a file of that name in a folder ($KINETO_IPC_SOCKET_DIR of the process). Who
 * sends is known from the kernel, not from the message.
 */
#ifndef RECORD_KINETO_SOCKET_H
#define RECORD_KINETO_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "steptime/error.h"

struct kineto_socket {
    int fd;
    struct sockaddr_un at;
};

enum kineto_asks { KINETO_REGISTERS, KINETO_ASKS, KINETO_OTHER };

enum { KINETO_FAMILY = 32 };

struct kineto_message {
    enum kineto_asks kind;
    int64_t process, user;         /* as this system numbers them */
    int64_t job;                   /* of Slurm; 0 */
    int32_t family[KINETO_FAMILY]; /* the process and its ancestors, as it numbers them */
    uint32_t family_count;
    struct sockaddr_un from;
    socklen_t from_length;
};

/* `folder`: NULL for the abstract one. False with *err where somebody else has it. */
bool kineto_socket_open(const char *folder, struct kineto_socket *socket, struct steptime_error *err);
void kineto_socket_close(struct kineto_socket *socket);

/* False: nothing came in that time. */
bool kineto_socket_next(const struct kineto_socket *socket, int milliseconds, struct kineto_message *message);

/* "" is an answer, too. Nobody there to take it is no error. */
void kineto_socket_answer(const struct kineto_socket *socket, const struct kineto_message *to, const char *text);

#endif
