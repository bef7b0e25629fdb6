import { number, object, text } from "../../machinery/meta/access.js";
import type { ApiObject } from "../../machinery/meta/object.js";

/** What the object that candidates compete for says of its holder. Fields and their names are client-go's. */
export interface LeaderElectionRecord {
  /** The identity of the leader; "" after the leader stepped down. */
  readonly holderIdentity: string;
  /** How long a candidate waits, without seeing the record change, before it takes over. */
  readonly leaseDurationSeconds: number;
  /** When the holder became leader, by its clock; RFC 3339. */
  readonly acquireTime: string;
  /** When the holder last renewed, by its clock; RFC 3339. Never compare it with another clock. */
  readonly renewTime: string;
  /** How often the holder changed. */
  readonly leaderTransitions: number;
}

/** Where Endpoints and ConfigMaps hold the record, as JSON. client-go 0.27 removed these locks. */
export const LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

/**
 * Reads who leads from a Lease, or from the annotation of an Endpoints or a ConfigMap. Undefined when the object holds no
 * record. Throws when the annotation is no JSON object.
 */
export function readElectionRecord(lock: ApiObject): LeaderElectionRecord | undefined {
  if (lock.kind === "Lease") return leaseRecord(lock);
  const annotation = lock.metadata?.annotations?.[LEADER_ANNOTATION];
  return annotation === undefined ? undefined : annotatedRecord(annotation, lock);
}

/** The record in the spec of a Lease. */
export function leaseRecord(lease: ApiObject & { readonly spec?: unknown }): LeaderElectionRecord {
  const spec = object(lease.spec);
  return {
    holderIdentity: text(spec["holderIdentity"]),
    leaseDurationSeconds: number(spec["leaseDurationSeconds"]),
    acquireTime: text(spec["acquireTime"]),
    renewTime: text(spec["renewTime"]),
    leaderTransitions: number(spec["leaseTransitions"]),
  };
}

function annotatedRecord(annotation: string, { kind, metadata }: ApiObject): LeaderElectionRecord {
  const fields = object(parsed(annotation));
  if (!("holderIdentity" in fields)) {
    const where = `${kind ?? "object"} ${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
    throw new Error(`annotation ${LEADER_ANNOTATION} of ${where} holds no leader election record: ${annotation}`);
  }
  return {
    holderIdentity: text(fields["holderIdentity"]),
    leaseDurationSeconds: number(fields["leaseDurationSeconds"]),
    acquireTime: text(fields["acquireTime"]),
    renewTime: text(fields["renewTime"]),
    leaderTransitions: number(fields["leaderTransitions"]),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
