/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into one rank: each message from 1 KiB on leaves 20 ms late, as over a slow link. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

enum { FROM_BYTES = 1024, LATE_NS = 20 * 1000 * 1000 };

static void hold(const struct iovec *pieces, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    if (bytes >= FROM_BYTES)
        nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
}

ssize_t writev(int file, const struct iovec *pieces, int count)
{
    ssize_t (*real)(int, const struct iovec *, int) =
        (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    hold(pieces, (size_t)count);
    return real(file, pieces, count);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    ssize_t (*real)(int, const struct msghdr *, int) =
        (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    hold(message->msg_iov, message->msg_iovlen);
    return real(file, message, flags);
}
