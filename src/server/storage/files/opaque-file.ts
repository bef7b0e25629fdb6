import { createHash } from "node:crypto";
import { OWN_FOLDER } from "./durable-files.js";

/** The folder, below the root, of values that are not objects and are stored as bytes. */
export const VALUES = `${OWN_FOLDER}/values`;

/** A value that no file of an object can show. */
export interface OpaqueValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** Keys are of any length and of any characters, so that their hashes are the names. */
export const opaquePath = (key: string): string => `${VALUES}/${createHash("sha256").update(key).digest("hex")}`;

/** Encodes a value that is not an object: a line of JSON with its key, then the bytes of the value. */
export function writeOpaqueFile({ key, value, expiresAt }: OpaqueValue): Uint8Array {
  const header = JSON.stringify({ key, ...(expiresAt !== undefined && { expiresAt }) });
  return Buffer.concat([Buffer.from(`${header}\n`), value]);
}

/** Returns undefined for bytes that {@link writeOpaqueFile} has not written. */
export function readOpaqueFile(bytes: Uint8Array): OpaqueValue | undefined {
  const end = bytes.indexOf(0x0a);
  if (end < 0) return undefined;
  try {
    const { key, expiresAt } = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as Record<string, unknown>;
    if (typeof key !== "string") return undefined;
    return {
      key,
      value: bytes.subarray(end + 1),
      expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
    };
  } catch {
    return undefined;
  }
}
