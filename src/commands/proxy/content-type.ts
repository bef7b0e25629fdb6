import { dictionary } from "../../base/collections/dictionary.js";

/** The number of bytes of a file that the detection of its type reads. */
export const SNIFFED_BYTES = 512;

/** Those that Go knows by itself. */
const BY_ENDING: Readonly<Record<string, string>> = dictionary({
  ".avif": "image/avif",
  ".css": "text/css; charset=utf-8",
  ".gif": "image/gif",
  ".htm": "text/html; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
  ".xml": "text/xml; charset=utf-8",
});

/** The beginnings that tell, of what is served from folders mostly. */
const BY_BEGINNING: readonly (readonly [beginning: string, type: string])[] = [
  ["<?xml", "text/xml; charset=utf-8"],
  ["%PDF-", "application/pdf"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["\x1f\x8b\b", "application/x-gzip"],
  ["PK\x03\x04", "application/zip"],
  ["\0asm", "application/wasm"],
];

const HTML = /^\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[\s>]/i;

/** Detects a content type by the file name's extension, else by the first bytes of the file. */
export function contentTypeOf(ending: string, beginning: () => Buffer): string {
  const known = BY_ENDING[ending] ?? BY_ENDING[ending.toLowerCase()];
  if (known !== undefined) return known;
  const bytes = beginning();
  const text = bytes.toString("latin1");
  if (HTML.test(text)) return "text/html; charset=utf-8";
  const found = BY_BEGINNING.find(([mark]) => text.startsWith(mark))?.[1];
  return found ?? (bytes.some(isBinary) ? "application/octet-stream" : "text/plain; charset=utf-8");
}

/** Control characters that no text has; line breaks, tabs, form feeds and escapes may be in one. */
const isBinary = (byte: number): boolean => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);
