import type { KubeObject } from "../../machinery/meta/object.js";
import type { User } from "../request/user.js";

/** What is about to happen, as admission sees it. */
export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly kind: string;
  readonly namespace: string;
  /** "" while a generated name is not there yet. */
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  /** The draft of a create or update: mutating admission changes it in place. Absent for a delete. */
  readonly object?: KubeObject | undefined;
  /** The current object of an update or delete. Shared. */
  readonly oldObject?: KubeObject | undefined;
}

/** Looks at a request after decoding and before its strategy; throws a StatusError to refuse it. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May change `object`. Runs again when an update is tried again. */
  admit?(attributes: AdmissionAttributes): Promise<void>;
  /** Runs after every plugin's `admit`; changes nothing. */
  validate?(attributes: AdmissionAttributes): Promise<void>;
}

export type Admission = (attributes: AdmissionAttributes) => Promise<void>;

/** All plugins as one: first each may change the object, then each may refuse it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  return async (attributes) => {
    for (const plugin of plugins) await plugin.admit?.(attributes);
    for (const plugin of plugins) await plugin.validate?.(attributes);
  };
}
