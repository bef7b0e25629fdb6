import { fetchGroups } from "../../client/discovery/live-discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";

const GROUP = "metrics.k8s.io";
const SUPPORTED: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/** The version of the metrics API to use: the server's first that is known. Throws when there is none. */
export async function metricsVersion(client: RestClient): Promise<string> {
  const { groups } = await fetchGroups(client, {});
  const found = groups
    .filter(({ name }) => name === GROUP)
    .flatMap(({ versions }) => versions)
    .find(({ version }) => SUPPORTED.has(version));
  if (found === undefined) throw new Error("Metrics API not available");
  return found.version;
}

export interface MetricsQuery {
  /** "nodes" or "pods". */
  readonly resource: string;
  readonly version: string;
  /** "" is everywhere, and for nodes. */
  readonly namespace: string;
  /** "" lists. */
  readonly name: string;
  readonly labelSelector: string;
  readonly fieldSelector?: string | undefined;
}

/** What was measured of one object or of those selected. */
export async function readMetrics(client: RestClient, query: MetricsQuery): Promise<readonly KubeObject[]> {
  const { resource, version, namespace, name, labelSelector, fieldSelector } = query;
  const mapping = {
    resource: { group: GROUP, version, resource },
    kind: { group: GROUP, version, kind: "" },
    namespaced: namespace !== "",
  };
  const helper = new Helper(client, mapping, { typed: true });
  if (name !== "") return [await helper.get(namespace, name)];
  const list = await helper.list(namespace, { labelSelector, fieldSelector });
  return (list.items ?? []) as readonly KubeObject[];
}
