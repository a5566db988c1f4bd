// SPDX-License-Identifier: Apache-2.0
// What travels packed in the page: bytes by gzip, as base64. Scripts and styles among them are put to work in their order.
"use strict";
const Packed = {};

Packed.bytesOf = (base64) => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
};

Packed.open = (text) => new Response(new Blob([Packed.bytesOf(text.trim())]).stream().pipeThrough(new DecompressionStream("gzip")));

Packed.start = async () => {
  try {
    for (const packed of document.querySelectorAll("script[data-packed]")) {
      const made = document.createElement(packed.dataset.packed);
      made.textContent = await Packed.open(packed.textContent).text();
      document.head.append(made);
    }
  } catch (error) {
    for (const told of document.querySelectorAll("[data-trouble]")) told.textContent = `${told.dataset.trouble}: ${error.message}`;
    throw error;
  }
};
Packed.start();
