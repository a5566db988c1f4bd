/* SPDX-License-Identifier: Apache-2.0 */
#include "kineto_socket.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"

enum { TYPE_BYTES = 32, MOST_BYTES = 64 << 10 };

static const char name[] = "dynolog"; /* its last zero belongs to an abstract name */

struct head {
    uint64_t size;
    char type[TYPE_BYTES];
};

struct registration {
    int32_t gpu, process;
    int64_t job;
};

struct request {
    int32_t kinds, count;
    int64_t job;
};

/* ---- open and close ---- */

static bool address_of(const char *folder, struct sockaddr_un *at, socklen_t *length, struct steptime_error *err)
{
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!folder) {
        memcpy(at->sun_path + 1, name, sizeof name);
        *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + sizeof name);
        return true;
    }
    const int written = format_text(at->sun_path, sizeof at->sun_path, "%s/%s", folder, name);
    *length = (socklen_t)sizeof *at;
    return (written > 0 && (size_t)written < sizeof at->sun_path) ||
           fail_at(err, STEPTIME_INPUT, str_of(folder), -1, "is too long a path for a socket");
}

/* A file whose owner was killed belongs to nobody. */
static bool is_left_behind(const struct sockaddr_un *at, socklen_t length)
{
    const int probe = at->sun_path[0] ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (probe < 0)
        return false;
    const bool nobody = connect(probe, (const struct sockaddr *)at, length) && errno == ECONNREFUSED;
    close(probe);
    return nobody && !unlink(at->sun_path);
}

static bool bind_to(int fd, const struct sockaddr_un *at, socklen_t length)
{
    if (!bind(fd, (const struct sockaddr *)at, length))
        return true;
    const int why = errno;
    if (why == EADDRINUSE && is_left_behind(at, length))
        return !bind(fd, (const struct sockaddr *)at, length);
    errno = why;
    return false;
}

bool kineto_socket_open(const char *folder, struct kineto_socket *socket_out, struct steptime_error *err)
{
    const int on = 1;
    socklen_t length;
    *socket_out = (struct kineto_socket){.fd = -1};
    if (!address_of(folder, &socket_out->at, &length, err))
        return false;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(err, STEPTIME_INPUT, "no socket: %s", strerror(errno));
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) || !bind_to(fd, &socket_out->at, length)) {
        const int why = errno;
        close(fd);
        return fail(err, STEPTIME_INPUT, "%s",
                    why == EADDRINUSE ? "somebody answers Kineto here already (another steptime, or dynolog)"
                                      : strerror(why));
    }
    socket_out->fd = fd;
    return true;
}

void kineto_socket_close(struct kineto_socket *socket)
{
    if (socket->fd >= 0) {
        close(socket->fd);
        if (socket->at.sun_path[0])
            unlink(socket->at.sun_path);
    }
    socket->fd = -1;
}

/* ---- messages ---- */

static void take_credentials(struct msghdr *about, struct kineto_message *message)
{
    message->process = message->user = -1;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(about); part; part = CMSG_NXTHDR(about, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS) {
            struct ucred who;
            memcpy(&who, CMSG_DATA(part), sizeof who);
            message->process = who.pid;
            message->user = who.uid;
        }
}

static void take_family(const char *bytes, size_t length, int32_t count, struct kineto_message *message)
{
    const size_t sent = length / sizeof(int32_t), told = count > 0 ? (size_t)count : 0;
    const size_t most = sent < told ? sent : told;
    message->family_count = (uint32_t)(most < KINETO_FAMILY ? most : KINETO_FAMILY);
    memcpy(message->family, bytes, message->family_count * sizeof(int32_t));
}

/* Anybody could send: what is too short, or of another kind, is passed over. */
static void parse(const char *bytes, size_t count, struct kineto_message *message)
{
    struct head head;
    struct registration registration;
    struct request request;
    message->kind = KINETO_OTHER;
    if (count < sizeof head)
        return;
    memcpy(&head, bytes, sizeof head);
    const char *const body = bytes + sizeof head;
    const size_t length = count - sizeof head;
    if (head.size != length)
        return;
    if (!strncmp(head.type, "ctxt", TYPE_BYTES) && length >= sizeof registration) {
        memcpy(&registration, body, sizeof registration);
        message->kind = KINETO_REGISTERS;
        message->job = registration.job;
    } else if (!strncmp(head.type, "req", TYPE_BYTES) && length >= sizeof request) {
        memcpy(&request, body, sizeof request);
        message->kind = KINETO_ASKS;
        message->job = request.job;
        take_family(body + sizeof request, length - sizeof request, request.count, message);
    }
}

bool kineto_socket_next(const struct kineto_socket *socket, int milliseconds, struct kineto_message *message)
{
    char bytes[MOST_BYTES];
    char _Alignas(struct cmsghdr) beside[CMSG_SPACE(sizeof(struct ucred))];
    struct pollfd waiting = {.fd = socket->fd, .events = POLLIN};
    struct iovec room = {bytes, sizeof bytes};
    *message = (struct kineto_message){.kind = KINETO_OTHER};
    struct msghdr about = {.msg_name = &message->from,
                           .msg_namelen = sizeof message->from,
                           .msg_iov = &room,
                           .msg_iovlen = 1,
                           .msg_control = beside,
                           .msg_controllen = sizeof beside};
    if (poll(&waiting, 1, milliseconds) <= 0)
        return false;
    const ssize_t count = recvmsg(socket->fd, &about, MSG_DONTWAIT);
    if (count < 0)
        return false;
    message->from_length = about.msg_namelen;
    take_credentials(&about, message);
    parse(bytes, (size_t)count, message);
    return true;
}

static void send_to(const struct kineto_socket *socket, const struct kineto_message *to, const char *type,
                    const void *body, size_t length)
{
    struct head head = {.size = length};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)body, length}};
    struct msghdr message = {
        .msg_name = (void *)&to->from, .msg_namelen = to->from_length, .msg_iov = parts, .msg_iovlen = length ? 2 : 1};
    memcpy(head.type, type, strlen(type));
    sendmsg(socket->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void kineto_socket_answer(const struct kineto_socket *socket, const struct kineto_message *to, const char *text)
{
    const int32_t count = 1; /* processes that registered */
    if (to->kind == KINETO_REGISTERS)
        send_to(socket, to, "ctxt", &count, sizeof count);
    if (to->kind == KINETO_ASKS)
        send_to(socket, to, "req", text, strlen(text));
}
