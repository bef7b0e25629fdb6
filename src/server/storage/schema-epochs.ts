import { KeyExistsError, type Kv, RevisionMismatchError } from "./kv.js";

/** The key prefix under which a store records the schema epochs of its objects. */
export const SCHEMA_EPOCHS_PREFIX = "/registry/kubets-schema-epochs/";
const KEY = `${SCHEMA_EPOCHS_PREFIX}written`;
const ROOT = "/registry/";

/**
 * Records `epoch` as one that has written to the store. Returns true when it is the only one: every stored object then has
 * the current schema and defaults. A store with objects and without a record was written by another program.
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

/** Encodes the record as a Kubernetes object, as all values of the store are, although no resource serves it. */
const encode = (epochs: readonly string[]): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      kind: "SchemaEpochs",
      apiVersion: "internal.kubets.dev/v1",
      metadata: { name: "written" },
      epochs,
    }),
  );

function decode(value: Uint8Array): readonly string[] {
  try {
    const { epochs } = JSON.parse(new TextDecoder().decode(value)) as { epochs?: unknown };
    return Array.isArray(epochs) ? epochs.map(String) : [UNKNOWN];
  } catch {
    return [UNKNOWN];
  }
}
