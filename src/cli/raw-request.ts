import { resolve } from "node:path";
import { errorCode, PathError } from "../base/files/path-error.js";
import { readAll } from "../resource/document-source.js";
import type { Factory } from "./connect/factory.js";
import { parseRequestUri } from "./request-uri.js";

/** Handles --raw: sends a file unchanged ("-" is stdin, undefined no body) and prints the answer unchanged. */
export async function rawRequest(
  method: string,
  uri: string,
  filename: string | undefined,
  factory: Factory,
): Promise<void> {
  const body = filename === undefined ? new Uint8Array() : await readBody(filename, factory);
  const client = await factory.restClient();
  const answer = await client.stream({ method, ...parseRequestUri(uri), userPath: true, body, contentType: "" });
  for await (const chunk of answer.body) factory.streams.out.write(chunk);
}

async function readBody(filename: string, { streams, cwd, files }: Factory): Promise<Uint8Array> {
  if (filename === "-") return readAll(streams.in as AsyncIterable<Uint8Array>);
  return files.readFile(resolve(cwd, filename)).catch((error: unknown) => {
    throw new PathError(errorCode(error) === "EISDIR" ? "read" : "open", filename, error);
  });
}

export { requireRequestUri } from "./request-uri.js";
