import { startCluster } from "../../src/cluster/index.js";
import type { Cluster } from "../../src/cluster/index.js";
import type { ClusterOptions } from "../../src/cluster/options/cluster-options.js";
import type { Transport } from "../../src/client/transport/transport.js";
import type { AuditEvent } from "../../src/server/audit/audit-event.js";
import type { AuditPolicy } from "../../src/server/audit/policy/audit-policy.js";
import { type Answer, call, type CallOptions } from "./api-caller.js";

/** A cluster that records requests, and the events of those that a test sends. */
export interface AuditedCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly transport: Transport;
  /** Sends a request, and returns its answer with the events that there are when it has come. */
  send(method: string, path: string, body?: unknown, options?: CallOptions): Promise<AuditedAnswer>;
  /** The events of an audit id. */
  eventsOf(id: string): readonly AuditEvent[];
}

export interface AuditedAnswer {
  readonly answer: Answer;
  readonly events: readonly AuditEvent[];
  /** The last of them. */
  readonly last: AuditEvent;
}

/** Starts a cluster without controllers, which opens no port unless `options` says so. */
export async function startAudited(policy: AuditPolicy, options: ClusterOptions = {}): Promise<AuditedCluster> {
  const events: AuditEvent[] = [];
  const cluster = await startCluster({
    port: false,
    controllers: false,
    scheduler: false,
    ...options,
    audit: { policy, backends: [(event) => void events.push(event)], ...options.audit },
  });
  const transport = cluster.transport();
  const eventsOf = (id: string): readonly AuditEvent[] => events.filter(({ auditID }) => auditID === id);
  return {
    cluster,
    transport,
    eventsOf,
    async send(method, path, body, options) {
      const answer = await call(transport, method, path, body, options);
      const found = eventsOf(String(answer.headers["audit-id"]));
      const last = found.at(-1);
      if (last === undefined) throw new Error(`${method} ${path} has no event`);
      return { answer, events: found, last };
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

/** A policy that records all of every request. */
export const EVERYTHING: AuditPolicy = { rules: [{ level: "RequestResponse" }] };
