/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

void frames_feed(struct frames *frames, str bytes)
{
    struct buf *buf = &frames->bytes;
    if (frames->from) {
        memmove(buf->at, buf->at + frames->from, buf->len - frames->from);
        buf->len -= frames->from;
        frames->from = 0;
    }
    const size_t skipped = frames->skip < bytes.len ? frames->skip : bytes.len;
    frames->skip -= skipped;
    buf_add(buf, str_from(bytes, skipped));
}

/* Bytes up to and with the empty line; 0 where it did not come yet. */
static size_t head_bytes(str text)
{
    const size_t most = text.len < FRAME_HEAD ? text.len : FRAME_HEAD;
    for (size_t i = 0; i + 1 < most; i++) {
        if (text.at[i] == '\n' && text.at[i + 1] == '\n')
            return i + 2;
        if (text.at[i] == '\n' && i + 2 < most && text.at[i + 1] == '\r' && text.at[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

static bool content_length(str head, int64_t *length)
{
    static const str name = {"content-length:", 15};
    bool found = false;
    for (str line; str_cut(&head, '\n', &line);)
        if (str_starts_nocase(line, name))
            found = str_int(str_trim(str_from(line, name.len)), length) && *length >= 0;
    return found;
}

/* Lets go of what is there and of what is still to come of a body. */
static void pass_over(struct frames *frames, size_t bytes)
{
    const size_t there = frames->bytes.len - frames->from, now = bytes < there ? bytes : there;
    frames->from += now;
    frames->skip = bytes - now;
}

enum frame frames_next(struct frames *frames, str *body)
{
    if (frames->from == frames->bytes.len) /* nothing there: the buffer may not have been made yet */
        return FRAME_NONE;
    const str left = {frames->bytes.at + frames->from, frames->bytes.len - frames->from};
    const size_t head = head_bytes(left);
    int64_t length = 0;
    if (!head && left.len < FRAME_HEAD)
        return FRAME_NONE;
    if (!head || !content_length((str){left.at, head}, &length)) {
        frames->from += head ? head : left.len;
        return FRAME_BROKEN;
    }
    if (length > FRAME_BYTES) {
        frames->from += head;
        pass_over(frames, (size_t)length);
        return FRAME_TOO_LARGE;
    }
    if (left.len - head < (size_t)length)
        return FRAME_NONE;
    *body = (str){left.at + head, (size_t)length};
    frames->from += head + (size_t)length;
    return FRAME_BODY;
}

void frames_free(struct frames *frames)
{
    buf_free(&frames->bytes);
}
