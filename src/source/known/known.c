/* SPDX-License-Identifier: Apache-2.0 */
/* The table, and how names are looked up in it: whole names first, then the last part of tensor functions, then rooms. */
#include "known.h"

#include <pthread.h>
#include <stdlib.h>

#define T VALUE_TENSOR

/* Functions of tensors: torch.X, torch.Tensor.X, torch.nn.functional.X. */
static const struct known_row tensor_rows[] = {
    {"abs abs_ neg neg_ exp exp_ exp2 expm1 log log_ log2 log10 log1p sqrt sqrt_ rsqrt square sin cos tan asin acos atan "
     "sinh cosh tanh tanh_ sigmoid sigmoid_ relu relu_ relu6 elu selu celu gelu silu mish leaky_relu leaky_relu_ prelu "
     "softplus softsign hardtanh hardswish hardsigmoid threshold erf erfc erfinv floor floor_ ceil round round_ trunc "
     "frac clamp clamp_ clip clip_ clamp_min clamp_max reciprocal sign sgn positive nan_to_num nan_to_num_ logit lgamma "
     "digamma deg2rad rad2deg softmax log_softmax softmin normalize dropout2d dropout3d alpha_dropout cumsum cumprod "
     "logcumsumexp cummax_ flip fliplr flipud roll tril tril_ triu triu_ zero_ fill_ masked_fill masked_fill_ "
     "requires_grad_ contiguous clone detach_ retain_grad_ batch_norm layer_norm group_norm instance_norm glu logsigmoid "
     "tanhshrink softshrink hardshrink fmod remainder heaviside add_ sub_ mul_ div_ pow_ addcmul addcmul_ addcdiv "
     "addcdiv_ lerp lerp_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ index_add "
     "index_add_ index_copy index_copy_ index_fill index_fill_ masked_scatter masked_scatter_ index_put index_put_ "
     "fill_diagonal_ t_ unsqueeze_ squeeze_ resize_ renorm renorm_ set_ coalesce "
     "to_dense to_sparse is_leaf_ rot90 data grad conj real imag angle bitwise_not bitwise_and bitwise_or bitwise_xor",
     {T, ON_ARGS, AS_SAME, OF_SAME, 0, 0, false, false}},
    {"copy_", {T, ON_LIKE, AS_SAME, OF_SAME, SPECIAL_PUT, 0, false, true}},
    {"detach", {T, ON_ARGS, AS_SAME, OF_SAME, 0, VALUE_DETACHED, false, false}},
    {"dropout bernoulli bernoulli_ normal_ uniform_ exponential_ random_ gumbel_softmax multinomial",
     {T, ON_ARGS, AS_SAME, OF_SAME, 0, VALUE_RANDOM, false, false}},
    {"view reshape permute transpose transpose_ t swapaxes movedim moveaxis unsqueeze expand repeat repeat_interleave "
     "flatten unflatten ravel narrow unfold fold pad interpolate upsample one_hot diag diag_embed diagonal gather "
     "index_select take take_along_dim masked_select outer ger kron cross conv1d conv2d conv3d conv_transpose1d "
     "conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d "
     "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d linear bilinear embedding "
     "embedding_bag pixel_shuffle grid_sample affine_grid scaled_dot_product_attention tile block_diag cartesian_prod "
     "combinations meshgrid_ atleast_1d atleast_2d atleast_3d broadcast_to as_strided pdist cdist cosine_similarity "
     "pairwise_distance diff renorm bucketize searchsorted histc cov corrcoef stack cat concat concatenate hstack vstack "
     "dstack mm bmm addmm addbmm baddbmm addmv addr chain_matmul inverse pinverse cholesky lu_solve triangular_solve "
     "matrix_exp matrix_power inv pinv solve householder_product multi_dot fft ifft rfft irfft fft2 ifft2 stft istft "
     "tensor_split_ sum_to_size view_as_real view_as_complex unsqueeze_copy mT T H mH",
     {T, ON_ARGS, AS_SOME, OF_SAME, 0, 0, false, false}},
    {"indices values _indices _values crow_indices col_indices to_padded_tensor narrow_copy",
     {T, ON_ARGS, AS_SOME, OF_UNKNOWN, 0, 0, false, false}},
    {"squeeze select dot vdot inner mv matmul einsum tensordot trapz trace det logdet slogdet_",
     {T, ON_ARGS, AS_UNKNOWN, OF_SAME, 0, 0, false, false}},
    {"add sub subtract mul multiply div divide true_divide floor_divide pow rsub atan2 hypot maximum minimum fmax fmin "
     "logaddexp logical_and logical_or logical_xor logical_not xlogy ldexp bitwise_left_shift",
     {T, ON_ARGS, AS_UNKNOWN, OF_UNKNOWN, 0, 0, false, false}},
    {"sum mean std var prod norm logsumexp nansum nanmean median_ amax amin quantile nanquantile vector_norm matrix_norm",
     {T, ON_ARGS, AS_REDUCE, OF_SAME, 0, 0, false, false}},
    {"argmax argmin count_nonzero", {T, ON_ARGS, AS_REDUCE, OF_INT64, 0, 0, false, false}},
    {"all any", {T, ON_ARGS, AS_REDUCE, OF_BOOL, 0, 0, false, false}},
    {"max min median mode kthvalue aminmax cummax cummin",
     {T, ON_ARGS, AS_REDUCE, OF_SAME, SPECIAL_MINMAX, 0, false, false}},
    {"topk sort std_mean var_mean qr eig symeig lstsq eigh",
     {T, ON_ARGS, AS_SOME, OF_SAME, SPECIAL_PAIR, 0, false, false}},
    {"svd slogdet", {VALUE_TUPLE, ON_ARGS, AS_SOME, OF_SAME, SPECIAL_SPLIT, 0, false, false}},
    {"chunk split tensor_split unbind meshgrid broadcast_tensors hsplit vsplit split_with_sizes",
     {VALUE_TUPLE, ON_ARGS, AS_UNKNOWN, OF_SAME, SPECIAL_SPLIT, 0, false, false}},
    {"argsort argwhere nonzero nonzero_static bincount", {T, ON_ARGS, AS_SOME, OF_INT64, 0, 0, false, false}},
    {"where", {T, ON_ARGS, AS_SOME, OF_UNKNOWN, SPECIAL_WHERE, 0, false, false}},
    {"unique unique_consecutive", {T, ON_ARGS, AS_SOME, OF_SAME, SPECIAL_UNIQUE, 0, false, false}},
    {"eq ne lt le gt ge equal_ isnan isinf isfinite isclose isin isposinf isneginf less greater less_equal "
     "greater_equal not_equal signbit",
     {T, ON_ARGS, AS_SAME, OF_BOOL, 0, 0, false, false}},
    {"cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss "
     "huber_loss kl_div cosine_embedding_loss margin_ranking_loss triplet_margin_loss hinge_embedding_loss "
     "multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss ctc_loss gaussian_nll_loss "
     "poisson_nll_loss triplet_margin_with_distance_loss",
     {T, ON_ARGS, AS_REDUCE, OF_FLOAT32, 0, VALUE_GRAD, false, false}},
    {"zeros_like ones_like empty_like full_like", {T, ON_LIKE, AS_SAME, OF_SAME, 0, VALUE_CONSTANT, true, false}},
    {"rand_like randn_like randint_like", {T, ON_LIKE, AS_SAME, OF_SAME, 0, VALUE_RANDOM, true, false}},
    {"new_zeros new_ones new_empty new_full new", {T, ON_LIKE, AS_SOME, OF_SAME, 0, VALUE_CONSTANT, true, false}},
    {"expand_as view_as reshape_as", {T, ON_LIKE, AS_SOME, OF_SAME, 0, 0, false, false}},
    {"new_tensor", {T, ON_LIKE, AS_SOME, OF_SAME, SPECIAL_TYPE_AS, 0, true, false}},
    {"type_as", {T, ON_LIKE, AS_SAME, OF_UNKNOWN, SPECIAL_TYPE_AS, 0, false, false}},
    {"float", {T, ON_ARGS, AS_SAME, OF_FLOAT32, 0, 0, false, false}},
    {"double", {T, ON_ARGS, AS_SAME, OF_FLOAT64, 0, 0, false, false}},
    {"half bfloat16", {T, ON_ARGS, AS_SAME, OF_FLOAT16, 0, 0, false, false}},
    {"long", {T, ON_ARGS, AS_SAME, OF_INT64, 0, 0, false, false}},
    {"int short", {T, ON_ARGS, AS_SAME, OF_INT32, 0, 0, false, false}},
    {"byte char", {T, ON_ARGS, AS_SAME, OF_UINT8, 0, 0, false, false}},
    {"bool", {T, ON_ARGS, AS_SAME, OF_BOOL, 0, 0, false, false}},
    {"equal allclose", {VALUE_BOOL, ON_NONE, 0, 0, 0, 0, false, false}},
    {"size shape", {VALUE_SHAPE, ON_NONE, 0, 0, 0, 0, false, false}},
    {"dim ndimension numel nelement ndim element_size storage_offset get_device stride_ data_ptr",
     {VALUE_INT, ON_NONE, 0, 0, 0, 0, false, false}},
    {"is_contiguous is_floating_point is_complex is_tensor is_cuda is_sparse requires_grad is_leaf is_pinned",
     {VALUE_BOOL, ON_NONE, 0, 0, 0, 0, false, false}},
    {"stride", {VALUE_SHAPE, ON_NONE, 0, 0, 0, 0, false, false}},
    {"backward", {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"type", {VALUE_UNKNOWN, ON_ARGS, AS_SAME, OF_UNKNOWN, SPECIAL_TO, 0, false, false}},
    {"to", {T, ON_ARGS, AS_SAME, OF_SAME, SPECIAL_TO, 0, false, false}},
    {"cuda xpu npu mps hpu ipu", {T, ON_GPU, AS_SAME, OF_SAME, SPECIAL_CUDA, 0, false, false}},
    {"cpu", {T, ON_CPU, AS_SAME, OF_SAME, SPECIAL_CPU, 0, false, false}},
    {"item", {VALUE_FLOAT, ON_NONE, 0, 0, SPECIAL_ITEM, 0, false, false}},
    {"tolist", {VALUE_LIST, ON_NONE, 0, 0, SPECIAL_TOLIST, 0, false, false}},
    {"numpy __array__", {VALUE_ARRAY, ON_NONE, AS_SAME, OF_SAME, SPECIAL_NUMPY, 0, false, false}},
    {"pin_memory", {T, ON_ARGS, AS_SAME, OF_SAME, SPECIAL_PIN, VALUE_PINNED, false, false}},
    {"clip_grad_norm_", {T, ON_ARGS, AS_0, OF_FLOAT32, 0, 0, false, true}},
};

/* Everything else, by whole names. */
static const struct known_row rows[] = {
    {"torch.zeros torch.ones torch.empty torch.full torch.eye torch.linspace torch.logspace torch.hann_window "
     "torch.hamming_window torch.kaiser_window",
     {T, ON_OPTION, AS_SOME, OF_DEFAULT, 0, VALUE_CONSTANT, true, false}},
    {"torch.sparse_coo_tensor torch.sparse.FloatTensor torch.sparse_csr_tensor",
     {T, ON_LIKE, AS_SOME, OF_UNKNOWN, 0, 0, true, false}},
    {"torch.arange torch.range torch.tril_indices torch.triu_indices",
     {T, ON_OPTION, AS_SOME, OF_INT64, 0, VALUE_CONSTANT, true, false}},
    {"torch.rand torch.randn torch.normal torch.poisson",
     {T, ON_OPTION, AS_SOME, OF_DEFAULT, 0, VALUE_RANDOM, true, false}},
    {"torch.randint torch.randperm", {T, ON_OPTION, AS_SOME, OF_INT64, 0, VALUE_RANDOM, true, false}},
    {"torch.tensor torch.as_tensor torch.asarray torch.scalar_tensor",
     {T, ON_OPTION, AS_UNKNOWN, OF_UNKNOWN, SPECIAL_TENSOR, 0, true, false}},
    {"torch.Tensor torch.FloatTensor", {T, ON_OPTION, AS_SOME, OF_FLOAT32, SPECIAL_TENSOR, 0, true, false}},
    {"torch.DoubleTensor", {T, ON_OPTION, AS_SOME, OF_FLOAT64, SPECIAL_TENSOR, 0, true, false}},
    {"torch.HalfTensor torch.BFloat16Tensor", {T, ON_OPTION, AS_SOME, OF_FLOAT16, SPECIAL_TENSOR, 0, true, false}},
    {"torch.LongTensor", {T, ON_OPTION, AS_SOME, OF_INT64, SPECIAL_TENSOR, 0, true, false}},
    {"torch.IntTensor torch.ShortTensor", {T, ON_OPTION, AS_SOME, OF_INT32, SPECIAL_TENSOR, 0, true, false}},
    {"torch.ByteTensor torch.CharTensor", {T, ON_OPTION, AS_SOME, OF_UINT8, SPECIAL_TENSOR, 0, true, false}},
    {"torch.BoolTensor", {T, ON_OPTION, AS_SOME, OF_BOOL, SPECIAL_TENSOR, 0, true, false}},
    {"torch.cuda.FloatTensor", {T, ON_GPU, AS_SOME, OF_FLOAT32, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.cuda.DoubleTensor", {T, ON_GPU, AS_SOME, OF_FLOAT64, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.cuda.HalfTensor", {T, ON_GPU, AS_SOME, OF_FLOAT16, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.cuda.LongTensor", {T, ON_GPU, AS_SOME, OF_INT64, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.cuda.IntTensor", {T, ON_GPU, AS_SOME, OF_INT32, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.cuda.ByteTensor", {T, ON_GPU, AS_SOME, OF_UINT8, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.cuda.BoolTensor", {T, ON_GPU, AS_SOME, OF_BOOL, SPECIAL_TENSOR, VALUE_UPLOADED, true, false}},
    {"torch.from_numpy torch.frombuffer torch.utils.dlpack.from_dlpack",
     {T, ON_CPU, AS_SAME, OF_SAME, SPECIAL_FROM_NUMPY, 0, true, false}},
    {"torch.Variable", {T, ON_ARGS, AS_SAME, OF_SAME, SPECIAL_SAME, 0, false, false}},
    {"torch.nn.Parameter", {T, ON_ARGS, AS_SAME, OF_SAME, SPECIAL_SAME, VALUE_PARAMETER | VALUE_GRAD, false, false}},
    {"torch.load", {VALUE_UNKNOWN, ON_NONE, 0, 0, 0, 0, false, true}},
    {"torch.set_default_tensor_type torch.set_default_device",
     {VALUE_NONE, ON_NONE, 0, 0, SPECIAL_DEFAULT, 0, false, true}},
    {"torch.device", {VALUE_DEVICE, ON_NONE, 0, 0, SPECIAL_DEVICE, 0, false, false}},
    {"torch.accelerator.current_accelerator", {VALUE_DEVICE, ON_GPU, 0, 0, 0, VALUE_UPLOADED, false, false}},
    {"torch.cuda.is_available torch.accelerator.is_available torch.backends.mps.is_available torch.distributed.is_available "
     "torch.distributed.is_initialized torch.is_tensor torch.is_grad_enabled",
     {VALUE_BOOL, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.cuda.device_count torch.cuda.current_device torch.accelerator.device_count "
     "torch.accelerator.current_device_index torch.distributed.get_rank torch.distributed.get_world_size",
     {VALUE_INT, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.cuda.current_device_ torch.cuda.get_device_name", {VALUE_STR, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.utils.data.DataLoader torch_geometric.loader.DataLoader torch_geometric.data.DataLoader "
     "torch_geometric.loader.NeighborLoader torchtext.data.BucketIterator",
     {VALUE_LOADER, ON_NONE, 0, 0, SPECIAL_LOADER, 0, false, false}},
    {"torch.utils.data.BatchSampler", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_BATCHES, 0, false, false}},
    {"torch.utils.data.SubsetRandomSampler torch.utils.data.RandomSampler torch.utils.data.SequentialSampler "
     "torch.utils.data.WeightedRandomSampler torch.utils.data.distributed.DistributedSampler",
     {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_RANGE, 0, false, false}},
    {"torch.utils.data.TensorDataset torch.utils.data.ConcatDataset torch.utils.data.Subset torch.utils.data.Dataset",
     {VALUE_DATASET, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.nn.ModuleList torch.nn.Sequential torch.nn.ModuleDict",
     {VALUE_MODULE, ON_CPU, 0, 0, SPECIAL_MODULES, 0, false, false}},
    {"torch.nn.DataParallel torch.nn.parallel.DistributedDataParallel torch.nn.parallel.DataParallel torch.compile torch.jit.script",
     {VALUE_MODULE, ON_ARGS, 0, 0, SPECIAL_RUN, 0, false, false}},
    {"torch.distributed.fsdp.FullyShardedDataParallel "
     "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
     {VALUE_MODULE, ON_ARGS, 0, 0, SPECIAL_SHARD, 0, false, false}},
    {"torch.nn.parallel.parallel_apply torch.nn.parallel.replicate torch.nn.parallel.scatter",
     {VALUE_LIST, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.nn.parallel.data_parallel", {T, ON_ARGS, AS_UNKNOWN, OF_UNKNOWN, 0, VALUE_GRAD, false, false}},
    {"torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_norm torch.nn.utils.get_total_norm",
     {T, ON_ARGS, AS_0, OF_FLOAT32, 0, 0, false, true}},
    {"torch.nn.utils.rnn.pack_padded_sequence torch.nn.utils.rnn.pad_sequence torch.nn.utils.rnn.pack_sequence",
     {T, ON_ARGS, AS_SOME, OF_SAME, 0, 0, false, false}},
    {"torch.nn.utils.rnn.pad_packed_sequence", {T, ON_ARGS, AS_SOME, OF_SAME, SPECIAL_PAIR, 0, false, false}},
    {"torch.nn.utils.clip_grad_value_ torch.save torch.manual_seed torch.cuda.manual_seed torch.cuda.manual_seed_all "
     "torch.cuda.synchronize torch.cuda.empty_cache torch.set_grad_enabled torch.autograd.set_detect_anomaly "
     "torch.cuda.set_device",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"torch.autograd.grad", {VALUE_TUPLE, ON_ARGS, AS_SOME, OF_SAME, SPECIAL_SPLIT, 0, false, false}},
    {"torch.utils.checkpoint.checkpoint", {T, ON_ARGS, AS_UNKNOWN, OF_UNKNOWN, 0, VALUE_GRAD, false, false}},
    {"torch.no_grad torch.inference_mode torch.enable_grad torch.cuda.amp.autocast torch.autocast torch.amp.autocast "
     "torch.cuda.stream torch.Generator torch.profiler.profile",
     {VALUE_OTHER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.cuda.Stream torch.cuda.Event torch.cuda.current_stream torch.cuda.default_stream torch.Stream torch.Event",
     {VALUE_OTHER, ON_NONE, 0, 0, SPECIAL_OBJECT, 0, false, false}},
    {"torch.optim.swa_utils.AveragedModel", {VALUE_MODULE, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.cuda.amp.GradScaler torch.amp.GradScaler", {VALUE_SCALER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.utils.tensorboard.SummaryWriter logging.getLogger wandb.init tqdm.write open io.open gzip.open "
     "torch.utils.tensorboard.writer.SummaryWriter",
     {VALUE_WRITER, ON_NONE, 0, 0, 0, 0, false, true}},
    {"torch.Size", {VALUE_SHAPE, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.nn.Module.parameters torch.nn.Module.buffers torch.nn.Module.named_parameters "
     "torch.nn.Module.named_buffers",
     {VALUE_ITERATOR, ON_ARGS, 0, 0, SPECIAL_PARAMETERS, 0, false, false}},
    {"torch.nn.Module.modules torch.nn.Module.children torch.nn.Module.named_modules torch.nn.Module.named_children",
     {VALUE_ITERATOR, ON_ARGS, 0, 0, SPECIAL_CHILDREN, 0, false, false}},
    {"torch.nn.Module.state_dict torch.optim.Optimizer.state_dict", {VALUE_DICT, ON_ARGS, 0, 0, 0, 0, false, false}},
    {"torch.nn.Module.train torch.nn.Module.eval torch.nn.Module.float torch.nn.Module.double torch.nn.Module.half "
     "torch.nn.Module.requires_grad_ torch.nn.Module.share_memory torch.nn.Module.apply",
     {VALUE_MODULE, ON_ARGS, 0, 0, SPECIAL_SAME, 0, false, true}},
    {"torch.nn.Module.to", {VALUE_MODULE, ON_ARGS, 0, 0, SPECIAL_TO, 0, false, true}},
    {"torch.nn.Module.cuda", {VALUE_MODULE, ON_GPU, 0, 0, SPECIAL_CUDA, 0, false, true}},
    {"torch.nn.Module.cpu", {VALUE_MODULE, ON_CPU, 0, 0, SPECIAL_CPU, 0, false, true}},
    {"torch.nn.Module.zero_grad torch.nn.Module.load_state_dict torch.nn.Module.register_buffer "
     "torch.nn.Module.add_module torch.nn.Module.register_parameter torch.optim.Optimizer.zero_grad "
     "torch.optim.Optimizer.step torch.optim.Optimizer.load_state_dict torch.optim.lr_scheduler.LRScheduler.step "
     "torch.cuda.amp.GradScaler.step torch.cuda.amp.GradScaler.update",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"torch.cuda.amp.GradScaler.scale", {T, ON_ARGS, AS_SAME, OF_SAME, SPECIAL_SAME, 0, false, false}},
    {"torch.cuda.amp.GradScaler.get_scale", {VALUE_FLOAT, ON_NONE, 0, 0, 0, 0, false, false}},
    /* Python */
    {"len hash id ord", {VALUE_INT, ON_NONE, 0, 0, 0, 0, false, false}},
    {"int round", {VALUE_INT, ON_NONE, 0, 0, SPECIAL_NUMBER, 0, false, false}},
    {"float", {VALUE_FLOAT, ON_NONE, 0, 0, SPECIAL_NUMBER, 0, false, false}},
    {"bool", {VALUE_BOOL, ON_NONE, 0, 0, SPECIAL_NUMBER, 0, false, false}},
    {"isinstance issubclass hasattr callable", {VALUE_BOOL, ON_NONE, 0, 0, 0, 0, false, false}},
    {"str repr format chr ascii input os.path.join os.getcwd os.path.basename os.path.dirname hex",
     {VALUE_STR, ON_NONE, 0, 0, 0, 0, false, false}},
    {"str.format str.join str.strip str.lower str.upper str.replace str.lstrip str.rstrip",
     {VALUE_STR, ON_NONE, 0, 0, 0, 0, false, false}},
    {"str.split", {VALUE_LIST, ON_NONE, 0, 0, 0, 0, false, false}},
    {"str.startswith str.endswith str.isdigit os.path.exists os.path.isfile os.path.isdir",
     {VALUE_BOOL, ON_NONE, 0, 0, 0, 0, false, false}},
    {"print setattr os.makedirs os.mkdir shutil.rmtree pickle.dump json.dump exit sys.exit gc.collect",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"list.append list.extend list.insert list.remove list.sort list.clear list.reverse dict.update dict.clear set.add "
     "set.update set.remove set.discard",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"list.pop dict.pop dict.setdefault set.pop", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_ITEM_OF, 0, false, true}},
    {"list.index list.count tuple.index tuple.count", {VALUE_INT, ON_NONE, 0, 0, 0, 0, false, false}},
    {"list sorted", {VALUE_LIST, ON_NONE, 0, 0, SPECIAL_LIST, 0, false, false}},
    {"tuple", {VALUE_TUPLE, ON_NONE, 0, 0, SPECIAL_TUPLE, 0, false, false}},
    {"set frozenset", {VALUE_SET, ON_NONE, 0, 0, SPECIAL_SET, 0, false, false}},
    {"dict collections.OrderedDict collections.defaultdict collections.Counter",
     {VALUE_DICT, ON_NONE, 0, 0, SPECIAL_DICT, 0, false, false}},
    {"collections.deque", {VALUE_LIST, ON_NONE, 0, 0, SPECIAL_LIST, 0, false, false}},
    {"enumerate", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_ENUMERATE, 0, false, false}},
    {"zip itertools.zip_longest itertools.product", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_ZIP, 0, false, false}},
    {"range xrange tqdm.trange itertools.count", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_RANGE, 0, false, false}},
    {"tqdm tqdm.tqdm iter reversed itertools.islice itertools.cycle itertools.chain filter rich.progress.track "
     "accelerate.skip_first_batches",
     {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_SAME, 0, false, false}},
    {"next", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_ITEM_OF, 0, false, true}}, /* it moves on */
    {"dict.get", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_ITEM_OF, 0, false, false}},
    {"random.choice", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_ITEM_OF, VALUE_RANDOM, false, false}},
    {"max min", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_ITEM_OF, 0, false, false}},
    {"sum", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_SUM, 0, false, false}},
    {"abs copy.copy copy.deepcopy list.copy dict.copy set.copy torch.Tensor.clone_",
     {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_COPY, 0, false, false}},
    {"map", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_MAP, 0, false, false}},
    {"dict.items", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_ITEMS, 0, false, false}},
    {"dict.keys", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_KEYS, 0, false, false}},
    {"dict.values", {VALUE_ITERATOR, ON_NONE, 0, 0, SPECIAL_VALUES, 0, false, false}},
    {"getattr", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_GETATTR, 0, false, false}},
    {"super", {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_SUPER, 0, false, false}},
    {"functools.partial", {VALUE_FUNCTION, ON_NONE, 0, 0, SPECIAL_PARTIAL, 0, false, false}},
    {"time.time time.perf_counter time.monotonic time.process_time timeit.default_timer",
     {VALUE_FLOAT, ON_NONE, 0, 0, 0, 0, false, true}},
    {"random.random random.uniform random.gauss", {VALUE_FLOAT, ON_NONE, 0, 0, 0, VALUE_RANDOM, false, false}},
    {"random.randint random.randrange", {VALUE_INT, ON_NONE, 0, 0, 0, VALUE_RANDOM, false, false}},
    {"random.sample random.choices", {VALUE_LIST, ON_NONE, 0, 0, SPECIAL_LIST, VALUE_RANDOM, false, false}},
    {"random.shuffle random.seed numpy.random.seed numpy.random.shuffle numpy.save numpy.savetxt "
     "numpy.savez numpy.savez_compressed numpy.copyto numpy.put numpy.place numpy.putmask numpy.fill_diagonal",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"numpy.ndarray.tolist", {VALUE_LIST, ON_NONE, 0, 0, 0, 0, false, false}},
    {"numpy.ndarray.item", {VALUE_FLOAT, ON_NONE, 0, 0, 0, 0, false, false}},
    {"numpy.ndarray.shape", {VALUE_SHAPE, ON_NONE, 0, 0, 0, 0, false, false}},
    {"numpy.ndarray.size numpy.ndarray.ndim", {VALUE_INT, ON_NONE, 0, 0, 0, 0, false, false}},
    {"numpy.zeros numpy.ones numpy.empty numpy.eye numpy.linspace",
     {VALUE_ARRAY, ON_NONE, AS_SOME, OF_FLOAT64, 0, VALUE_CONSTANT, false, false}},
    {"numpy.random.rand numpy.random.randn numpy.random.normal numpy.random.uniform numpy.random.random",
     {VALUE_ARRAY, ON_NONE, AS_UNKNOWN, OF_FLOAT64, SPECIAL_DRAW, VALUE_RANDOM, false, false}},
    {"numpy.random.choice numpy.random.randint",
     {VALUE_ARRAY, ON_NONE, AS_UNKNOWN, OF_UNKNOWN, SPECIAL_DRAW, VALUE_RANDOM, false, false}},
    {"numpy.float32", {VALUE_ARRAY, ON_NONE, AS_0, OF_FLOAT32, 0, VALUE_SCALAR_NUMPY, false, false}},
    {"numpy.float64 numpy.float", {VALUE_ARRAY, ON_NONE, AS_0, OF_FLOAT64, 0, VALUE_SCALAR_NUMPY, false, false}},
    {"numpy.int64 numpy.int32 numpy.int", {VALUE_ARRAY, ON_NONE, AS_0, OF_INT64, 0, VALUE_SCALAR_NUMPY, false, false}},
    {"numpy.arange", {VALUE_ARRAY, ON_NONE, AS_SOME, OF_INT64, 0, VALUE_CONSTANT, false, false}},
    {"numpy.where numpy.nonzero", {VALUE_ARRAY, ON_NONE, AS_SOME, OF_UNKNOWN, 0, 0, false, false}},
    {"numpy.load", {VALUE_ARRAY, ON_NONE, AS_SOME, OF_UNKNOWN, 0, 0, false, true}},
    {"pickle.load json.load json.loads yaml.load yaml.safe_load", {VALUE_UNKNOWN, ON_NONE, 0, 0, 0, 0, false, true}},
};

