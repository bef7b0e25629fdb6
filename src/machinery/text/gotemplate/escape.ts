import { byteFor, bytesOf } from "../../../base/text/byte-text.js";

const htmlEscapes: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "\0": "\ufffd",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

/** Makes text safe inside HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Makes text safe inside a JavaScript string. */
export function escapeJs(text: string): string {
  return Array.from(text, escapeJsCharacter).join("");
}

function escapeJsCharacter(character: string): string {
  if (/[\\'"]/.test(character)) return `\\${character}`;
  if (byteFor(character) !== undefined) return character;
  const code = character.codePointAt(0) ?? 0;
  const shown = code === 0x7f || (!/[<>&=]/.test(character) && PRINTABLE.test(character));
  return shown ? character : `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Makes text one word of a URL's query. */
export function escapeQuery(text: string): string {
  return Array.from(bytesOf(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9\-_.~]/.test(character)) return character;
    return character === " " ? "+" : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
