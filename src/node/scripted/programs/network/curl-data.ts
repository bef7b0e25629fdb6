import { FileError } from "../../files/file-error.js";
import { absolute } from "../../files/file-system.js";
import type { ProgramIo } from "../../program.js";
import { CurlFailure } from "./curl-failure.js";
import type { CurlOptions } from "./curl-options.js";

/** Of a file or the input whose bytes are sent. */
const MOST_BYTES = 16 * 1024 * 1024;
const READ_ERROR = 26;

/** What a command line sends: all its data, joined as curl joins them. */
export interface CurlData {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The answer that is asked for; only with --json. */
  readonly accept?: string;
}

/** Undefined where nothing is sent. */
export async function curlData(io: ProgramIo, { given }: CurlOptions): Promise<CurlData | undefined> {
  const parts: Buffer[] = [];
  let isJson = false;
  for (const [name, value] of given) {
    if (name !== "json" && !name.startsWith("data")) continue;
    isJson = name === "json";
    // The texts of --json follow each other as they are.
    if (parts.length > 0 && !isJson) parts.push(Buffer.from("&"));
    parts.push(await piece(io, name, value));
  }
  if (parts.length === 0) return undefined;
  const bytes = Buffer.concat(parts);
  const contentType = isJson ? "application/json" : "application/x-www-form-urlencoded";
  return { bytes, contentType, ...(isJson && { accept: "application/json" }) };
}

async function piece(io: ProgramIo, name: string, value: string): Promise<Buffer> {
  if (name === "data-raw") return Buffer.from(value);
  if (name === "data-urlencode") return urlencoded(io, value);
  if (!value.startsWith("@")) return Buffer.from(value);
  const bytes = await contentBytes(io, value.slice(1));
  return name === "data" ? (bytes.filter((byte) => byte !== 10 && byte !== 13 && byte !== 0) as Buffer) : bytes;
}

/** "content", "=content", "name=content", "@file" and "name@file". */
async function urlencoded(io: ProgramIo, value: string): Promise<Buffer> {
  const [, name = "", sign = "", rest = ""] = /^([^=@]*)([=@])([\s\S]*)$/.exec(value) ?? [];
  const content = sign === "" ? value : sign === "=" ? rest : (await contentBytes(io, rest)).toString("utf8");
  const encoded = encodeURIComponent(content).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return Buffer.from(name === "" ? encoded : `${name}=${encoded}`);
}

/** The bytes of a file of the container, or of the input ("-"). Throws a {@link CurlFailure}. */
export async function contentBytes(io: ProgramIo, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of path === "-" ? io.stdin : io.files.read(absolute(io.cwd, path))) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new CurlFailure(READ_ERROR, `Failed to open ${path}: File too large`);
      io.memory.take(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof FileError) throw new CurlFailure(READ_ERROR, `Failed to open ${path}`);
    throw error;
  }
  return Buffer.concat(chunks);
}