/* Whole rooms of names: the first prefix that fits. */
static const struct known_row rooms[] = {
    {"torch.optim.swa_utils.SWALR", {VALUE_SCHEDULER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.optim.lr_scheduler.", {VALUE_SCHEDULER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch.optim.", {VALUE_OPTIMIZER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"transformers.AdamW", {VALUE_OPTIMIZER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torchvision.models.", {VALUE_MODULE, ON_CPU, 0, 0, 0, 0, false, false}},
    {"torchvision.datasets.", {VALUE_DATASET, ON_NONE, 0, 0, 0, 0, false, false}},
    {"torch_geometric.nn.", {VALUE_MODULE, ON_CPU, 0, 0, 0, 0, false, false}},
    {"keras.layers.", {VALUE_MODULE, ON_CPU, 0, 0, 0, 0, false, false}},
    {"torch.utils.data.", {VALUE_OTHER, ON_NONE, 0, 0, 0, 0, false, false}},
    {"numpy.random.", {VALUE_ARRAY, ON_NONE, AS_UNKNOWN, OF_UNKNOWN, 0, VALUE_RANDOM, false, false}},
    {"numpy.ndarray.", {VALUE_ARRAY, ON_NONE, AS_UNKNOWN, OF_UNKNOWN, 0, 0, false, false}},
    {"numpy.", {VALUE_ARRAY, ON_NONE, AS_UNKNOWN, OF_UNKNOWN, 0, 0, false, false}},
    {"scipy.sparse.", {VALUE_SPARSE, ON_NONE, 0, 0, 0, 0, false, false}},
    {"scipy.", {VALUE_ARRAY, ON_NONE, 0, 0, 0, 0, false, false}},
    {"sklearn.metrics.", {VALUE_ARRAY, ON_NONE, 0, 0, 0, VALUE_SCALAR_NUMPY, false, false}},
    {"pandas.", {VALUE_FRAME, ON_NONE, 0, 0, 0, 0, false, false}},
    {"logging.", {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"wandb.", {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"math.", {VALUE_FLOAT, ON_NONE, 0, 0, 0, 0, false, false}},
};

static const struct known module_class = {VALUE_MODULE, ON_CPU, 0, 0, 0, 0, false, false};
static const struct known loss_class = {VALUE_LOSS, ON_CPU, 0, 0, 0, 0, false, false};

/* Public names that are spelled in several ways: the beginning on the left is that on the right. */
static const struct {
    str from, to;
} canonical[] = {
    {S("torch.autograd.Variable"), S("torch.Variable")},
    {S("torch.autograd.variable.Variable"), S("torch.Variable")},
    {S("torch.nn.modules."), S("torch.nn.")},
    {S("torch.utils.data.dataloader."), S("torch.utils.data.")},
    {S("torch.utils.data.dataset."), S("torch.utils.data.")},
    {S("torch.utils.data.sampler."), S("torch.utils.data.")},
    {S("torch.cuda.amp.grad_scaler."), S("torch.cuda.amp.")},
    {S("torch.functional."), S("torch.")},
    {S("torch.nn.parameter."), S("torch.nn.")},
    {S("torch.nn.Parameter"), S("torch.nn.Parameter")},
    {S("tensorboardX."), S("torch.utils.tensorboard.")},
    {S("numpy.core."), S("numpy.")},
    {S("pytorch_lightning."), S("lightning.")},
    {S("lightning.pytorch."), S("lightning.")},
    {S("lightning_fabric."), S("lightning.")},
    {S("lightning.fabric."), S("lightning.")},
    {S("accelerate.accelerator."), S("accelerate.")},
    {S("transformers.trainer."), S("transformers.")},
    {S("transformers.trainer_callback."), S("transformers.")},
    {S("transformers.trainer_seq2seq."), S("transformers.")},
    {S("transformers.training_args."), S("transformers.")},
    {S("skorch.net."), S("skorch.")},
    {S("skorch.classifier."), S("skorch.")},
    {S("skorch.regressor."), S("skorch.")},
    {S("ignite.engine.engine."), S("ignite.engine.")},
    {S("torchtune.training."), S("torchtune.utils.")},
    {S("accelerate.data_loader."), S("accelerate.")},
    {S("tqdm.auto."), S("tqdm.")},
    {S("tqdm.autonotebook."), S("tqdm.")},
    {S("tqdm.notebook."), S("tqdm.")},
    {S("tqdm.rich."), S("tqdm.")},
    {S("tqdm.std."), S("tqdm.")},
    {S("torchdata.stateful_dataloader.StatefulDataLoader"), S("torch.utils.data.DataLoader")},
    {S("monai.data.DataLoader"), S("torch.utils.data.DataLoader")},
    {S("dgl.dataloading.GraphDataLoader"), S("torch.utils.data.DataLoader")},
};

/* ---- looking up: the words of a table, sorted ---- */

struct word {
    str text;
    const struct known *known;
};

enum { MOST_WORDS = 2048 };

struct words {
    struct word at[MOST_WORDS];
    size_t count;
};

static struct words tensor_words, whole_words;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int by_text(const void *a, const void *b)
{
    return str_cmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

static void spread(struct words *words, const struct known_row *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        str rest = str_of(table[i].names), word;
        while (str_cut(&rest, ' ', &word) && words->count < MOST_WORDS)
            words->at[words->count++] = (struct word){word, &table[i].known};
    }
    qsort(words->at, words->count, sizeof *words->at, by_text);
}

static void spread_all(void)
{
    spread(&tensor_words, tensor_rows, sizeof tensor_rows / sizeof *tensor_rows);
    spread(&whole_words, rows, sizeof rows / sizeof *rows);
    spread(&whole_words, known_frameworks, known_framework_count);
}

static const struct known *among(const struct words *words, str text)
{
    const struct word key = {text, NULL};
    const struct word *found = bsearch(&key, words->at, words->count, sizeof *words->at, by_text);
    return found ? found->known : NULL;
}

static str last_part(str name)
{
    for (size_t i = name.len; i--;)
        if (name.at[i] == '.')
            return str_from(name, i + 1);
    return name;
}

/* Classes begin with a capital. */
static bool is_class_name(str last)
{
    return last.len && last.at[0] >= 'A' && last.at[0] <= 'Z';
}

static bool has_tensor_functions(str name, str last)
{
    static const char *const from[] = {"torch.",        "torch.Tensor.", "torch.nn.functional.", "torch.special.",
                                       "torch.linalg.", "torch.fft.",    "torch.nn.utils."};
    const size_t len = name.len - last.len;
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        if (str_eq((str){name.at, len}, str_of(from[i])))
            return true;
    return false;
}

static const struct known *nn_class(str name, str last)
{
    if (!str_starts(name, S("torch.nn.")) || !is_class_name(last) || str_starts(name, S("torch.nn.Module.")))
        return NULL;
    return str_ends(last, S("Loss")) ? &loss_class : &module_class;
}

/* Whether any row is below the package. */
static bool has_package(str package)
{
    for (size_t i = 0; i < whole_words.count; i++)
        if (str_starts(whole_words.at[i].text, package))
            return true;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (str_starts(str_of(rooms[i].names), package))
            return true;
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++)
        if (str_starts(canonical[i].from, package))
            return true;
    return str_eq(package, S("torch."));
}

bool known_package(str module)
{
    enum { LONGEST = 64 };
    char room[LONGEST];
    const char *dot = module.len ? memchr(module.at, '.', module.len) : NULL;
    const size_t len = dot ? (size_t)(dot - module.at) : module.len;
    pthread_once(&once, spread_all);
    if (len + 1 >= LONGEST)
        return false;
    memcpy(room, module.at, len);
    room[len] = '.';
    return has_package((str){room, len + 1});
}

/* torch.nn.conv.Conv2d (after the modules are cut) keeps its file; classes are looked for by their last part. */
str known_canonical(char *room, str text)
{
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++) {
        const str from = canonical[i].from, to = canonical[i].to;
        if (text.len < from.len || text.at[from.len - 1] != from.at[from.len - 1] || !str_starts(text, from))
            continue;
        memmove(room + to.len, room + from.len, text.len - from.len);
        memcpy(room, to.at, to.len);
        return (str){room, text.len - from.len + to.len};
    }
    return text;
}

const struct known *known_find(str name)
{
    pthread_once(&once, spread_all);
    const struct known *known = among(&whole_words, name);
    const str last = last_part(name);
    if (!known && has_tensor_functions(name, last))
        known = among(&tensor_words, last);
    if (!known)
        known = nn_class(name, last);
    for (size_t i = 0; !known && i < sizeof rooms / sizeof *rooms; i++)
        if (str_starts(name, str_of(rooms[i].names)))
            known = &rooms[i].known;
    return known;
}
