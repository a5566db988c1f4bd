/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators are named by schema ("aten::native_layer_norm_backward"), by autograd
 * node ("NativeLayerNormBackward0"), or by the engine's wrapper around a node
 * ("autograd::engine::evaluate_function: ..."). Underscores are dropped before
 * the comparison, so that one pattern fits all three.
 */
#include "family.h"

#include "rules.h"

str family_word(enum family family)
{
    static const char *const words[FAMILIES] = {
        [FAMILY_GEMM] = "gemm",
        [FAMILY_BMM] = "bmm",
        [FAMILY_CONVOLUTION] = "convolution",
        [FAMILY_ATTENTION] = "attention",
        [FAMILY_EMBEDDING] = "embedding",
        [FAMILY_NORM] = "norm",
        [FAMILY_SOFTMAX] = "softmax",
        [FAMILY_ELEMENTWISE] = "elementwise",
        [FAMILY_REDUCTION] = "reduction",
        [FAMILY_INDEX] = "index",
        [FAMILY_LAYOUT] = "layout",
        [FAMILY_POOLING] = "pooling",
        [FAMILY_LOSS] = "loss",
        [FAMILY_RANDOM] = "random",
        [FAMILY_OPTIMIZER] = "optimizer",
        [FAMILY_COMMUNICATION] = "communication",
        [FAMILY_COPY] = "copy",
        [FAMILY_MEMORY] = "memory",
        [FAMILY_OTHER] = "other",
    };
    return (unsigned)family < FAMILIES ? str_of(words[family]) : S("");
}

/*
 * Patterns for the bare name: without namespace, wrapper, underscores, and the
 * tail "backward0". First those that contain a word of a family further down.
 */
