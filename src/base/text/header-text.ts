/*
 * HTTP's headers hold bytes. Node shows each byte as a character (Latin-1), and writes such characters. Go means UTF-8 by the bytes.
 */

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Encodes a text as the value of a header for Node: a character for each byte of its UTF-8. */
export const headerValue = (text: string): string =>
  BEYOND_ASCII.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;

/** Decodes the value of a header from Node, which has a character for each byte. Bytes that are not UTF-8 become U+FFFD. */
export const headerText = (value: string): string =>
  BEYOND_ASCII.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
