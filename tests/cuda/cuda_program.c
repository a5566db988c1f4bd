/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program as one that comes to CUDA: like the driver it opens the library that CUDA_INJECTION64_PATH names, and calls
 * its InitializeInjection. Then, by the stub of CUPTI that STEPTIME_CUPTI names (stub_cupti.c):
 *
 *     cuda_program THREADS RECORDS [END]     so many records from each of so many threads; prints how many were given, dropped
 *
 * END: exit3 (exit code 3), _exit (without exit handlers), kill (SIGKILL, two seconds later), fork (a child exits first).
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void inject(void)
{
    const char *const path = getenv("CUDA_INJECTION64_PATH");
    void *const library = path ? dlopen(path, RTLD_NOW) : NULL;
    int (*begin)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
    if (path && !begin)
        fprintf(stderr, "no injection: %s\n", dlerror());
    if (begin && begin() != 1)
        fprintf(stderr, "the injection failed\n");
}

int main(int argc, char **argv)
{
    const char *const end = argc > 3 ? argv[3] : "";
    void *const stub = getenv("STEPTIME_CUPTI") ? dlopen(getenv("STEPTIME_CUPTI"), RTLD_NOW) : NULL;
    inject();
    void (*run)(int, uint64_t) = stub ? (void (*)(int, uint64_t))dlsym(stub, "stub_run") : NULL;
    if (!run || argc < 3) {
        printf("no stub\n");
        return 0;
    }
    run(atoi(argv[1]), strtoull(argv[2], NULL, 10));
    printf("given %" PRIu64 " dropped %" PRIu64 "\n", ((uint64_t(*)(void))dlsym(stub, "stub_given"))(),
           ((uint64_t(*)(void))dlsym(stub, "stub_dropped"))());
    fflush(stdout);
    if (!strcmp(end, "fork")) {
        const pid_t child = fork();
        if (!child)
            exit(0);
        waitpid(child, NULL, 0);
    }
    if (!strcmp(end, "_exit"))
        _exit(4);
    if (!strcmp(end, "kill")) {
        sleep(2);
        kill(getpid(), SIGKILL);
    }
    return strcmp(end, "exit3") ? 0 : 3;
}
