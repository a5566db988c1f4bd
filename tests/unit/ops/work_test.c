/* SPDX-License-Identifier: Apache-2.0 */
/* What device rows are, by kind and name. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "ops/rows/copy_names.h"
#include "ops/rows/kernel_names.h"
#include "ops/rows/kernel_title.h"
#include "ops/words/rules.h"
#include "ops/rows/work.h"
#include "unit/planted.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

static void is(const char *name, enum kernel_class class)
{
    const enum kernel_class got = kernel_class_of_name(str_of(name));
    if (got != class)
        fail_msg("%s is %s", name, str_z(&arena, kernel_class_word(got)));
}

static void patterns(void **state)
{
    assert_true(name_fits(S("abc"), S("b")));
    assert_true(name_fits(S("abc"), S("^ab")));
    assert_false(name_fits(S("abc"), S("^bc")));
    assert_true(name_fits(S("abc"), S("bc$")));
    assert_false(name_fits(S("abc"), S("ab$")));
    assert_true(name_fits(S("abcab"), S("ab$")));
    assert_true(name_fits(S("abc"), S("^abc$")));
    assert_false(name_fits(S("abcd"), S("^abc$")));
    assert_true(name_fits(S("one two three"), S("^one*three$")));
    assert_false(name_fits(S("three two one"), S("^one*three$")));
    assert_false(name_fits(S("aba"), S("ab*ba$"))); /* parts do not overlap */
    assert_false(name_fits(S(""), S("a")));
}

static void kernels_of_the_libraries(void **state)
{
    is("volta_sgemm_128x64_nn", KERNEL_GEMM);
    is("nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN", KERNEL_GEMM);
    is("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV", KERNEL_GEMM);
    is("void splitKreduce_kernel<float, float, float, float, true, false, false>(cublasSplitKParams<float>)",
       KERNEL_GEMM);
    is("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw", KERNEL_CONVOLUTION);
    is("volta_scudnn_128x64_relu_interior_nn_v1", KERNEL_CONVOLUTION);
    is("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false, true, true>(int)",
       KERNEL_CONVOLUTION);
    is("void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(cudnnTensorStruct)", KERNEL_NORM);
    is("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<32, 128> >()", KERNEL_ATTENTION);
    is("fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t>)",
       KERNEL_ATTENTION);
    is("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3> "
       ">(int)",
       KERNEL_ELEMENTWISE);
    is("void "
       "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()"
       "#2}>()",
       KERNEL_LAYOUT);
    is("void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel>()", KERNEL_INDEX);
    is("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >()", KERNEL_REDUCTION);
    is("void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*)",
       KERNEL_SOFTMAX);
    is("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)", KERNEL_OPTIMIZER);
    is("split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_warp_per_row", KERNEL_EMBEDDING);
    is("void permute_pooled_embs_kernel<float>(float const*)", KERNEL_LAYOUT);
    is("void fbgemm_gpu::permute_2D_data_kernel<false, int, long>(int)", KERNEL_LAYOUT);
    is("void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int)", KERNEL_POOLING);
    is("void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4>()",
       KERNEL_RANDOM);
    is("triton_poi_fused__to_copy_1", KERNEL_ELEMENTWISE);
    is("triton_red_fused_add_native_layer_norm_9", KERNEL_NORM);
    is("triton_tem_fused_addmm_5", KERNEL_GEMM);
    is("triton__0d1d2d3de", KERNEL_TRITON);
    is("my_very_own_kernel", KERNEL_OTHER);
    is("", KERNEL_OTHER);
}

