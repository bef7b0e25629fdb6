import type { FieldsOf } from "../../machinery/meta/received.js";
import { createHash } from "node:crypto";
import { errorMessage } from "../../base/text/error-message.js";
import { readCsv } from "../../machinery/text/go/go-csv.js";
import type { User, TokenLookup } from "../request/user.js";

export interface TokenFile {
  readonly users: ReadonlyMap<string, User>;
  /** What an operator should know: empty and repeated tokens. They name the record, never the token. */
  readonly warnings: readonly string[];
}

/**
 * Parses a file of static tokens: CSV of token, user, uid and, in one column, groups separated by commas. The last record of a
 * repeated token wins. Throws an Error that names the file and the line.
 */
export function readTokenFile(path: string, text: string): TokenFile {
  const users = new Map<string, User>();
  const warnings: string[] = [];
  for (const [index, { line, fields }] of recordsOf(path, text).entries()) {
    const [token = "", name = "", uid = "", groups] = fields;
    if (fields.length < 3) {
      const found = `must have at least 3 columns (token, user name, user uid), found ${fields.length}`;
      throw new Error(`token file '${path}' ${found} (line ${line})`);
    }
    const where = `in token file '${path}', record number '${index + 1}'`;
    if (token === "") {
      warnings.push(`empty token has been found ${where}`);
      continue;
    }
    if (users.has(token)) warnings.push(`duplicate token has been found ${where}`);
    users.set(token, {
      name,
      ...(uid !== "" && ({ uid } satisfies FieldsOf<User>)),
      groups: groups === undefined ? [] : groups.split(","),
    });
  }
  return { users, warnings };
}

function recordsOf(path: string, text: string): ReturnType<typeof readCsv> {
  try {
    return readCsv(text);
  } catch (error) {
    throw new Error(`token file '${path}': ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Looks tokens up in a fixed list, by their digests, so that the time of a lookup reveals nothing about a token. */
export function staticTokens(users: ReadonlyMap<string, User>): TokenLookup {
  const known = new Map([...users].map(([token, user]) => [digest(token), user]));
  return (token) => Promise.resolve(known.get(digest(token)));
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");
