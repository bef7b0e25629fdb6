import type { Transport } from "../../src/client/transport/transport.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { type Answer, call } from "./api-caller.js";

const NAMESPACED = "/api/v1/namespaces/default";
export const MAPS = `${NAMESPACED}/configmaps`;
export const PODS = `${NAMESPACED}/pods`;
export const SERVICES = `${NAMESPACED}/services`;
export const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

/** Writes as managers that are told apart: "creator" creates, "patcher" patches, "applier" applies. */
export interface ManagedWrites {
  create(path: string, body: unknown): Promise<Answer>;
  merge(path: string, body: unknown, manager?: string): Promise<Answer>;
  apply(path: string, body: unknown, query?: string): Promise<Answer>;
}

export const managedWrites = (transport: () => Transport): ManagedWrites => ({
  create: (path, body) => call(transport(), "POST", `${path}?fieldManager=creator`, body),
  merge: (path, body, manager = "patcher") =>
    call(transport(), "PATCH", `${path}?fieldManager=${manager}`, body, { type: "application/merge-patch+json" }),
  apply: (path, body, query = "fieldManager=applier") =>
    call(transport(), "PATCH", `${path}?${query}`, body, { type: "application/apply-patch+yaml" }),
});

/** fieldsV1 by "<operation> <manager>[/<subresource>]". */
export const owners = (answer: Answer): Record<string, unknown> =>
  Object.fromEntries(
    ((answer.at("metadata.managedFields") ?? []) as JsonObject[]).map((entry) => {
      const under = entry["subresource"] === undefined ? "" : `/${entry["subresource"] as string}`;
      return [`${entry["operation"] as string} ${entry["manager"] as string}${under}`, entry["fieldsV1"]];
    }),
  );

export const configMap = (name: string, data: JsonObject) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

export const pod = (name: string, containers: JsonObject[] = [{ name: "c", image: "i" }]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers },
});

export const deployment = (name: string, spec: JsonObject = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    ...spec,
  },
});

export const service = (name: string, ports: JsonObject[]) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports },
});
