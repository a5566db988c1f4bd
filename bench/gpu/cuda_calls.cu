/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of CUDA take the thread that makes them: without the recorder, and with it (CUDA_INJECTION64_PATH). Kernels are empty and
 * so many that the GPU is never waited for within what is measured.
 *
 *     nvcc -O2 cuda_calls.cu -ldl -o cuda_calls && ./cuda_calls     ns a call, the least of nine rounds
 */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 9, CALLS = 500 };

__global__ void empty() {}

static double now_ns()
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1e9 + at.tv_nsec;
}

static char *memory;

static void launch()
{
    empty<<<1, 32>>>();
}

static void copy()
{
    cudaMemcpyAsync(memory, memory + 4096, 4, cudaMemcpyDeviceToDevice);
}

static int (*state_of)(int device, unsigned *flags, int *active); /* cuDevicePrimaryCtxGetState */

static void ask_driver()
{
    unsigned flags;
    int active;
    state_of(0, &flags, &active);
}

static void ask_runtime()
{
    int device;
    cudaGetDevice(&device);
}

static void tell(const char *what, void (*call)())
{
    double least = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        cudaDeviceSynchronize();
        const double begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            call();
        const double took = (now_ns() - begin) / CALLS;
        least = took < least ? took : least;
    }
    printf("%s %.0f\n", what, least);
}

int main()
{
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
    state_of = driver ? (int (*)(int, unsigned *, int *))dlsym(driver, "cuDevicePrimaryCtxGetState") : NULL;
    if (!state_of || cudaMalloc(&memory, 1 << 20) != cudaSuccess)
        return 1;
    tell("launch", launch);
    tell("copy", copy);
    tell("ask_driver", ask_driver);
    tell("ask_runtime", ask_runtime);
    return cudaDeviceSynchronize() != cudaSuccess;
}
