import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../src/api/types/apps/v1.js";
import type { Event as CoreEvent, Pod, PodSpec, PodTemplateSpec } from "../../../src/api/types/core/v1.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { ApiObject } from "../../../src/machinery/meta/object.js";
import type { Seen } from "./seen.js";

/** What a scenario does in a namespace of its own. */
export interface Session {
  create(...objects: readonly ApiObject[]): Promise<void>;
  /** A JSON merge patch. */
  patch(kind: string, name: string, patch: JsonObject): Promise<void>;
  delete(kind: string, name: string, options?: JsonObject): Promise<void>;
  /** What the namespace holds, as far as the caches know. */
  readonly seen: Seen;
  /** What controllers recorded. */
  readonly events: readonly CoreEvent[];
  /** Whether the caches know what the session has written. */
  isCurrent(): boolean;
}

export interface Step {
  readonly act: (session: Session) => Promise<void>;
  /** Whether the controllers have done their part. Default: every workload is complete. */
  readonly until?: (seen: Seen) => boolean;
}

/** The same steps are taken in both clusters; after each the objects must be the same. */
export interface Scenario {
  readonly title: string;
  readonly steps: readonly Step[];
}

export const LABELS = { app: "web" } as const;
export const SELECTOR = { matchLabels: LABELS };

/** A pod template; the image tells one from another. */
export function template(image = "web:1", spec: JsonObject = {}): PodTemplateSpec {
  return {
    metadata: { labels: LABELS },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "web", image }], ...spec },
  };
}

/** Pods of it find no node. */
export const stuck = (image = "web:2"): PodTemplateSpec => template(image, { nodeSelector: { absent: "yes" } });

/** No two pods of it are on one node. */
export const apart = (): PodTemplateSpec =>
  template("web:1", {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: SELECTOR, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    },
  });

export function deployment(spec: Partial<Deployment["spec"]> = {}, metadata: ApiObject["metadata"] = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", ...metadata },
    spec: { replicas: 3, selector: SELECTOR, template: template(), ...spec },
  };
}

export function replicaSet(spec: Partial<ReplicaSet["spec"]> = {}, metadata: ApiObject["metadata"] = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", labels: LABELS, ...metadata },
    spec: { replicas: 3, selector: SELECTOR, template: template(), ...spec },
  };
}

export function statefulSet(spec: Partial<StatefulSet["spec"]> = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web" },
    spec: { replicas: 3, serviceName: "web", selector: SELECTOR, template: template(), ...spec },
  };
}

export function daemonSet(spec: Partial<DaemonSet["spec"]> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "web" },
    spec: { selector: SELECTOR, template: template(), ...spec },
  };
}

/** A pod that no controller made. */
export const orphan = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: LABELS },
  spec: template().spec as PodSpec,
});

export const create =
  (...objects: readonly ApiObject[]): Step["act"] =>
  ({ create: write }) =>
    write(...objects);

/** Changes the spec of the workload "web". */
export const change =
  (kind: string, spec: unknown): Step["act"] =>
  ({ patch }) =>
    patch(kind, "web", { spec } as JsonObject);

/** Another image for the pods of the workload "web". */
export const update = (kind: string, image: string): Step["act"] =>
  // A merge patch keeps the selector that an earlier template had.
  change(kind, { template: template(image, { nodeSelector: null }) });
