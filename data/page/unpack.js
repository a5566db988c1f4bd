// SPDX-License-Identifier: Apache-2.0
// What stands behind the first screen travels packed (src/report/html_packed.c): data, styles, markup and scripts, put to work in that order.
"use strict";
const Packed = {began: performance.now()};

// Text of src/text/base91.h: two characters hold 13 bits, the lowest first; one at the end holds 6.
Packed.bytesOf = (text) => {
  const value = new Uint8Array(128), letters = new TextEncoder().encode(text), whole = letters.length & ~1;
  for (let letter = 33, next = 0; letter < 127; letter++) if (!"<>&".includes(String.fromCharCode(letter))) value[letter] = next++;
  const bytes = new Uint8Array(Math.floor((whole / 2 * 13 + letters.length % 2 * 6) / 8));
  let bits = 0, count = 0, made = 0;
  for (let i = 0; i < letters.length; i += 2) {
    bits |= (i < whole ? value[letters[i]] * 91 + value[letters[i + 1]] : value[letters[i]]) << count;
    for (count += i < whole ? 13 : 6; count > 7; count -= 8) {
      bytes[made++] = bits;
      bits >>= 8;
    }
  }
  return bytes;
};

Packed.unpack = async (text) => {
  const stream = new Blob([Packed.bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

Packed.put = (kind, text, place) => {
  const made = document.createElement(kind === "body" ? "template" : kind);
  if (kind !== "body") {
    made.textContent = text;
    document.head.append(made);
    return;
  }
  made.innerHTML = text;
  place.replaceWith(made.content);
};

Packed.start = async () => {
  const told = document.getElementById("unpacking"), from = document.getElementById("packed");
  try {
    const bytes = await Packed.unpack(from.textContent), words = new TextDecoder();
    let at = bytes.indexOf(10) + 1;
    for (const [kind, length] of JSON.parse(words.decode(bytes.subarray(0, at)))) {
      const piece = bytes.subarray(at, at += length);
      if (kind === "data") Packed.data = piece;
      else Packed.put(kind, words.decode(piece), from);
    }
    told.remove();
    const wanted = location.hash && document.getElementById(location.hash.slice(1));
    if (wanted) wanted.scrollIntoView();
  } catch (error) {
    told.textContent = `${told.dataset.trouble}: ${error.message}`;
    throw error;
  }
};
Packed.start();
