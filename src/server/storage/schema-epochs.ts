import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import { KeyExistsError, type Kv, RevisionMismatchError } from "./kv.js";
import { StorageError } from "./storage-schemes.js";

/** The key prefix under which a store records the schema epochs of its objects. */
export const SCHEMA_EPOCHS_PREFIX = "/registry/kubets-schema-epochs/";
/** The key of the record of schema epochs. While a migration copies into a store, its record is at this key. */
export const SCHEMA_EPOCHS_KEY = `${SCHEMA_EPOCHS_PREFIX}written`;
const KEY = SCHEMA_EPOCHS_KEY;
const ROOT = "/registry/";

/**
 * Records `epoch` as one that has written to the store. Returns true when it is the only one: every stored object then has
 * the current schema and defaults. A store with objects and without a record was written by another program. Throws a {@link StorageError}
 * for a store that holds a part of another.
 */
export async function claimSchemaEpoch(kv: Kv, epoch: string): Promise<boolean> {
  for (;;) {
    const { kv: entry } = await kv.get(KEY);
    try {
      if (entry === undefined) {
        const { items } = await kv.list(ROOT, { limit: 1 });
        const epochs = items.length === 0 ? [epoch] : [UNKNOWN, epoch];
        await kv.create(KEY, encode(epochs));
        return items.length === 0;
      }
      const migration = unfinishedMigration(entry.value);
      if (migration !== undefined) throw new StorageError(holdsAPart(migration));
      const known = decode(entry.value);
      if (!known.includes(epoch)) await kv.update(KEY, encode([...known, epoch]), entry.revision);
      return known.every((one) => one === epoch);
    } catch (error) {
      // Another server changed the record first. The loop reads it again.
      if (!(error instanceof KeyExistsError) && !(error instanceof RevisionMismatchError)) throw error;
    }
  }
}

const UNKNOWN = "unknown";

/** A copy of another store that has not ended yet. */
export interface UnfinishedMigration {
  /** The name of the store that is copied, as messages have it. */
  readonly source: string;
  readonly keepsRevisions: boolean;
}

/** The record in place of that of schema epochs while a migration is under way. */
export const encodeMigration = (migration: UnfinishedMigration): Uint8Array =>
  encodeRecord({ epochs: [UNKNOWN], migration });

/** Decodes the record of an unfinished migration; undefined for a record of schema epochs. */
export function unfinishedMigration(value: Uint8Array): UnfinishedMigration | undefined {
  const { migration } = decodeRecord(value);
  if (typeof migration !== "object" || migration === null) return undefined;
  const { source, keepsRevisions } = migration as { readonly source?: unknown; readonly keepsRevisions?: unknown };
  return { source: String(source), keepsRevisions: keepsRevisions === true };
}

const holdsAPart = ({ source }: UnfinishedMigration): string =>
  `the storage holds a part of ${source}, whose migration did not end; run kubets storage migrate again, or use another storage`;

/** Encodes the record as a Kubernetes object, as all values of the store are, although no resource serves it. */
const encodeRecord = (content: object): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      kind: "SchemaEpochs",
      apiVersion: "internal.kubets.dev/v1",
      metadata: { name: "written" } satisfies FieldsOf<ObjectMeta>,
      ...content,
    } satisfies FieldsOf<ApiObject>),
  );

const encode = (epochs: readonly string[]): Uint8Array => encodeRecord({ epochs });

function decode(value: Uint8Array): readonly string[] {
  const { epochs } = decodeRecord(value);
  return Array.isArray(epochs) ? epochs.map(String) : [UNKNOWN];
}

/** Empty for a value that cannot be decoded. */
function decodeRecord(value: Uint8Array): { readonly epochs?: unknown; readonly migration?: unknown } {
  try {
    const record: unknown = JSON.parse(new TextDecoder().decode(value));
    return typeof record === "object" && record !== null ? record : {};
  } catch {
    return {};
  }
}
