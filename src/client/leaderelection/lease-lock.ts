import type { ApiObject } from "../../machinery/meta/object.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ResourceClient } from "../dynamic/resource-client.js";
import { number, object, text } from "../../machinery/meta/access.js";

/** A Lease of coordination.k8s.io/v1, as far as leader election reads and writes it. Times are MicroTimes. */
export interface Lease extends ApiObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export const LEASES = { group: "coordination.k8s.io", version: "v1", resource: "leases" } as const;

/**
 * Reads and writes the record in one Lease. A write carries the resourceVersion of the Lease that was last read or written, so
 * that a record changed by another candidate is never overwritten. Throws StatusErrors, and TransportErrors when the server does
 * not answer; the write may have happened nevertheless.
 */
export class LeaseLock {
  #lease: Lease | undefined;

  constructor(
    private readonly leases: ResourceClient<Lease>,
    private readonly namespace: string,
    private readonly name: string,
  ) {}

  /** The Lease for references to it, as in Events. */
  get reference(): ApiObject {
    const metadata = this.#lease?.metadata ?? { namespace: this.namespace, name: this.name };
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  }

  /** "kube-system/my-operator" */
  get description(): string {
    return `${this.namespace}/${this.name}`;
  }

  /** Tells versions of the Lease apart: it differs after every write by anything. "" before the first read. */
  get version(): string {
    const { uid = "", resourceVersion = "" } = this.#lease?.metadata ?? {};
    return `${uid}/${resourceVersion}`;
  }

  /** The current record; undefined when there is no Lease. */
  async get(signal: AbortSignal): Promise<LeaderElectionRecord | undefined> {
    let lease: Lease;
    try {
      lease = await this.leases.get(this.name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    this.#keep(lease, signal);
    return leaseRecord(lease);
  }

  /** Throws an AlreadyExists when another candidate created the Lease first. */
  async create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: this.name, namespace: this.namespace },
      spec: specOf(record),
    };
    this.#keep(await this.leases.create(lease, { signal }), signal);
  }

  /** Throws a Conflict when the Lease was changed since it was last read or written here. */
  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    if (this.#lease === undefined) throw new Error("lease not initialized, call get or create first");
    this.#keep(await this.leases.update({ ...this.#lease, spec: specOf(record) }, { signal }), signal);
  }

  /** An answer that comes after its request was given up is older than what was read since. */
  #keep(lease: Lease, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#lease = lease;
  }
}

function specOf({ leaderTransitions, ...record }: LeaderElectionRecord): NonNullable<Lease["spec"]> {
  return { ...record, leaseTransitions: leaderTransitions };
}

/** The record of the leader in the object that candidates compete for. Fields and names are client-go's. */
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

/** The annotation in which Endpoints and ConfigMaps hold the record, as JSON. client-go 0.27 removed these locks. */
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
function leaseRecord(lease: ApiObject & { readonly spec?: unknown }): LeaderElectionRecord {
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
