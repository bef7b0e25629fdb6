import { goQuote } from "../base/text/go-quote.js";
import { PathError } from "../base/files/path-error.js";
import type { ManifestDocument } from "../machinery/text/yaml/documents.js";
import { sortedJson } from "./encode-json.js";
import type { InfoMaker } from "./info-maker.js";
import { stopAtFailure, type Visitor } from "./visitor.js";

/** Validates a document before it is sent. Throws an error, to which the caller adds advice. */
export type ValidateDocument = (json: string) => Promise<void>;

/** Yields the documents of one stream; each is visited before the next is read, so that a broken one does not hide those before it. */
export function documents(
  source: string,
  read: () => Promise<Uint8Array>,
  maker: InfoMaker,
  validate?: ValidateDocument,
): Visitor {
  return {
    async visit(fn, failed = stopAtFailure) {
      const bytes = await read().catch((error: unknown) => {
        // A file that opens and cannot be read is, to kubectl, one that cannot be parsed.
        if (error instanceof PathError && error.op === "read") throw parsing(source, error);
        throw error;
      });
      // Loaded here, because most commands read no manifest.
      const { decodeManifest, readDocuments } = await import("../machinery/text/yaml/documents.js");
      for (const document of named(() => readDocuments(decodeManifest(bytes)), source)) {
        if (validate !== undefined) await validated(validate, document.raw ?? sortedJson(document.value), source);
        const info = await maker.fromDocument(document.value, source, document.raw).catch(failed);
        if (info !== undefined) await fn(info);
      }
    },
  };
}

/** Says in each error which source could not be read. */
function* named(open: () => Iterable<ManifestDocument>, source: string): Generator<ManifestDocument, void> {
  let read = 0;
  try {
    for (const document of open()) {
      yield document;
      read++;
    }
  } catch (error) {
    throw Object.assign(parsing(source, error), { advice: whereToLook(error, source, read) });
  }
}

/** A line for a person: where in the source the fault is, and in which document. "" when the error has no place. */
function whereToLook(error: unknown, source: string, read: number): string {
  const { line, column } = error as { readonly line?: number; readonly column?: number };
  if (line === undefined) return "";
  const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
  const before = read === 0 ? "" : ` (${read} ${read === 1 ? "document" : "documents"} before it could be read)`;
  return `Look at ${place} of ${source}${before}, correct it and run the command again.`;
}

const parsing = (source: string, error: unknown): Error =>
  new Error(`error parsing ${source}: ${(error as Error).message}`, { cause: error });

async function validated(validate: ValidateDocument, json: string, source: string): Promise<void> {
  await validate(json).catch((error: unknown) => {
    const text = `error validating ${goQuote(source)}: error validating data: ${(error as Error).message}; if you choose to ignore these errors, turn validation off with --validate=false`;
    throw new Error(text, { cause: error });
  });
}

/** Reads a whole stream, such as standard input. */
export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
