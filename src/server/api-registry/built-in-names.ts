import type { ResourceFacts } from "../../api/facts/index.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import { recordId, type ResourceRecord } from "../endpoints/resource-record.js";
import { installationId } from "./installation.js";
import { keyPrefix } from "./key-prefix.js";

/** The keys that belong to no resource: ranges of addresses and ports, open quota charges, addresses of servers, schema epochs. */
export const OTHER_KEYS: readonly string[] = [
  "/registry/kubets-schema-epochs/",
  "/registry/masterleases/",
  "/registry/peerserverleases/",
  "/registry/quotacharges/",
  "/registry/ranges/",
];

/**
 * The names, kinds and keys that are those of built-in resources, whether a server's configuration serves them or not: the server
 * reads roles, webhooks, namespaces and the like by these names, so that nothing else may have them.
 */
export class BuiltInNames {
  readonly #ids = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly #prefixes = new Set<string>(OTHER_KEYS);

  /** `resources` are the built-in ones at every version, `records` what they are beyond their facts. */
  constructor(resources: readonly ResourceFacts[], records: readonly ResourceRecord[]) {
    const storage = new Map(records.map((record) => [recordId(record), record.storage]));
    for (const { group, name, kind } of resources) {
      const id = installationId({ group, resource: name });
      this.#ids.add(id);
      this.#kinds.add(`${group}/${kind}`);
      this.#prefixes.add(keyPrefix({ group, name }, storage.get(id)));
    }
  }

  has(resource: GroupResource): boolean {
    return this.#ids.has(installationId(resource));
  }

  hasKind(group: string, kind: string): boolean {
    return this.#kinds.has(`${group}/${kind}`);
  }

  /** Whether keys that begin with `prefix`, "/registry/GROUP/RESOURCE/", are among those of built-in resources. */
  holdsKeys(prefix: string): boolean {
    for (let end = prefix.length; end > 1; end = prefix.lastIndexOf("/", end - 2) + 1) {
      if (this.#prefixes.has(prefix.slice(0, end))) return true;
    }
    return false;
  }
}
