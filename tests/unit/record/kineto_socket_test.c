/* SPDX-License-Identifier: Apache-2.0 */
/* The socket that Kineto asks for work: what is understood, what is passed over, who may have it. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/kineto_socket.h"

struct scene {
    char folder[32];
    struct kineto_socket ours;
    int theirs;
};

static void open_scene(struct scene *s)
{
    strcpy(s->folder, "/tmp/kineto-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    assert_true(kineto_socket_open(s->folder, &s->ours, NULL));
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s/client", s->folder);
    s->theirs = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(s->theirs, (const struct sockaddr *)&at, sizeof at), 0);
    unsetenv("KINETO_IPC_SOCKET_DIR");
}

static void close_scene(struct scene *s)
{
    char path[64];
    kineto_socket_close(&s->ours);
    close(s->theirs);
    snprintf(path, sizeof path, "%s/client", s->folder);
    unlink(path);
    assert_int_equal(rmdir(s->folder), 0);
}

static void send_bytes(const struct scene *s, const void *bytes, size_t count)
{
    assert_int_equal(sendto(s->theirs, bytes, count, 0, (const struct sockaddr *)&s->ours.at, sizeof s->ours.at),
                     count);
}

/* Head and body as Kineto lays them out. */
static size_t message(char *out, const char *type, uint64_t told, const void *body, size_t count)
{
    memset(out, 0, 40);
    memcpy(out, &told, sizeof told);
    memcpy(out + 8, type, strlen(type));
    memcpy(out + 40, body, count);
    return 40 + count;
}

static void a_request_is_answered_with_its_text(void **state)
{
    struct scene s;
    struct kineto_message m;
    char bytes[256];
    const int32_t body[] = {3, 2, 77, 0, 1234, 99};
    open_scene(&s);
    send_bytes(&s, bytes, message(bytes, "req", sizeof body, body, sizeof body));
    assert_true(kineto_socket_next(&s.ours, 1000, &m));
    assert_int_equal(m.kind, KINETO_ASKS);
    assert_int_equal(m.job, 77);
    assert_int_equal(m.process, getpid()); /* the kernel's word, not the message's */
    assert_int_equal(m.user, geteuid());
    assert_int_equal(m.family_count, 2);
    assert_int_equal(m.family[0], 1234);
    kineto_socket_answer(&s.ours, &m, "A=1\n");
    assert_int_equal(recv(s.theirs, bytes, sizeof bytes, 0), 44);
    assert_memory_equal(bytes + 8, "req", 4);
    assert_memory_equal(bytes + 40, "A=1\n", 4);
    kineto_socket_answer(&s.ours, &m, "");
    assert_int_equal(recv(s.theirs, bytes, sizeof bytes, 0), 40);
    close_scene(&s);
}

static void a_registration_is_answered_with_a_number(void **state)
{
    struct scene s;
    struct kineto_message m;
    char bytes[256];
    const int32_t body[] = {0, 1234, 5, 0};
    open_scene(&s);
    send_bytes(&s, bytes, message(bytes, "ctxt", sizeof body, body, sizeof body));
    assert_true(kineto_socket_next(&s.ours, 1000, &m));
    assert_int_equal(m.kind, KINETO_REGISTERS);
    kineto_socket_answer(&s.ours, &m, "not for it");
    assert_int_equal(recv(s.theirs, bytes, sizeof bytes, 0), 44);
    close_scene(&s);
}

static void what_makes_no_sense_is_passed_over(void **state)
{
    struct scene s;
    struct kineto_message m;
    char bytes[512];
    const int32_t body[] = {3, INT32_MAX, 0, 0, 1};
    open_scene(&s);
    send_bytes(&s, "x", 1);
    assert_true(kineto_socket_next(&s.ours, 1000, &m));
    assert_int_equal(m.kind, KINETO_OTHER);
    send_bytes(&s, bytes, message(bytes, "req", 1 << 20, body, sizeof body)); /* says more than it holds */
    assert_true(kineto_socket_next(&s.ours, 1000, &m));
    assert_int_equal(m.kind, KINETO_OTHER);
    send_bytes(&s, bytes, message(bytes, "ctxt", 4, body, 4));
    assert_true(kineto_socket_next(&s.ours, 1000, &m));
    assert_int_equal(m.kind, KINETO_OTHER);
    kineto_socket_answer(&s.ours, &m, "none");
    send_bytes(&s, bytes, message(bytes, "req", sizeof body, body, sizeof body)); /* counts more than it holds */
    assert_true(kineto_socket_next(&s.ours, 1000, &m));
    assert_int_equal(m.kind, KINETO_ASKS);
    assert_int_equal(m.family_count, 1);
    assert_false(kineto_socket_next(&s.ours, 0, &m));
    close_scene(&s);
}

static void it_has_one_owner_who_lives(void **state)
{
    struct scene s;
    struct kineto_socket second;
    struct steptime_error err;
    open_scene(&s);
    assert_false(kineto_socket_open(s.folder, &second, &err));
    assert_non_null(strstr(err.message, "answers Kineto here already"));
    close(s.ours.fd); /* as by SIGKILL: the file stays */
    assert_true(kineto_socket_open(s.folder, &second, NULL));
    s.ours = second;
    close_scene(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_answered_with_its_text),
        cmocka_unit_test(a_registration_is_answered_with_a_number),
        cmocka_unit_test(what_makes_no_sense_is_passed_over),
        cmocka_unit_test(it_has_one_owner_who_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