static const struct name_rule family_rules[] = {
    {"^tritonpoi", FAMILY_ELEMENTWISE}, /* Inductor names its kinds: pointwise, template, reductions */
    {"^tritontem*attention", FAMILY_ATTENTION},
    {"^tritontem*conv", FAMILY_CONVOLUTION},
    {"^tritontem", FAMILY_GEMM},
    {"^triton*softmax", FAMILY_SOFTMAX},
    {"^triton*norm", FAMILY_NORM},
    {"^tritonper", FAMILY_REDUCTION},
    {"^tritonred", FAMILY_REDUCTION},

    {"^nccl:", FAMILY_COMMUNICATION},
    {"^gloo:", FAMILY_COMMUNICATION},
    {"^c10d", FAMILY_COMMUNICATION},
    {"^recordparamcomms", FAMILY_COMMUNICATION},
    {"alltoall", FAMILY_COMMUNICATION},
    {"all2all", FAMILY_COMMUNICATION},
    {"allreduce", FAMILY_COMMUNICATION},
    {"allgather", FAMILY_COMMUNICATION},
    {"reducescatter", FAMILY_COMMUNICATION},
    {"^symmmem", FAMILY_COMMUNICATION},

    {"^optimizer.", FAMILY_OPTIMIZER},
    {"^fusedadam", FAMILY_OPTIMIZER},
    {"^fusedsgd", FAMILY_OPTIMIZER},
    {"^fusedadagrad", FAMILY_OPTIMIZER},
    {"^foreachcopy", FAMILY_COPY},
    {"^foreach", FAMILY_OPTIMIZER}, /* what the optimizers are made of */
    {"^accumulategrad", FAMILY_ELEMENTWISE},
    {"ddp.reducer::copy", FAMILY_COPY},
    {"distributed::reducer", FAMILY_ELEMENTWISE},

    {"scaleddotproduct", FAMILY_ATTENTION},
    {"flashattention", FAMILY_ATTENTION},
    {"efficientattention", FAMILY_ATTENTION},
    {"cudnnattention", FAMILY_ATTENTION},
    {"multiheadattention", FAMILY_ATTENTION},
    {"attention", FAMILY_ATTENTION},
    {"mhabatch", FAMILY_ATTENTION},
    {"flashaligned", FAMILY_ATTENTION},
    {"flashattn", FAMILY_ATTENTION},

    {"embedding", FAMILY_EMBEDDING},
    {"lookupfunction", FAMILY_EMBEDDING},
    {"boundscheckindices", FAMILY_EMBEDDING},

    {"batchnorm", FAMILY_NORM},
    {"layernorm", FAMILY_NORM},
    {"groupnorm", FAMILY_NORM},
    {"instancenorm", FAMILY_NORM},
    {"rmsnorm", FAMILY_NORM},
    {"weightnorm", FAMILY_NORM},

    {"softmax", FAMILY_SOFTMAX},

    {"convolution", FAMILY_CONVOLUTION},
    {"conv1d", FAMILY_CONVOLUTION},
    {"conv2d", FAMILY_CONVOLUTION},
    {"conv3d", FAMILY_CONVOLUTION},
    {"convtranspose", FAMILY_CONVOLUTION},
    {"convdepthwise", FAMILY_CONVOLUTION},
    {"^im2col", FAMILY_CONVOLUTION},
    {"^col2im", FAMILY_CONVOLUTION},

    {"^baddbmm", FAMILY_BMM},
    {"^bmm", FAMILY_BMM},
    {"^einsum", FAMILY_BMM},
    {"^addmm", FAMILY_GEMM},
    {"^mm$", FAMILY_GEMM},
    {"^mm(", FAMILY_GEMM},
    {"^matmul", FAMILY_GEMM},
    {"^linear$", FAMILY_GEMM},
    {"^mkldnnlinear", FAMILY_GEMM},
    {"^tensordot$", FAMILY_GEMM},
    {"^addmv", FAMILY_GEMM},
    {"^mv$", FAMILY_GEMM},
    {"^dot$", FAMILY_GEMM},
    {"^vdot$", FAMILY_GEMM},
    {"^addbmm", FAMILY_BMM},
    {"scaledmm", FAMILY_GEMM},
    {"groupedmm", FAMILY_GEMM},
    {"^intmm", FAMILY_GEMM},
    {"gemm", FAMILY_GEMM},
    {"^cutlassscaledmm", FAMILY_GEMM},

    {"pool", FAMILY_POOLING},
    {"upsample", FAMILY_POOLING},
    {"gridsampler", FAMILY_POOLING},
    {"roialign", FAMILY_POOLING},

    {"nllloss", FAMILY_LOSS},
    {"crossentropy", FAMILY_LOSS},
    {"mseloss", FAMILY_LOSS},
    {"l1loss", FAMILY_LOSS},
    {"huberloss", FAMILY_LOSS},
    {"kldiv", FAMILY_LOSS},
    {"loss", FAMILY_LOSS},

    {"dropout", FAMILY_RANDOM},
    {"^bernoulli", FAMILY_RANDOM},
    {"^uniform", FAMILY_RANDOM},
    {"^normal", FAMILY_RANDOM},
    {"^rand", FAMILY_RANDOM},
    {"^multinomial", FAMILY_RANDOM},
    {"^exponential", FAMILY_RANDOM},

    {"^copy", FAMILY_COPY},
    {"^to$", FAMILY_COPY},
    {"^tocopy", FAMILY_COPY},
    {"^clone", FAMILY_COPY},
    {"^contiguous", FAMILY_COPY},
    {"^localscalardense", FAMILY_COPY},
    {"^item$", FAMILY_COPY},
    {"^pinmemory", FAMILY_COPY},
    {"^typeas", FAMILY_COPY},

    {"^empty", FAMILY_MEMORY},
    {"^zeros", FAMILY_MEMORY},
    {"^zero$", FAMILY_MEMORY},
    {"^ones", FAMILY_MEMORY},
    {"^full", FAMILY_MEMORY},
    {"^fill", FAMILY_MEMORY},
    {"^new", FAMILY_MEMORY},
    {"^arange", FAMILY_MEMORY},
    {"^linspace", FAMILY_MEMORY},
    {"^eye", FAMILY_MEMORY},
    {"^resize", FAMILY_MEMORY},
    {"^set$", FAMILY_MEMORY},
    {"^scalartensor", FAMILY_MEMORY},
    {"^recordstream", FAMILY_MEMORY},
    {"^ispinned", FAMILY_MEMORY},

    {"^index", FAMILY_INDEX},
    {"gather", FAMILY_INDEX},
    {"scatter", FAMILY_INDEX},
    {"^nonzero", FAMILY_INDEX},
    {"^maskedselect", FAMILY_INDEX},
    {"^sort", FAMILY_INDEX},
    {"^argsort", FAMILY_INDEX},
    {"^topk", FAMILY_INDEX},
    {"^unique", FAMILY_INDEX},
    {"^searchsorted", FAMILY_INDEX},
    {"^bucketize", FAMILY_INDEX},
    {"^take", FAMILY_INDEX},
    {"nms", FAMILY_INDEX},
    {"repeatinterleave", FAMILY_INDEX},
    {"offsetsrange", FAMILY_INDEX},
    {"permute2dsparse", FAMILY_INDEX},
    {"permutesparse", FAMILY_INDEX},
    {"reshapeandcache", FAMILY_INDEX},
    {"storecache", FAMILY_INDEX},

    {"^cat$", FAMILY_LAYOUT},
    {"^cat(", FAMILY_LAYOUT},
    {"^concat", FAMILY_LAYOUT},
    {"^stack", FAMILY_LAYOUT},
    {"^hstack", FAMILY_LAYOUT},
    {"^vstack", FAMILY_LAYOUT},
    {"^split", FAMILY_LAYOUT},
    {"^chunk", FAMILY_LAYOUT},
    {"^unbind", FAMILY_LAYOUT},
    {"^transpose", FAMILY_LAYOUT},
    {"^t$", FAMILY_LAYOUT},
    {"^numpyt$", FAMILY_LAYOUT},
    {"^permute", FAMILY_LAYOUT},
    {"^movedim", FAMILY_LAYOUT},
    {"view", FAMILY_LAYOUT},
    {"^reshape", FAMILY_LAYOUT},
    {"^flatten", FAMILY_LAYOUT},
    {"^unflatten", FAMILY_LAYOUT},
    {"^expand", FAMILY_LAYOUT},
    {"^broadcast", FAMILY_LAYOUT},
    {"^squeeze", FAMILY_LAYOUT},
    {"^unsqueeze", FAMILY_LAYOUT},
    {"^select", FAMILY_LAYOUT},
    {"^slice", FAMILY_LAYOUT},
    {"^narrow", FAMILY_LAYOUT},
    {"^asstrided", FAMILY_LAYOUT},
    {"^diagonal", FAMILY_LAYOUT},
    {"^alias", FAMILY_LAYOUT},
    {"^detach", FAMILY_LAYOUT},
    {"^liftfresh", FAMILY_LAYOUT},
    {"^resolveconj", FAMILY_LAYOUT},
    {"^resolveneg", FAMILY_LAYOUT},
    {"reinterprettensor", FAMILY_LAYOUT},
    {"^repeat", FAMILY_LAYOUT},
    {"^roll", FAMILY_LAYOUT},
    {"^flip", FAMILY_LAYOUT},
    {"pad$", FAMILY_LAYOUT},
    {"^constantpad", FAMILY_LAYOUT},
    {"^triu", FAMILY_LAYOUT},
    {"^tril", FAMILY_LAYOUT},

    {"^sum", FAMILY_REDUCTION},
    {"^nansum", FAMILY_REDUCTION},
    {"^mean", FAMILY_REDUCTION},
    {"^var", FAMILY_REDUCTION},
    {"^std", FAMILY_REDUCTION},
    {"^max$", FAMILY_REDUCTION},
    {"^min$", FAMILY_REDUCTION},
    {"^amax", FAMILY_REDUCTION},
    {"^amin", FAMILY_REDUCTION},
    {"^aminmax", FAMILY_REDUCTION},
    {"^argmax", FAMILY_REDUCTION},
    {"^argmin", FAMILY_REDUCTION},
    {"^prod", FAMILY_REDUCTION},
    {"^norm$", FAMILY_REDUCTION},
    {"vectornorm", FAMILY_REDUCTION},
    {"^linalgnorm", FAMILY_REDUCTION},
    {"^logsumexp", FAMILY_REDUCTION},
    {"^cumsum", FAMILY_REDUCTION},
    {"^cumprod", FAMILY_REDUCTION},
    {"cumsum$", FAMILY_REDUCTION},
    {"^all$", FAMILY_REDUCTION},
    {"^any$", FAMILY_REDUCTION},
    {"^histc", FAMILY_REDUCTION},
    {"^bincount", FAMILY_REDUCTION},
    {"valueselectingreduction", FAMILY_REDUCTION},

    {"^add", FAMILY_ELEMENTWISE},
    {"^sub", FAMILY_ELEMENTWISE},
    {"^rsub", FAMILY_ELEMENTWISE},
    {"^mul", FAMILY_ELEMENTWISE},
    {"^div", FAMILY_ELEMENTWISE},
    {"^truedivide", FAMILY_ELEMENTWISE},
    {"^floordivide", FAMILY_ELEMENTWISE},
    {"^remainder", FAMILY_ELEMENTWISE},
    {"^fmod", FAMILY_ELEMENTWISE},
    {"^neg", FAMILY_ELEMENTWISE},
    {"^abs", FAMILY_ELEMENTWISE},
    {"^exp", FAMILY_ELEMENTWISE},
    {"^log", FAMILY_ELEMENTWISE},
    {"^sqrt", FAMILY_ELEMENTWISE},
    {"^rsqrt", FAMILY_ELEMENTWISE},
    {"^pow", FAMILY_ELEMENTWISE},
    {"^square", FAMILY_ELEMENTWISE},
    {"^reciprocal", FAMILY_ELEMENTWISE},
    {"^sin", FAMILY_ELEMENTWISE},
    {"^cos", FAMILY_ELEMENTWISE},
    {"^tan", FAMILY_ELEMENTWISE},
    {"^erf", FAMILY_ELEMENTWISE},
    {"^sigmoid", FAMILY_ELEMENTWISE},
    {"^sign", FAMILY_ELEMENTWISE},
    {"relu", FAMILY_ELEMENTWISE},
    {"gelu", FAMILY_ELEMENTWISE},
    {"silu", FAMILY_ELEMENTWISE},
    {"^elu", FAMILY_ELEMENTWISE},
    {"^glu", FAMILY_ELEMENTWISE},
    {"mish", FAMILY_ELEMENTWISE},
    {"hardswish", FAMILY_ELEMENTWISE},
    {"hardtanh", FAMILY_ELEMENTWISE},
    {"hardsigmoid", FAMILY_ELEMENTWISE},
    {"^softplus", FAMILY_ELEMENTWISE},
    {"^threshold", FAMILY_ELEMENTWISE},
    {"^clamp", FAMILY_ELEMENTWISE},
    {"^clip", FAMILY_ELEMENTWISE},
    {"^round", FAMILY_ELEMENTWISE},
    {"^floor", FAMILY_ELEMENTWISE},
    {"^ceil", FAMILY_ELEMENTWISE},
    {"^where", FAMILY_ELEMENTWISE},
    {"^swhere", FAMILY_ELEMENTWISE},
    {"^maskedfill", FAMILY_ELEMENTWISE},
    {"^lerp", FAMILY_ELEMENTWISE},
    {"^maximum", FAMILY_ELEMENTWISE},
    {"^minimum", FAMILY_ELEMENTWISE},
    {"^eq$", FAMILY_ELEMENTWISE},
    {"^ne$", FAMILY_ELEMENTWISE},
    {"^lt$", FAMILY_ELEMENTWISE},
    {"^le$", FAMILY_ELEMENTWISE},
    {"^gt$", FAMILY_ELEMENTWISE},
    {"^ge$", FAMILY_ELEMENTWISE},
    {"^is", FAMILY_ELEMENTWISE},
    {"^bitwise", FAMILY_ELEMENTWISE},
    {"^nantonum", FAMILY_ELEMENTWISE},
    {"^and$", FAMILY_ELEMENTWISE},
    {"^iand$", FAMILY_ELEMENTWISE},
    {"^or$", FAMILY_ELEMENTWISE},
    {"^ior$", FAMILY_ELEMENTWISE},
    {"^xor$", FAMILY_ELEMENTWISE},
    {"rotary", FAMILY_ELEMENTWISE},
    {"quant", FAMILY_ELEMENTWISE},
    {"^amp", FAMILY_ELEMENTWISE},
};

/* Without "autograd::engine::evaluate_function: " and a namespace of operators. */
static str bare(str name)
{
    const str wrapper = S("autograd::engine::evaluate_function: ");
    if (str_starts(name, wrapper))
        name = str_from(name, wrapper.len);
    static const char *const spaces[] = {
        "aten::", "torch::autograd::", "prims::", "fbgemm::", "fb::", "inductor::", "_C::", "torchvision::"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (str_starts(name, str_of(spaces[i])))
            return str_from(name, strlen(spaces[i]));
    return name;
}

static str without_backward(str name)
{
    while (name.len && name.at[name.len - 1] >= '0' && name.at[name.len - 1] <= '9')
        name.len--;
    if (str_ends(name, S("Backward")) || str_ends(name, S("backward")))
        name.len -= 8;
    return name;
}

enum family family_of_name(str name)
{
    char room[256];
    const str from = without_backward(bare(name));
    size_t len = 0;
    for (size_t i = 0; i < from.len && len < sizeof room; i++)
        if (from.at[i] != '_')
            room[len++] = from.at[i];
    return (enum family)name_judged((str){room, len}, family_rules, sizeof family_rules / sizeof *family_rules,
                                    FAMILY_OTHER);
}
