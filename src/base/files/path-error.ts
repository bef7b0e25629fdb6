import { dictionary } from "../collections/dictionary.js";
import { errorMessage } from "../text/error-message.js";

/** What Go's syscall package says of an errno, by Node's code for it. Codes it does not list read as Node's message. */
const errnoTexts: Readonly<Record<string, string>> = dictionary({
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EEXIST: "file exists",
  EFBIG: "file too large",
  EDQUOT: "disk quota exceeded",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EMFILE: "too many open files",
  ENFILE: "too many open files in system",
  ENOSPC: "no space left on device",
  EROFS: "read-only file system",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  EBUSY: "device or resource busy",
  EXDEV: "invalid cross-device link",
  EPIPE: "broken pipe",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by peer",
  ECONNABORTED: "software caused connection abort",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "cannot assign requested address",
});

/** Returns the `code` of a Node system error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns Go's text for a Node system error: "no such file or directory". */
export function errnoText(error: unknown): string {
  const code = errorCode(error);
  const known = code === undefined ? undefined : errnoTexts[code];
  return known ?? errorMessage(error);
}

/**
 * A failed file operation in the form Go prints it: "open /x: no such file or directory". Keeps Node's `code`. Node opens, reads
 * and writes in one call: with `op` "open", Node's own word says which of them failed (a folder can be opened, but not read).
 */
export class PathError extends Error {
  override readonly name = "PathError";
  readonly code: string | undefined;
  constructor(
    readonly op: string,
    readonly path: string,
    cause: unknown,
  ) {
    super(`${op === "open" ? failedCall(cause) : op} ${path}: ${errnoText(cause)}`, { cause });
    this.code = errorCode(cause);
  }
}

function failedCall(cause: unknown): string {
  const call = typeof cause === "object" && cause !== null && "syscall" in cause ? cause.syscall : undefined;
  return call === "read" || call === "write" ? call : "open";
}
