/* SPDX-License-Identifier: Apache-2.0 */
#include "sniff.h"

#include "text/json_scan.h"

/* ---- by the first bytes ---- */

static const char a_protobuf[] =
    "a protobuf file (Chakra .et? record with 'steptime record --et'; or an XLA xplane? the .trace.json.gz "
    "beside it can be read, as events of the host)";

struct magic {
    str bytes;
    const char *kind;
};

static const char a_pickle[] =
    "a Python pickle; 'steptime memory FILE' reads snapshots of PyTorch's allocator, which have to be files";

static const struct magic magics[] = {
    {S("\x93steptime sketch\n"),
     "a sketch of one ('steptime summary --save'), of which 'summary', 'critical-path' and 'ranks' answer"},
    {S("SQLite format 3"),
     "an SQLite database (an export of Nsight Systems? record the program by 'steptime record --cuda -- COMMAND')"},
    {S("PK\x03\x04"), "a zip archive"},
    {S("\x1f\x8b"), "gzip data inside gzip data"},
    {S("\x28\xb5\x2f\xfd"), "packed zstd data inside packed data"},
    {S("\3757zXZ"), "xz data"},
    {S("BZh"), "bzip2 data"},
    {S("\x04\x22\x4d\x18"), "lz4 data"},
    {S("\177ELF"), "a program"},
    {S("\x89PNG"), "a picture"},
    {S("\x80\x02"), a_pickle},
    {S("\x80\x03"), a_pickle},
    {S("\x80\x04"), a_pickle},
    {S("\x80\x05"), a_pickle},
    {S("%PDF"), "a PDF document"},
    {S("\x89HDF"), "an HDF5 file"},
    {S("PAR1"), "a Parquet file"},
};

static const char *by_magic(str head)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (str_starts(head, magics[i].bytes))
            return magics[i].kind;
    return str_starts(str_from(head, 257), S("ustar")) ? "a tar archive" : NULL;
}

/* ---- by the keys of the document ---- */

static str trimmed(str head)
{
    if (str_starts(head, S("\xEF\xBB\xBF")))
        head = str_from(head, 3);
    while (head.len && head.at[0] && strchr(" \t\r\n", head.at[0]))
        head = str_from(head, 1);
    return head;
}

/* A key of the outermost object, as far as the head shows it. */
static bool has_key(str head, str key)
{
    int depth = 0;
    for (size_t i = 0; i < head.len; i++) {
        const char c = head.at[i];
        if (c == '"') {
            const size_t start = ++i;
            while (i < head.len && head.at[i] != '"')
                i += 1 + (head.at[i] == '\\');
            if (i < head.len && depth == 1 && str_eq((str){head.at + start, i - start}, key) &&
                str_starts(trimmed(str_from(head, i + 1)), S(":")))
                return true;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return false;
}

/* Most begin with the schema; one that was written again may have its keys in any order. */
static bool is_execution(str head)
{
    return (has_key(head, S("schema")) && (has_key(head, S("nodes")) || has_key(head, S("start_ts")))) ||
           (has_key(head, S("nodes")) && str_has(head, S("\"op_schema\"")));
}

static const char *object_kind(str head)
{
    if (has_key(head, S("traceEvents")))
        return NULL;
    if (has_key(head, S("rocprofiler-sdk-tool")))
        return "JSON of rocprofv3; record the script with PyTorch's profiler, as 'steptime record' does";
    if (has_key(head, S("workload_graph")))
        return "a Chakra graph in JSON";
    if (is_execution(head))
        return "an execution trace of PyTorch (nodes without times)";
    return NULL;
}

static const char *list_kind(str head)
{
    const str inner = trimmed(str_from(head, 1));
    return str_starts(inner, S("[")) ? "a list of lists (a memory timeline of PyTorch?)" : NULL;
}

/* ---- the rest ---- */

/* Behind a varint; NULL where it is none, or too long. */
static const char *varint(const char *at, const char *end, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; at < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*at & 0x7F) << shift;
        if (!(*at++ & 0x80))
            return at;
    }
    return NULL;
}

/* Behind a field of a protobuf message, or at the end where the field is longer; NULL where it is none. */
static const char *protobuf_field(const char *at, const char *end)
{
    enum { VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 5, MOST_FIELDS = 512 };
    uint64_t tag, length = 0;
    at = varint(at, end, &tag);
    if (!at || tag >> 3 == 0 || tag >> 3 > MOST_FIELDS)
        return NULL;
    switch (tag & 7) {
    case VARINT:
        return varint(at, end, &length);
    case EIGHT_BYTES:
        length = 8;
        break;
    case FOUR_BYTES:
        length = 4;
        break;
    case LENGTH:
        at = varint(at, end, &length);
        break;
    default:
        return NULL;
    }
    return at && length < (uint64_t)(end - at) ? at + length : at ? end : NULL;
}

static bool is_protobuf(const char *at, const char *end)
{
    for (int fields = 0; fields < 4 && at && at < end; fields++)
        at = protobuf_field(at, end);
    return at;
}

/* A message, as XSpace is one, or messages with their length before them, as in Chakra's .et. */
static bool looks_like_protobuf(str head)
{
    const char *const end = head.at + head.len;
    uint64_t length;
    const char *const first = varint(head.at, end, &length);
    return is_protobuf(head.at, end) ||
           (first && length < (uint64_t)(end - first) && is_protobuf(first, first + length));
}

static bool looks_like_text(str head)
{
    for (size_t i = 0; i < head.len; i++)
        if ((unsigned char)head.at[i] < 9)
            return false;
    return true;
}

/* What a file system leaves where a file was given its length and its bytes never came. */
static bool is_blank(str head)
{
    size_t len = 0;
    while (len < head.len && !head.at[len])
        len++;
    return len && len == head.len;
}

bool sniff_kineto(str head)
{
    const str start = trimmed(head);
    if (str_starts(start, S("{")))
        return !object_kind(start);
    return str_starts(start, S("[")) && !list_kind(start);
}

bool sniff_execution(str head)
{
    const str start = trimmed(head);
    return str_starts(start, S("{")) && !has_key(start, S("traceEvents")) && !has_key(start, S("workload_graph")) &&
           is_execution(start);
}

const char *sniff_other(str head)
{
    const str start = trimmed(head);
    if (!start.len)
        return "an empty file";
    if (is_blank(head))
        return "a file of NUL bytes, as far as it was looked at";
    const char *kind = by_magic(head);
    if (kind)
        return kind;
    if (start.at[0] == '{')
        return object_kind(start);
    if (start.at[0] == '[')
        return list_kind(start);
    if (str_starts_nocase(start, S("<!doctype")) || str_starts_nocase(start, S("<html")))
        return "a web page";
    if (looks_like_text(head))
        return "text, not JSON";
    return looks_like_protobuf(head) ? a_protobuf : NULL;
}
