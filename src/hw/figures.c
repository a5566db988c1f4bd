/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

static const struct multiple count = {"", 1, DIMENSION_COUNT};
static const struct multiple tera_flops = {"TFLOP/s", 1e12, DIMENSION_FLOP_RATE};
static const struct multiple giga_bytes = {"GB/s", 1e9, DIMENSION_BYTE_RATE};
static const struct multiple kibi = {"KiB", 1 << 10, DIMENSION_BYTES};
static const struct multiple mebi = {"MiB", 1 << 20, DIMENSION_BYTES};
static const struct multiple gibi = {"GiB", 1 << 30, DIMENSION_BYTES};
static const struct multiple mega_hertz = {"MHz", 1e6, DIMENSION_FREQUENCY};
static const struct multiple micro_seconds = {"us", 1e-6, DIMENSION_TIME};
static const struct multiple watts = {"W", 1, DIMENSION_POWER};

const struct figure hw_figures[HW_KEYS] = {
    [HW_FP32] = {"fp32", "fp32, vector units", "fp32_tflop_per_s", &tera_flops},
    [HW_FP32_MATRIX] = {"fp32_matrix", "fp32, matrices", "fp32_matrix_tflop_per_s", &tera_flops},
    [HW_TF32] = {"tf32", "tf32, matrices", "tf32_tflop_per_s", &tera_flops},
    [HW_FP16] = {"fp16", "fp16, matrices", "fp16_tflop_per_s", &tera_flops},
    [HW_BF16] = {"bf16", "bf16, matrices", "bf16_tflop_per_s", &tera_flops},
    [HW_FP8] = {"fp8", "fp8, matrices", "fp8_tflop_per_s", &tera_flops},
    [HW_FP4] = {"fp4", "fp4, matrices", "fp4_tflop_per_s", &tera_flops},
    [HW_INT8] = {"int8", "int8, matrices", "int8_tflop_per_s", &tera_flops},
    [HW_SMS] = {"sms", "multiprocessors, compute units", "sm_count", &count},
    [HW_LANES_PER_SM] = {"lanes", "fp32 lanes of one", "lanes_per_sm", &count},
    [HW_THREADS_PER_SM] = {"threads", "threads resident in one", "threads_per_sm", &count},
    [HW_CLOCK] = {"clock", "clock, boost", "clock_mhz", &mega_hertz},
    [HW_L2_BYTES] = {"l2", "L2 cache", "l2_mib", &mebi},
    [HW_L2_RATE] = {"l2_rate", "L2 cache, rate", "l2_gb_per_s", &giga_bytes},
    [HW_SHARED_BYTES_PER_SM] = {"shared", "shared memory of one", "shared_kib_per_sm", &kibi},
    [HW_MEMORY_BYTES] = {"memory_size", "memory", "memory_gib", &gibi},
    [HW_MEMORY_RATE] = {"memory", "memory, rate", "memory_gb_per_s", &giga_bytes},
    [HW_STREAM_SHARE] = {"stream_share", "memory, share that streams reach", "stream_share", &count},
    [HW_MATRIX_SHARE] = {"matrix_share", "matrices, share that products reach", "matrix_share", &count},
    [HW_POWER] = {"power", "power limit", "power_w", &watts},
    [HW_HOST_LINK] = {"host_link", "link to the host, one way", NULL, &giga_bytes},
    [HW_GPU_LINK] = {"gpu_link", "links to the other GPUs, one way", NULL, &giga_bytes},
    [HW_NETWORK] = {"network", "network of the server, one way", NULL, &giga_bytes},
    [HW_HOST_LATENCY] = {"host_latency", "link to the host, a message", NULL, &micro_seconds},
    [HW_GPU_LATENCY] = {"gpu_latency", "links to the other GPUs, a message", NULL, &micro_seconds},
    [HW_NETWORK_LATENCY] = {"network_latency", "network, a message", NULL, &micro_seconds},
    [HW_GPUS_PER_SERVER] = {"gpus_per_server", "GPUs of a server", NULL, &count},
};

bool hw_key_of_word(str word, enum hw_key *key)
{
    for (int i = 0; i < HW_KEYS; i++)
        if (str_eq(word, str_of(hw_figures[i].word))) {
            *key = (enum hw_key)i;
            return true;
        }
    return false;
}

str hw_key_word(enum hw_key key)
{
    return str_of(hw_figures[key].word);
}
