/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_title.h"

#include <ctype.h>

static bool in_word(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* ---- mangled names ---- */

/* One "<length><identifier>" of a nested name; false where the text goes on differently. */
static bool take_part(str *rest, str *part)
{
    size_t digits = 0, len = 0;
    while (digits < rest->len && digits < 4 && isdigit((unsigned char)rest->at[digits]))
        len = len * 10 + (size_t)(rest->at[digits++] - '0');
    if (!digits || !len || digits + len > rest->len)
        return false;
    *part = (str){rest->at + digits, len};
    *rest = str_from(*rest, digits + len);
    return true;
}

static bool take(str *rest, str mark)
{
    if (!str_starts(*rest, mark))
        return false;
    *rest = str_from(*rest, mark.len);
    return true;
}

/* The parts of a name with "::" between them, and the last one; anonymous namespaces are left out. */
static str take_name(str *rest, str *last, struct arena *arena)
{
    str part, text = S("");
    while (take_part(rest, &part)) {
        if (str_starts(part, S("_GLOBAL__N_")))
            continue;
        text = str_printf(arena, "%.*s%s%.*s", (int)text.len, text.at, text.len ? "::" : "", (int)part.len, part.at);
        *last = part;
    }
    return text;
}

/* The class that stands first among template arguments, after numbers: "ILi1ENS_12Rmsnorm2dFwdI..." has Rmsnorm2dFwd. */
static str first_class(str rest, struct arena *arena)
{
    str class = S(""), number;
    if (!take(&rest, S("I")))
        return class;
    while (take(&rest, S("L")) && str_cut(&rest, 'E', &number))
        continue;
    if (take(&rest, S("N")))
        take(&rest, S("S_"));
    take_name(&rest, &class, arena);
    return class;
}

/*
 * "_ZN5aiter24add_rmsnorm_quant_kernelI..." is aiter::add_rmsnorm_quant_kernel. Template arguments are left out but for
 * ck_tile::kentry, the one function through which that library starts every kernel: there the first class tells.
 */
static str demangled(str name, struct arena *arena)
{
    str rest = str_from(name, 2), last = S("");
    take(&rest, S("L")); /* local to a file */
    if (take(&rest, S("N")))
        take(&rest, S("K"));
    const str text = take_name(&rest, &last, arena);
    const str class = str_eq(last, S("kentry")) ? first_class(rest, arena) : S("");
    if (!text.len)
        return name;
    return class.len ? str_printf(arena, "%.*s %.*s", (int)text.len, text.at, (int)class.len, class.at) : text;
}

/* ---- signatures ---- */

/* Without "void ", and without namespaces that every kernel of a library carries. */
static str without_prefixes(str name)
{
    static const char *const prefixes[] = {
        "void ", "at::native::", "(anonymous namespace)::", "at_cuda_detail::", "at::cuda::", "at::"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(name, str_of(prefixes[i]))) {
            name = str_from(name, strlen(prefixes[i]));
            i = (size_t)-1; /* look from the start again */
        }
    return name;
}

/* What stands before the template arguments and the parameters. */
static str head_of(str name)
{
    size_t len = 0;
    while (len < name.len && name.at[len] != '<' && name.at[len] != '(')
        len++;
    return (str){name.at, len};
}

/* Words that wrap what the kernel does without saying it. */
static bool wraps(str word)
{
    static const char *const words[] = {"BinaryFunctor",      "AUnaryFunctor",
                                        "BUnaryFunctor",      "UnaryFunctor",
                                        "gpu_kernel_impl",    "gpu_kernel_impl_nocast",
                                        "gpu_index_kernel",   "ReduceOps",
                                        "TensorListMetadata", "opmath_gpu_kernel_with_scalars"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

/* Words that say what an element of the work is. */
static bool tells(str word)
{
    static const char *const marks[] = {"Functor",      "functor",      "CUDAFunctor", "_kernel_cuda",
                                        "_cuda_kernel", "_kernel_impl", "Ops",         "launch_clamp",
                                        "cutlass_",     "_cuda_out",    "_kernel"};
    if (wraps(word))
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (str_has(word, str_of(marks[i])))
            return true;
    return false;
}

static str next_word(str *rest)
{
    while (rest->len && !in_word(rest->at[0]))
        *rest = str_from(*rest, 1);
    size_t len = 0;
    while (len < rest->len && in_word(rest->at[len]))
        len++;
    const str word = {rest->at, len};
    *rest = str_from(*rest, len);
    return word;
}

/* The first type of the template arguments that begin here: "<c10::BFloat16, ..." gives BFloat16. */
static str first_type(str rest)
{
    if (!str_starts(rest, S("<")))
        return S("");
    size_t len = 1;
    while (len < rest.len && (in_word(rest.at[len]) || rest.at[len] == ':'))
        len++;
    const str type = {rest.at + 1, len - 1};
    return str_starts(type, S("c10::")) ? str_from(type, 5) : type;
}

/* The first word among the template arguments that tells, with its first type. */
static str telling(str arguments, struct arena *arena)
{
    str word;
    while ((word = next_word(&arguments)).len) {
        if (!tells(word))
            continue;
        const str type = first_type(arguments);
        return type.len ? str_printf(arena, "%.*s<%.*s>", (int)word.len, word.at, (int)type.len, type.at) : word;
    }
    return S("");
}

/* cutlass::Kernel2<cutlass_80_tensorop_...>: the argument is the name. */
static bool says_nothing(str head)
{
    return str_ends(head, S("Kernel")) ? str_has(head, S("cutlass")) : str_ends(head, S("Kernel2"));
}

/* The many variants of one loop are one loop to a reader. */
static str plain_head(str head)
{
    if (str_has(head, S("elementwise_kernel")) && !str_starts(head, S("index_")))
        return S("elementwise");
    return str_eq(head, S("reduce_kernel")) ? S("reduce") : head;
}

/* Tensile writes its whole configuration into the name; what follows the tile sizes is for its authors. */
static str without_configuration(str name)
{
    const char *const tail = str_starts(name, S("Cijk_")) ? memmem(name.at, name.len, "_SN_", 4) : NULL;
    return tail ? (str){name.at, (size_t)(tail - name.at)} : name;
}

str kernel_title(str name, struct arena *arena)
{
    if (str_starts(name, S("_Z")))
        return demangled(name, arena);
    const str bare = without_configuration(without_prefixes(name));
    const str head = plain_head(head_of(bare)), what = telling(str_from(bare, head_of(bare).len), arena);
    if (!head.len)
        return name;
    if (!what.len)
        return head;
    return says_nothing(head) ? what : str_printf(arena, "%.*s %.*s", (int)head.len, head.at, (int)what.len, what.at);
}

str event_title(enum event_kind kind, str name, struct arena *arena)
{
    return kind == EVENT_KERNEL ? kernel_title(name, arena) : name;
}
