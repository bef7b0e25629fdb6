import type { Transport } from "../../../../src/client/transport/transport.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { call } from "../../../helpers/api-caller.js";

export interface Status {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly object: KubeObject;
  /** The answer as a Status, when it is one. */
  readonly failure: Status;
}

/** Sends requests about one object and keeps the books: every resourceVersion that a write was answered with. */
export class Ledger {
  /** Of writes that changed something. */
  readonly changes = new Set<string>();
  /** Of writes that were to change nothing. */
  readonly idle = new Set<string>();
  /** How many writes were answered with a conflict. */
  conflicts = 0;

  constructor(
    readonly transport: Transport,
    readonly path: string,
  ) {}

  async read(): Promise<KubeObject> {
    return (await this.#send("GET", "", undefined, "application/json")).object;
  }

  put(manager: string, object: KubeObject): Promise<Reply> {
    return this.#send("PUT", `fieldManager=${manager}`, object, "application/json");
  }

  patch(manager: string, type: "merge" | "strategic-merge", patch: unknown): Promise<Reply> {
    return this.#send("PATCH", `fieldManager=${manager}`, patch, `application/${type}-patch+json`);
  }

  apply(manager: string, configuration: unknown, { force = false } = {}): Promise<Reply> {
    const query = `fieldManager=${manager}${force ? "&force=true" : ""}`;
    return this.#send("PATCH", query, configuration, "application/apply-patch+yaml");
  }

  /** Notes an acknowledged change. Its version is nobody else's. */
  changed({ object }: Reply): void {
    const version = versionOf(object);
    if (this.changes.has(version)) throw new Error(`two changes were answered with version ${version}`);
    this.changes.add(version);
  }

  /** Notes an acknowledged write that changed nothing. */
  unchanged({ object }: Reply): void {
    this.idle.add(versionOf(object));
  }

  async #send(method: string, query: string, body: unknown, type: string): Promise<Reply> {
    const path = query === "" ? this.path : `${this.path}?${query}`;
    const { status, text } = await call(this.transport, method, path, body, { type });
    const parsed = JSON.parse(text) as KubeObject & Status;
    if (status === 409) this.conflicts++;
    return { status, object: parsed, failure: parsed };
  }
}

export const versionOf = (object: KubeObject): string => object.metadata?.resourceVersion ?? "";

/** What a write of an object that somebody else changed meanwhile is answered with. */
export const staleWrite = (resource: string, name: string, group = ""): Record<string, unknown> => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `Operation cannot be fulfilled on ${resource}${group === "" ? "" : `.${group}`} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  reason: "Conflict",
  details: { name, ...(group !== "" && { group }), kind: resource },
  code: 409,
});

/** What an apply is answered with that would take fields from others; each conflict is [manager as shown, path]. */
export function applyConflict(...conflicts: readonly (readonly [shown: string, path: string])[]) {
  const [first] = conflicts;
  const one = `1 conflict: conflict with ${first?.[0]}: ${first?.[1]}`;
  const many = conflicts.map(([shown, path]) => `conflicts with ${shown}:\n- ${path}`).join("\n");
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Apply failed with ${conflicts.length === 1 ? one : `${conflicts.length} conflicts: ${many}`}`,
    reason: "Conflict",
    details: {
      causes: conflicts.map(([shown, field]) => ({
        reason: "FieldManagerConflict",
        message: `conflict with ${shown}`,
        field,
      })),
    },
    code: 409,
  };
}
