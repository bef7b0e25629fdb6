import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly cluster?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly string[];
}

export type Groups = Readonly<Record<string, Readonly<Record<string, readonly Resource[] | "stale">>>>;

export const groups: Groups = {
  "": {
    v1: [
      { name: "pods", kind: "Pod", shortNames: ["po"], categories: ["all"], subresources: ["log"] },
      { name: "events", kind: "Event", shortNames: ["ev"] },
      { name: "nodes", kind: "Node", cluster: true },
    ],
  },
  apps: {
    v1: [{ name: "deployments", kind: "Deployment", shortNames: ["deploy"], categories: ["all"] }],
    v1beta1: [
      { name: "deployments", kind: "Deployment", shortNames: ["deploy"] },
      { name: "olds", kind: "Old", shortNames: ["po"] },
    ],
  },
  "events.k8s.io": { v1: [{ name: "events", kind: "Event", shortNames: ["ev"] }] },
  "stale.io": { v1: "stale", v1beta1: [{ name: "things", kind: "Thing", cluster: true }] },
};

const VERBS = ["get", "list"];
const CONTENT_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export interface DiscoveryServer {
  readonly url: string;
  /** "GET /api?timeout=32s", with " 304" where the answer was that. */
  readonly requests: string[];
  groups: Groups;
  close(): void;
}

/** A server of discovery documents, aggregated or in the older form. */
export async function discoveryServer(
  form: "aggregated" | "older",
  initial: Groups = groups,
): Promise<DiscoveryServer> {
  const state = { requests: [] as string[], groups: initial };
  const server = createServer((request, response) => {
    const answer = form === "aggregated" ? aggregated(request, state.groups) : older(request, state.groups);
    const body = JSON.stringify(answer ?? {});
    const etag = `"${Buffer.from(body).length}"`;
    const same = request.headers["if-none-match"] === etag;
    state.requests.push(`${request.method} ${request.url}${same ? " 304" : ""}`);
    response.setHeader("etag", etag);
    response.setHeader("content-type", form === "aggregated" ? CONTENT_TYPE : "application/json");
    response.writeHead(same ? 304 : answer ? 200 : 404).end(same ? undefined : body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  });
}

const pathOf = (request: IncomingMessage) => request.url?.split("?")[0] ?? "";

function aggregated(request: IncomingMessage, all: Groups): object | undefined {
  const path = pathOf(request);
  if (path !== "/api" && path !== "/apis") return undefined;
  const names = Object.keys(all).filter((group) => (group === "") === (path === "/api"));
  const items = names.map((group) => ({
    metadata: { name: group, creationTimestamp: null },
    versions: Object.entries(all[group] ?? {}).map(([version, resources]) => ({
      version,
      freshness: resources === "stale" ? "Stale" : "Current",
      resources:
        resources === "stale" ? [] : resources.map((resource) => aggregatedResource(resource, { group, version })),
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function aggregatedResource(resource: Resource, gv: { group: string; version: string }): object {
  const { name, kind, cluster, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: { ...gv, kind },
    scope: cluster ? "Cluster" : "Namespaced",
    singularResource: kind.toLowerCase(),
    verbs: VERBS,
    shortNames,
    categories,
    subresources: subresources?.map((subresource) => ({ subresource, responseKind: { ...gv, kind }, verbs: ["get"] })),
  };
}

function older(request: IncomingMessage, all: Groups): object | undefined {
  const path = pathOf(request);
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis")
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: Object.keys(all)
        .filter(Boolean)
        .map((name) => olderGroup(name, all)),
    };
  const [, root, ...rest] = path.split("/");
  const [group = "", version = ""] = root === "api" ? ["", ...rest] : rest;
  const resources = all[group]?.[version];
  if (resources === undefined || resources === "stale") return undefined;
  return {
    kind: "APIResourceList",
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: resources.map(({ name, kind, cluster, shortNames, categories }) => ({
      name,
      singularName: "",
      namespaced: !cluster,
      kind,
      verbs: VERBS,
      shortNames,
      categories,
    })),
  };
}

function olderGroup(name: string, all: Groups): object {
  const versions = Object.keys(all[name] ?? {}).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}
