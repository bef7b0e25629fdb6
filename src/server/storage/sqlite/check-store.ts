import { isProtobufDocument, openEnvelope } from "../../../machinery/wire/protobuf/envelope.js";
import { statSync } from "node:fs";
import { join } from "node:path";
import { prefixEnd } from "../../../base/collections/key-order.js";
import type { SqliteDatabase } from "./database.js";
import { DATABASE, type HeldDirectory } from "./directory.js";
import { unpackValues, type CheckReport } from "./protocol.js";

/** "/registry/", the resource, which may include a group, and the object's namespace and name. */
const KEY = /^\/registry(\/[^/\0]+){2,4}$/;

/** The database is intact, but a value in it cannot be decoded. */
export class UnreadableObjectError extends Error {
  override readonly name = "UnreadableObjectError";
}

/**
 * Decodes every object of a verified store, then compacts the store and frees the space. Changes nothing when an object
 * cannot be decoded.
 */
export function checkStore(database: SqliteDatabase, held: HeldDirectory, lost: number | undefined): CheckReport {
  const bytesBefore = bytesOf(held);
  const objects = countObjects(database);
  database.compact(database.revision);
  database.fold();
  held.db.exec("VACUUM");
  database.fold();
  return { kind: "checked", objects, revision: database.revision, lost, bytesBefore, bytesAfter: bytesOf(held) };
}

function countObjects(database: SqliteDatabase): number {
  let objects = 0;
  for (let from = ""; ; ) {
    const page = database.page({ from, end: prefixEnd(""), revision: undefined, limit: Number.POSITIVE_INFINITY });
    if (page.kind !== "page") return objects;
    const values = unpackValues(page.values);
    for (const [index, { key }] of page.items.entries()) {
      if (!KEY.test(key))
        throw new UnreadableObjectError(
          `it holds the key ${JSON.stringify(key)}, which is not the key of a Kubernetes object`,
        );
      if (!isObject(values[index]))
        throw new UnreadableObjectError(`the value under ${key} is not a Kubernetes object`);
      objects++;
      from = `${key}\0`;
    }
    if (!page.more) return objects;
  }
}

function isObject(value: Uint8Array = new Uint8Array()): boolean {
  try {
    const object: unknown = isProtobufDocument(value)
      ? openEnvelope(value)
      : JSON.parse(Buffer.from(value).toString("utf8"));
    const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
    return typeof kind === "string" && typeof apiVersion === "string";
  } catch {
    return false;
  }
}

function bytesOf(held: HeldDirectory): number {
  return statSync(join(held.path, DATABASE)).size + held.logBytes();
}
