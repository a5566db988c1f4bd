/* SPDX-License-Identifier: Apache-2.0 */
/* The lists, and how a word is looked for in one. */
#include "known_words.h"

#include <assert.h>
#include <pthread.h>

/* Words, which blanks part. A star at either end stands for anything. */
static const struct list {
    const char *words;
    bool any_case;
} lists[WORDS_KINDS] = {
    [WORDS_ONLY_TENSORS_HAVE] =
        {"backward unsqueeze unsqueeze_ permute detach detach_ requires_grad_ contiguous masked_fill masked_fill_ "
         "index_select index_add_ index_copy_ scatter_ scatter_add_ scatter gather bmm expand_as view_as type_as numel "
         "data_ptr logsumexp log_softmax softmax unbind new_zeros new_ones new_tensor new_full new_empty is_contiguous "
         "retain_grad masked_select topk addmm chunk unfold is_cuda requires_grad grad_fn baddbmm narrow element_size "
         "clamp_ zero_ mul_ add_ sub_ div_ sigmoid relu record_stream",
         false},
    [WORDS_ONLY_MODULES_HAVE] = {"parameters named_parameters state_dict load_state_dict zero_grad named_modules train "
                                 "children modules eval apply",
                                 false},
    [WORDS_PROVE_TENSOR] = {"item tolist numpy detach cpu sum mean view unsqueeze", false},
    [WORDS_OF_MANY_TYPES] = {"step train eval save load close read write open run get set reset main call fit update "
                             "start stop log zero_grad",
                             false},
    [WORDS_TENSOR_PARTS] = {"data grad T mT H real imag", false},
    [WORDS_TENSOR_ANSWERS] = {"is_cuda requires_grad is_sparse", false},
    [WORDS_TENSOR_FACTS] = {"shape dtype device", false},
    [WORDS_BACKWARD] = {"backward", false},
    [WORDS_KEEPS_PLACE] =
        {"mean sum squeeze unsqueeze view reshape flatten float half double bfloat16 abs pow clone detach "
         "contiguous log exp sqrt square norm neg clamp min max transpose permute expand masked_fill",
         false},
    [WORDS_TRAIN] = {"backward manual_backward train_batch train_on_batch", false},
    [WORDS_SHOW_OUTPUT] = {"ignite.*ProgressBar ignite.*RunningAverage ignite.*TerminateOnNan", false},
    [WORDS_GRADIENTS] = {"torch.func.grad torch.func.grad_and_value", false},
    [WORDS_TRAINERS] = {"*Trainer *Trainer.fit *Trainer.train *LightningCLI mmengine.runner.Runner *EpochBasedRunner",
                        false},
    [WORDS_NORM_OF_GRADIENTS] = {"clip_grad_norm_ clip_grad_norm get_total_norm", false},
    [WORDS_STEP] = {"step", false},
    [WORDS_READ_ITEMS] = {"item tolist", false},
    [WORDS_MODULE_TENSORS] = {"weight bias", false},
    [WORDS_ALWAYS_OF_TENSORS] = {"cuda to cpu item pin_memory backward", false},
    [WORDS_CHANGE_AS_STATEMENT] = {"append extend insert add update remove pop clear sort cuda to reverse appendleft "
                                   "setdefault half float double fill cpu discard",
                                   false},
    [WORDS_CHANGE_FIRST] = {"batch_to_device", false},
    [WORDS_MOVE_FIRST] = {"batch_to_device", false},
    [WORDS_CHANGE] = {"append extend insert add update remove pop clear sort setdefault put write", false},
    [WORDS_MOVE] = {"cuda to cpu", false},
    [WORDS_MOVE_OR_CAST] = {"cuda to cpu float", false},
    [WORDS_MOVE_TO_DEVICE] = {"cuda to", false},
    [WORDS_PUT_SECOND] = {"insert setdefault", false},
    [WORDS_PUT_ITEMS] = {"extend update", false},
    [WORDS_PUT_IN_LIST] = {"append extend", false},
    [WORDS_TAKE] = {"pop remove sort", false},
    [WORDS_STATIC_METHOD] = {"staticmethod", false},
    [WORDS_CLASS_METHOD] = {"classmethod", false},
    [WORDS_PROPERTY] = {"property cached_property", false},
    [WORDS_RUN_IN_WORKERS] = {"collate_fn transform target_transform", false},
    [WORDS_GIVE_STATE] = {"GRU RNN MultiheadAttention", false},
    [WORDS_GIVE_TWO_STATES] = {"LSTM", false},
    [WORDS_WITHOUT_GRADIENTS] = {"torch.no_grad torch.inference_mode", false},
    [WORDS_END_RUN] = {"sys.exit exit quit os._exit", false},
    [WORDS_LIBRARIES] = {"torch numpy jax tensorflow pandas scipy sklearn transformers lightning accelerate", false},
    [WORDS_TENSOR_LIBRARIES] = {"torch.* torchvision.* torch_scatter.*", false},
    [WORDS_HOST_LIBRARIES] = {"numpy scipy pandas sklearn skimage PIL cv2 matplotlib seaborn plotly imageio tqdm wandb "
                              "mlflow tensorboard tensorboardX comet_ml neptune swanlab visdom rich loguru h5py zarr "
                              "librosa soundfile torchaudio nltk sacrebleu rouge_score jiwer gym gymnasium ray hydra "
                              "omegaconf yaml psutil cloudpickle tensorflow jax absl numba lmdb av decord requests "
                              "safetensors tabulate termcolor trimesh open3d networkx joblib",
                              false},
    [WORDS_WRITERS] = {"*Writer *Logger *logger", false},
    [WORDS_ABSTRACT_BASES] = {"*ABC typing.*", false},
    [WORDS_MODULE_BASES] = {"torch.nn.* torch_geometric.nn.* *LightningModule *PreTrainedModel *nn.Module", false},
    [WORDS_DATASET_BASES] = {"torch*Dataset *VisionDataset", false},
    [WORDS_LIGHTNING_BASES] = {"*LightningModule", false},
    [WORDS_OPTIMIZER_STEP] = {"*Optimizer.step *GradScaler.step", false},
    [WORDS_COMPUTING_LIBRARIES] = {"torch.* numpy.* math.*", false},
    [WORDS_ACCELERATOR] = {"cuda xpu mps npu hpu gpu", false},
    [WORDS_DEVICE] = {"device dev DEVICE *_device *_dev device_*", false},
    [WORDS_DEVICE_NUMBER] = {"*rank* *gpu* *cuda*", true},
    [WORDS_LOADER] = {"*loader* *Loader*", false},
    [WORDS_CALLED_LOADER] = {"*loader* *_dl*", true},
    [WORDS_CALLED_OPTIMIZER] = {"*opt*", true},
    [WORDS_CALLED_SCHEDULER] = {"*sched*", true},
    [WORDS_CALLED_MODEL] = {"*model* *net*", true},
    [WORDS_SETTINGS] = {"*arg* *conf* *cfg* *opt* *hp* *param* *flag* *setting* *self* *train*", true},
    [WORDS_LEARNER] = {"*agent* *algo* *alg *learner* *trainer* *policy*", true},
    [WORDS_MODEL] = {"model net predict", false},
    [WORDS_LOSS_FUNCTION] = {"*loss* *entropy*", false},
    [WORDS_TRAINING] = {"training train is_train is_training train_mode", false},
    [WORDS_PHASE_TRAINING] = {"train", false},
    [WORDS_PHASE_OTHER] = {"val valid validation test eval evaluation", false},
    [WORDS_TEXT_FIELDS] =
        {"prompt prompts text texts completion completions messages question answer name names path paths url image tools sentence sentences",
         false},
    [WORDS_COUNT] = {"*step* *iter* *idx* *index* *epoch* *count* *batch_i*", true},
    [WORDS_TIME_TO] = {"should_* every_n* is_step is_*_step", false},
    [WORDS_TROUBLE] = {"isnan isinf", false},
    [WORDS_NO_TROUBLE] = {"isfinite", false},
    [WORDS_WELL] = {"finite isfinite", false},
    [WORDS_RANK] = {"*rank* *is_main* *is_master* *is_global_zero* *local_master*", true},
    [WORDS_FLAG] = {"*verbose* *debug* *log* *print* *display* *plot* *visual* *profile* *save* *trace* *wandb* *dump* "
                    "*visdom* *tensorboard*",
                    true},
    [WORDS_ASIDE] = {"eval evaluate demo inference benchmark", false},
    [WORDS_EVALUATION] = {"*eval* *valid*", true},
    [WORDS_TEST_FUNCTIONS] = {"test*", false},
    [WORDS_TEST_FILES] = {"test_* *_test.py *_tests.py *_tests_* conftest.py", false},
    [WORDS_TEST_FOLDERS] = {"test/* tests/* unittests/* unit_tests/* */test/* */tests/* */unittests/* */unit_tests/*",
                            false},
    [WORDS_KEEP_DATA] = {"view reshape detach squeeze unsqueeze contiguous long float int double to cuda cpu t permute "
                         "transpose flatten clone expand numpy type_as expand_as repeat fill_ requires_grad_ half "
                         "tolist item",
                         false},
    [WORDS_SHARE_ARRAY] =
        {"asarray asanyarray ravel reshape squeeze transpose swapaxes expand_dims moveaxis atleast_1d "
         "atleast_2d broadcast_to split array_split diag",
         false},
    [WORDS_READ_ONLY] = {"len max min sum sorted range enumerate zip int float tuple set any all", false},
    [WORDS_READ_ARRAY] = {"tolist copy sum max min mean argmax argsort astype any all nonzero index count tobytes",
                          false},
    [WORDS_CHEAP] = {"len int float range isinstance torch.tensor torch.as_tensor torch.from_numpy torch.Tensor "
                     "torch.LongTensor torch.FloatTensor",
                     false},
    [WORDS_CHEAP_METHODS] = {"update get long float int clone view unsqueeze squeeze tolist is_tensor", false},
    [WORDS_DRAW] = {"*batch* get_next", false},
    [WORDS_HAND_ON] = {"enumerate reversed list tuple iter tqdm trange", false},
    [WORDS_SIZE_OF_DATA] = {"len size numel item nelement", false},
    [WORDS_NAMED_ITEMS] = {"keys items", false},
    [WORDS_JOIN] = {"cat stack", false},
    [WORDS_RAGGED] = {"repeat_interleave masked_select", false},
    [WORDS_CONVERT] = {"float long to cuda half cpu detach", false},
    [WORDS_HOST_ONLY] = {"set sorted list dict collections.defaultdict collections.Counter", false},
    [WORDS_MODULE_PARTS] = {"parameters named_parameters children named_children modules named_modules buffers "
                            "named_buffers",
                            false},
    [WORDS_COLLECT] = {"append extend add", false},
    [WORDS_CONVERSIONS] = {"float int bool", false},
    [WORDS_MOVE_TO_HOST] = {"cpu to", false},
    [WORDS_STACK] = {"stack cat concat vstack hstack pad_sequence", false},
    [WORDS_CHANGE_CONTAINER] = {"append extend add insert sort reverse update", false},
    [WORDS_CREATIONS] = {"torch.zeros torch.ones torch.full torch.empty torch.arange torch.linspace torch.eye "
                         "torch.range torch.tril_indices torch.triu_indices torch.logspace numpy.zeros numpy.ones "
                         "numpy.full numpy.arange numpy.eye numpy.linspace",
                         false},
    [WORDS_RANDOM_CREATIONS] =
        {"torch.rand torch.randn torch.randint torch.randperm torch.normal torch.bernoulli "
         "numpy.random.normal numpy.random.uniform numpy.random.rand numpy.random.randn "
         "numpy.random.randint numpy.random.random numpy.random.binomial numpy.random.standard_normal",
         false},
    [WORDS_TYPES_OF_TENSORS] = {"torch.Tensor torch.FloatTensor torch.LongTensor torch.DoubleTensor", false},
    [WORDS_WRAP] = {"torch.from_numpy torch.as_tensor torch.tensor torch.Tensor torch.FloatTensor torch.LongTensor",
                    false},
    [WORDS_WRAP_DATA] =
        {"torch.from_numpy torch.as_tensor torch.tensor torch.Tensor torch.FloatTensor torch.LongTensor "
         "torch.DoubleTensor torch.IntTensor",
         false},
    [WORDS_GIVE_PARTS] = {"split chunk unbind select pop get items values view reshape flatten squeeze unsqueeze "
                          "detach clone contiguous float long int bool half",
                          false},
    [WORDS_CASTS] = {"astype flatten reshape ravel copy", false},
    [WORDS_VIEWS_OF_TENSOR] = {"view reshape flatten squeeze unsqueeze detach narrow", false},
    [WORDS_VIEWS_OF_DICT] = {"values items keys", false},
    [WORDS_MAKE_OF_LIST] = {"tensor LongTensor FloatTensor", false},
    [WORDS_MAKE_OF_CONSTANTS] = {"tensor as_tensor new_tensor", false},
    [WORDS_COMPARE_ELEMENTS] = {"max min sorted any all", false},
    [WORDS_SIZED_BY_DATA] = {"nonzero unique unique_consecutive masked_select bincount argwhere", false},
    [WORDS_TAKE_SIZES] = {"range torch.zeros torch.ones torch.empty torch.full torch.eye torch.rand torch.randn "
                          "torch.arange",
                          false},
    [WORDS_WAIT] = {"torch.cuda.synchronize torch.cuda.empty_cache torch.cuda.Event.synchronize "
                    "torch.cuda.Stream.synchronize torch.accelerator.synchronize torch.xpu.synchronize "
                    "torch.cuda.current_stream.synchronize torch.cuda.default_stream.synchronize "
                    "torch.Stream.synchronize torch.Event.synchronize torch.distributed.barrier",
                    false},
    [WORDS_WRAP_INDEX] = {"torch.LongTensor torch.from_numpy torch.as_tensor torch.tensor", false},
    [WORDS_HOST_FUNCTIONS] =
        {"print len str int float bool round min max abs format range isinstance getattr enumerate "
         "zip list dict tuple set sum sorted time perf_counter sleep exp log sqrt",
         false},
    [WORDS_HOST_METHODS] = {"append extend update add add_scalar add_scalars write log info debug warning set_postfix "
                            "set_postfix_str set_description format join items keys values get record push time "
                            "perf_counter setdefault strftime log_metrics log_metric get_last_lr",
                            false},
    [WORDS_PYTHON_MODULE] =
        {"abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect "
         "builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys "
         "compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses "
         "dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno "
         "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext "
         "glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io "
         "ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal math "
         "mimetypes mmap modulefinder multiprocessing netrc nis nntplib numbers operator optparse os pathlib "
         "pdb pickle pickletools pipes pkgutil platform plistlib poplib posix pprint profile pstats pty pwd "
         "py_compile pyclbr pydoc pyexpat queue quopri random re readline reprlib resource rlcompleter runpy "
         "sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket "
         "socketserver sqlite3 ssl stat statistics string stringprep struct subprocess sunau symtable sys "
         "sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit tkinter "
         "token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest "
         "urllib uu uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport "
         "zlib zoneinfo",
         false},
    [WORDS_NO_FRAME] = {"float int bool Tensor LongTensor FloatTensor range", false},
    [WORDS_ASKED_OF_OBJECT] = {"__format__ __repr__ __str__ __contains__ __iter__ __len__ __bool__ __float__ __int__ "
                               "__index__ __array__ __getitem__ __setitem__",
                               false},
    [WORDS_SET_MODE] = {"eval train", false},
};

