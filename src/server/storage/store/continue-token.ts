import { errorMessage } from "../../../base/text/error-message.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";

/** The start of the next page of a list. */
export interface ContinuePoint {
  /** The first key that the page may contain. */
  readonly key: string;
  /** The revision of the list; -1 for the current one, which gives up consistency between pages. */
  readonly revision: number;
}

const VERSION = "meta.k8s.io/v1";

/** Encodes a token as Kubernetes does: base64url of JSON, with the key relative to `prefix`, the prefix of the list. */
export function encodeContinue({ key, revision }: ContinuePoint, prefix: string): string {
  const start = key.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString("base64url");
}

/** Decodes the token of a list of this prefix. Throws BadRequest for an invalid token, and for one that leads out of the prefix. */
export function decodeContinue(token: string, prefix: string): ContinuePoint {
  const { v, rv, start } = parse(token);
  if (v !== VERSION) throw refuse(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refuse(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start === "") throw refuse(": encoded start key empty (version meta.k8s.io/v1)");
  const rooted = start.startsWith("/") ? start : `/${start}`;
  // A key outside the prefix would list objects that the request was not authorized for.
  if (clean(rooted) !== rooted) throw refuse(`: ${start}`);
  return { key: prefix + rooted.slice(1), revision: rv };
}

function parse(token: string): { v: string; rv: number; start: string } {
  const illegal = /[^A-Za-z0-9_-]/.exec(token);
  if (illegal !== null) throw refuse(`: illegal base64 data at input byte ${illegal.index}`);
  if (token.length % 4 === 1) throw refuse(`: illegal base64 data at input byte ${token.length - 1}`);
  let value: unknown;
  try {
    value = decodeJson(Buffer.from(token, "base64url")).value;
  } catch (error) {
    throw refuse(`: ${errorMessage(error)}`);
  }
  const { v, rv, start } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return {
    v: typeof v === "string" ? v : "",
    rv: typeof rv === "number" && Number.isSafeInteger(rv) ? rv : 0,
    start: typeof start === "string" ? start : "",
  };
}

function refuse(detail: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${detail}`);
}

/** Go's path.Clean for a rooted path. */
function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}
