/*
 * HTTP's headers hold bytes. Node shows each byte as a character (Latin-1), and writes such characters. Go means UTF-8 by the bytes.
 */

const BEYOND_ASCII = /[^\0-\x7f]/;

/** The value of a header, as Node takes it, that holds a text. */
export const headerValue = (text: string): string =>
  BEYOND_ASCII.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;

/** The text that a header's value holds, as Node shows it. Bytes that are no UTF-8 become U+FFFD. */
export const headerText = (value: string): string =>
  BEYOND_ASCII.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