/* A word, or a head and a tail with anything between; or anything around a part. */
struct pattern {
    str head, tail, part;
    bool stars;
};

enum { MOST_PATTERNS = 1024 };

/* The patterns of a list: first the plain words, of which the lengths and first letters are known, as bits modulo 64. */
struct read_list {
    size_t first, first_starred, end;
    uint64_t lengths, letters;
};

static struct pattern patterns[MOST_PATTERNS];
static size_t pattern_count;
static struct read_list read_list[WORDS_KINDS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct pattern pattern_of(str word)
{
    struct pattern pattern = {.head = word};
    str rest = word;
    if (!str_has(word, S("*")))
        return pattern;
    pattern.stars = true;
    str_cut(&rest, '*', &pattern.head);
    if (str_has(rest, S("*")))
        str_cut(&rest, '*', &pattern.part);
    pattern.tail = rest;
    return pattern;
}

static uint64_t bit_of(size_t number)
{
    return UINT64_C(1) << number % 64;
}

static void read_patterns(struct read_list *list, const char *words, bool stars)
{
    str rest = str_of(words), word;
    while (str_cut(&rest, ' ', &word)) {
        if (str_has(word, S("*")) != stars)
            continue;
        assert(pattern_count < MOST_PATTERNS);
        patterns[pattern_count++] = pattern_of(word);
        list->lengths |= stars ? 0 : bit_of(word.len);
        list->letters |= stars ? 0 : bit_of((unsigned char)word.at[0]);
    }
}

static void read_lists(void)
{
    for (size_t i = 0; i < WORDS_KINDS; i++) {
        struct read_list *list = &read_list[i];
        list->first = pattern_count;
        read_patterns(list, lists[i].words, false);
        list->first_starred = pattern_count;
        read_patterns(list, lists[i].words, true);
        list->end = pattern_count;
    }
}

static bool fits(const struct pattern *pattern, str word, bool any_case)
{
    if (!pattern->stars)
        return str_eq(word, pattern->head);
    if (pattern->part.len)
        return word.len < pattern->part.len ? false
               : any_case                   ? str_has_nocase(word, pattern->part)
                                            : str_has(word, pattern->part);
    return word.len >= pattern->head.len + pattern->tail.len && str_starts(word, pattern->head) &&
           str_ends(word, pattern->tail);
}

bool known_word(enum words words, str word)
{
    pthread_once(&once, read_lists);
    const struct read_list *list = &read_list[words];
    const bool may_be_plain =
        word.len && list->lengths & bit_of(word.len) && list->letters & bit_of((unsigned char)word.at[0]);
    for (size_t i = may_be_plain ? list->first : list->first_starred; i < list->end; i++)
        if (fits(&patterns[i], word, lists[words].any_case))
            return true;
    return false;
}
