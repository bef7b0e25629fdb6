import type { Clock } from "../base/clock.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Api } from "./api.js";

export interface Warning {
  /** What it is about, with apiVersion and kind. */
  readonly object: KubeObject;
  /** "ClusterIPNotAllocated". */
  readonly reason: string;
  /** What was being done: "ClusterIPAllocation". Recorders of core/v1 events have none. */
  readonly action?: string;
  readonly message: string;
}

export type RecordWarning = (warning: Warning) => Promise<void>;

/**
 * Tells people what controllers found, by Events of type Warning; each controller by the name of its component. One that
 * cannot be stored is only reported.
 */
export function warningRecorders(
  api: Api,
  clock: Clock,
  report: (error: unknown) => void,
): (component: string) => RecordWarning {
  let recorded = 0n;
  return (component) =>
    async ({ object, reason, action, message }) => {
      const { name = "", namespace = "", uid, resourceVersion } = object.metadata ?? {};
      const place = namespace === "" ? "default" : namespace;
      const now = clock.now();
      // Named as client-go does, by nanoseconds: those that the clock does not have tell events of one moment apart.
      const nanoseconds = BigInt(now) * 1_000_000n + (recorded++ % 1_000_000n);
      const event: KubeObject = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.${nanoseconds.toString(16)}`, namespace: place },
        involvedObject: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion },
        reason,
        message,
        type: "Warning",
        reportingComponent: component,
        ...(action === undefined ? olderFields(component, now) : newerFields(component, action, now)),
      };
      try {
        await api.create(`/api/v1/namespaces/${place}/events`, event);
      } catch (error) {
        report(error);
      }
    };
}

/** What only recorders of core/v1 events write. */
function olderFields(component: string, now: number) {
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return { source: { component }, firstTimestamp: time, lastTimestamp: time, count: 1 };
}

/** What only recorders of events.k8s.io/v1 write. */
function newerFields(component: string, action: string, now: number) {
  const eventTime = `${new Date(now).toISOString().slice(0, 23)}000Z`;
  return { action, eventTime, reportingInstance: `${component}-kubets` };
}
