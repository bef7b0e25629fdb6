import { JsonDecodeError, type JsonRead, readExactJson } from "../../wire/json/exact-json.js";
import { maxJsonDepth } from "../../wire/json/json-decoder.js";
import type { JsonValue } from "../../meta/json.js";
import { parseYaml } from "./read.js";
import { YamlError } from "./yaml-error.js";

/** One object of a manifest. */
export interface ManifestDocument {
  /** Never null: empty documents are skipped. */
  readonly value: JsonValue;
  /** The one-based line of the stream on which the document's text begins. */
  readonly line: number;
  /** The text as it stood, when it was JSON. */
  readonly raw?: string;
}

/** Decodes the bytes of a file: UTF-8, or UTF-16 if a byte order mark says so; the mark is removed. Invalid bytes become U+FFFD. */
export function decodeManifest(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

/**
 * The objects of a stream of YAML documents or of JSON values one after another, in order, each as soon as it is read:
 * a document that cannot be read throws a {@link YamlError} only when its turn comes, and ends the stream. A stream that begins
 * as JSON may turn into YAML after its first value, as kubectl allows.
 */
export function* readDocuments(text: string): Generator<ManifestDocument, void> {
  if (!/^\s*\{/.test(text.slice(0, 4096))) {
    yield* readYamlDocuments(text, 1);
    return;
  }
  let consumed = 0;
  for (let count = 0; ; count += 1) {
    let read: JsonRead | undefined;
    try {
      read = readExactJson(text, consumed, { maxDepth: maxJsonDepth, endOfInput: "unexpected EOF" });
    } catch (error) {
      if (!(error instanceof JsonDecodeError)) throw error;
      if (count > 1) throw new YamlError(error.message, place(text, error));
      yield* continueAsYaml(text, consumed, error);
      return;
    }
    if (read === undefined) return;
    const start = text.slice(consumed).search(/\S/) + consumed;
    consumed = read.end;
    if (read.value !== null) yield { value: read.value, line: lineAt(text, start), raw: text.slice(start, read.end) };
  }
}

function* continueAsYaml(text: string, consumed: number, error: JsonDecodeError): Generator<ManifestDocument, void> {
  const offset = error.endedEarly ? "" : `json: offset ${byteLength(text.slice(0, error.index)) + 1}: `;
  const asJson = new YamlError(offset + error.message, place(text, error));
  const start = skipToContent(text, consumed);
  if (start === undefined) throw asJson;
  yield* readYamlDocuments(text.slice(start), lineAt(text, start), asJson);
}

/** White space up to and including the first line break; undefined when fewer than four bytes are left anywhere on the way. */
function skipToContent(text: string, from: number): number | undefined {
  for (let at = from; ; at += 1) {
    if (byteLength(text.slice(at, at + 4)) < 4) return undefined;
    const character = text.charAt(at);
    if (!/\s/.test(character)) return at;
    if (character === "\n") return at + 1;
  }
}

/** `firstError` stands in for what is wrong with the first document: kubectl shows why it was not JSON. */
function* readYamlDocuments(
  text: string,
  firstLine: number,
  firstError?: YamlError,
): Generator<ManifestDocument, void> {
  let error = firstError;
  for (const chunk of splitYaml(text)) {
    let value: JsonValue;
    try {
      if (chunk.error !== undefined) throw new YamlError(chunk.error, { line: chunk.line });
      value = parseYaml(chunk.text);
    } catch (caught) {
      if (!(caught instanceof YamlError)) throw caught;
      if (error !== undefined) throw error;
      throw caught.line === undefined
        ? new YamlError(caught.message, { line: firstLine + chunk.line - 1 })
        : shifted(caught, chunk.error === undefined ? firstLine + chunk.line - 2 : firstLine - 1);
    }
    error = undefined;
    if (value !== null) yield { value, line: firstLine + chunk.line - 1 };
  }
}

function shifted(error: YamlError, lines: number): YamlError {
  const place = { line: (error.line ?? 1) + lines };
  return new YamlError(error.message, error.column === undefined ? place : { ...place, column: error.column });
}

interface Chunk {
  readonly text: string;
  /** One-based, in the text that was split. */
  readonly line: number;
  readonly error?: string;
}

/**
 * Splits at lines that begin with `---`. Only white space and a comment may follow the mark. The mark of the first
 * document stays in its text, so that line numbers agree with kubectl's; CRLF becomes LF.
 */
export function* splitYaml(text: string): Generator<Chunk, void> {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let held: string[] = [];
  let start = 1;
  for (const [index, raw] of lines.entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line.startsWith("---")) {
      const rest = line.slice(3).trim();
      if (rest !== "" && !rest.startsWith("#")) {
        yield { text: "", line: index + 1, error: `invalid Yaml document separator: ${rest}` };
        return;
      }
      if (held.length > 0) {
        yield { text: `${held.join("\n")}\n`, line: start };
        held = [];
        start = index + 2;
        continue;
      }
      start = index + 1;
    }
    held.push(line);
  }
  if (held.length > 0) yield { text: `${held.join("\n")}\n`, line: start };
}

function place(text: string, error: JsonDecodeError): { readonly line: number; readonly column?: number } {
  const { index } = error;
  return { line: lineAt(text, index), column: index - text.lastIndexOf("\n", index - 1) };
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
