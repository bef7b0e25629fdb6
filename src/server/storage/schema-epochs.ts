import { KeyExistsError, type Kv, RevisionMismatchError } from "./kv.js";

/** Where a store says which schema epochs its objects may be of. */
export const SCHEMA_EPOCHS_PREFIX = "/registry/kubets-schema-epochs/";
const KEY = `${SCHEMA_EPOCHS_PREFIX}written`;
const ROOT = "/registry/";

/**
 * Enters `epoch` among those that have written to the store. Answers true when there is no other one: then every stored object
 * has the shape and the defaults of today. A store with objects and no such entry was written by somebody else.
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
      // Another server was faster; what it wrote decides.
      if (!(error instanceof KeyExistsError) && !(error instanceof RevisionMismatchError)) throw error;
    }
  }
}

const UNKNOWN = "unknown";

/** An object like everything else in a store, though no resource serves it. */
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