static void communication_of_all_libraries(void **state)
{
    const char *const names[] = {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
                                 "ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)",
                                 "void rcclGenericKernel<1, false>(ncclDevKernelArgs)",
                                 "mscclKernel_Sum_half_Simple",
                                 "void vllm::cross_device_reduce_1stage<half>()",
                                 "nvshmemi_transfer_kernel",
                                 "void deep_ep::intranode::dispatch<8>()",
                                 "multimem_all_reduce_kernel<c10::BFloat16, 16>()",
                                 "NCCLDEVKERNEL_ALLGATHER"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is(names[i], KERNEL_COMMUNICATION);
    is("triton_poi_fused_all_gather_into_tensor_wait_tensor_3", KERNEL_ELEMENTWISE); /* only uses what was gathered */
}

static void copies_of_all_eras(void **state)
{
    static const struct {
        const char *name;
        enum copy_direction direction;
        enum host_memory memory;
    } copies[] = {
        {"Memcpy HtoD (Pageable -> Device)", COPY_H2D, HOST_PAGEABLE},
        {"Memcpy HtoD (Pinned -> Device)", COPY_H2D, HOST_PINNED},
        {"Memcpy HtoD (Host -> Device)", COPY_H2D, HOST_UNKNOWN},
        {"Memcpy DtoH (Device -> Pageable)", COPY_D2H, HOST_PAGEABLE},
        {"Memcpy DtoH (Device -> Pinned)", COPY_D2H, HOST_PINNED},
        {"Memcpy DtoD (Device -> Device)", COPY_D2D, HOST_UNKNOWN},
        {"Memcpy PtoP (Device -> Device)", COPY_P2P, HOST_UNKNOWN},
        {"Memcpy HtoH (Pageable -> Pinned)", COPY_H2H, HOST_PAGEABLE},
        {"HtoD", COPY_H2D, HOST_UNKNOWN},
        {"MemcpyDtoHAsync", COPY_D2H, HOST_UNKNOWN},
        {"CopyHostToDevice", COPY_H2D, HOST_UNKNOWN},
        {"CopyDeviceToHost", COPY_D2H, HOST_UNKNOWN},
        {"CopyDeviceToDevice", COPY_D2D, HOST_UNKNOWN},
        {"hipMemcpyPeerAsync", COPY_P2P, HOST_UNKNOWN},
        {"Memcpy", COPY_UNKNOWN, HOST_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        const enum copy_direction direction = copy_direction_of_name(str_of(copies[i].name));
        assert_int_equal(direction, copies[i].direction);
        assert_int_equal(copy_memory_of_name(str_of(copies[i].name), direction), copies[i].memory);
    }
}

static void the_recorded_kind_decides_before_the_name(void **state)
{
    struct planted p = planted_new();
    const uint32_t stream = planted_stream(&p, 0, 7);
    const uint32_t kernel = plant(&p, EVENT_KERNEL, stream, "Memcpy HtoD (Pageable -> Device)", 0, 5);
    const uint32_t copy = plant(&p, EVENT_COPY, stream, "ncclDevKernel_AllReduce", 10, 5);
    const uint32_t memset_row = plant(&p, EVENT_MEMSET, stream, "Memset (Device)", 20, 5);
    const uint32_t collective = plant(&p, EVENT_KERNEL, stream, "ncclDevKernel_AllReduce", 30, 5);
    const uint32_t gloo = plant_host(&p, EVENT_ANNOTATION, "gloo:all_reduce", 40, 5);
    const uint32_t nccl = plant_host(&p, EVENT_ANNOTATION, "nccl:all_reduce", 50, 5);
    trace_finish(p.trace);
    const struct work_classes *classes = work_classes_new(p.trace, &arena);
    assert_int_equal(work_class(classes, kernel), WORK_COMPUTE);
    assert_int_equal(work_class(classes, copy), WORK_COPY);
    assert_int_equal(work_class(classes, memset_row), WORK_MEMSET);
    assert_int_equal(work_class(classes, collective), WORK_COMMUNICATION);
    assert_int_equal(work_copy_direction(classes, copy), COPY_UNKNOWN);
    assert_true(work_host_communication(classes, gloo));
    assert_false(work_host_communication(classes, nccl)); /* it only launches */
    trace_free(p.trace);
}

static void titled(const char *name, const char *title)
{
    assert_string_equal(str_z(&arena, kernel_title(str_of(name), &arena)), title);
}

static void titles_keep_what_tells(void **state)
{
    titled("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, "
           "3> >(int, float)",
           "elementwise AddFunctor<float>");
    titled("void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, "
           "at::native::binary_internal::MulFunctor<float> >, at::detail::Array<char*, 3> >(int)",
           "elementwise MulFunctor<float>");
    titled("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>(int)",
           "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8");
    titled("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn");
    titled("ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)", "ncclDevKernel_SendRecv");
    titled("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64EEEvPT0_", "aiter::add_rmsnorm_quant_kernel");
    titled("_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassEEEEEvv",
           "ck_tile::kentry Rmsnorm2dFwd");
    titled("_ZN7ck_tile6kentryILi1", "ck_tile::kentry");
    titled("_ZN7ck_tile6kentryILi1E", "ck_tile::kentry");
    titled("_ZN2ck6device12_GLOBAL__N_14convINS_4GemmIEEEvv", "ck::device::conv");
    titled("_ZNK3foo3runEv", "foo::run");
    titled("_ZL6kernelPf", "kernel");
    titled("_Z9999999999x", "_Z9999999999x");
    titled("_ZN", "_ZN");
    titled("<>", "<>");
    titled("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(patterns, clear),
        cmocka_unit_test_teardown(kernels_of_the_libraries, clear),
        cmocka_unit_test_teardown(communication_of_all_libraries, clear),
        cmocka_unit_test_teardown(copies_of_all_eras, clear),
        cmocka_unit_test_teardown(the_recorded_kind_decides_before_the_name, clear),
        cmocka_unit_test_teardown(titles_keep_what_tells, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
