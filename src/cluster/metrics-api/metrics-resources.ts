import type { Release } from "../../api/facts/release.js";
import { isConflict, isNotFound, notFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { list, map, quantity, string, struct, time } from "../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { ApiRegistry } from "../../server/api-registry/api-registry.js";
import type { ResourceDefinition } from "../../server/api-registry/resource-definition.js";
import { fieldLabelsOf } from "../../server/endpoints/options/field-labels.js";
import { listOptions } from "../../server/endpoints/options/list-options.js";
import { NOT_STORED } from "../../server/endpoints/resource-record.js";
import type { ServedResource } from "../../server/endpoints/served-resource.js";
import type { ApiRequest } from "../../server/request/api-request.js";
import { nodeMetrics, podMetrics, type UsageSource, usageCells } from "./metrics-objects.js";
import { text } from "../../machinery/meta/access.js";
import { respondValue } from "../../server/endpoints/verbs/answer.js";
import { objectFormat } from "../../server/endpoints/verbs/scope.js";
import type { TableColumns } from "../../server/registry/table-columns.js";

const GROUP = "metrics.k8s.io";
/** The version that metrics-server has; what earlier versions of this program stored is of it. */
const VERSION = "v1beta1";

/** The parts that the metrics API uses. */
export interface MetricsApiParts {
  readonly source: UsageSource;
  readonly access: ApiRegistry["access"];
  readonly release: Release;
  /** In milliseconds. */
  readonly now: () => number;
}

/** nodes and pods of metrics.k8s.io, as metrics-server serves them. Both versions have the same shape. */
export function metricsResources(parts: MetricsApiParts): readonly ResourceDefinition[] {
  // K37-009: v1 came with Kubernetes 1.37.
  const names = parts.release.atLeast("1.37") ? ["v1", VERSION] : [VERSION];
  const measured = { timestamp: time, window: string };
  const usage = map(quantity);
  const containers = list(struct("ContainerMetrics", { name: string, usage }));
  const versionsOf = (schema: StructSchema) => names.map((version) => ({ version, schema }));
  return [
    {
      group: GROUP,
      resource: "nodes",
      kind: "NodeMetrics",
      singular: "",
      namespaced: false,
      storage: NOT_STORED,
      versions: versionsOf(struct("NodeMetrics", { ...measured, usage })),
      handlers: {
        list: (resource) => (request) => listNodes(request, resource, parts),
        get: (resource) => (request) => getNode(request, resource, parts),
      },
    },
    {
      group: GROUP,
      resource: "pods",
      kind: "PodMetrics",
      singular: "",
      namespaced: true,
      storage: NOT_STORED,
      versions: versionsOf(struct("PodMetrics", { ...measured, containers })),
      handlers: {
        list: (resource) => (request) => listPods(request, resource, parts),
        get: (resource) => (request) => getPod(request, resource, parts),
      },
    },
  ];
}

const REGISTRATION = "apiregistration.k8s.io";

/**
 * Removes the APIService that servers of earlier versions stored for the metrics API. The metrics API no longer needs one, and
 * helm does not install a chart over an object that it does not own: so the name is free for metrics-server's chart. An APIService
 * that a client made stays.
 */
export async function removeEarlierApiService({
  current,
  access,
}: Pick<ApiRegistry, "current" | "access">): Promise<void> {
  if (current.find(`${REGISTRATION}/v1`, "apiservices") === undefined) return;
  const found = await access.get(REGISTRATION, "apiservices", "", `${VERSION}.${GROUP}`);
  if (found?.metadata?.labels?.["kube-aggregator.kubernetes.io/automanaged"] === undefined) return;
  try {
    await access.delete(REGISTRATION, "apiservices", found);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function listPods(
  request: ApiRequest,
  resource: ServedResource,
  { source, now }: MetricsApiParts,
): Promise<void> {
  const wanted = selected(request, resource);
  const { namespace } = request.info;
  const pods = await source.pods((pod) => (namespace === "" || pod.metadata?.namespace === namespace) && wanted(pod));
  const items = pods.map((one) => podMetrics(one, now())).toSorted(byName);
  await answerList(request, resource, items);
}

async function getPod(
  request: ApiRequest,
  resource: ServedResource,
  { source, access, now }: MetricsApiParts,
): Promise<void> {
  const { namespace, name } = request.info;
  const [found] = await source.pods(({ metadata }) => metadata?.namespace === namespace && metadata.name === name);
  if (found !== undefined) return answerOne(request, resource, podMetrics(found, now()));
  const exists = (await access.get("", "pods", namespace, name)) !== undefined;
  throw notFound(
    exists ? { group: GROUP, resource: "podmetrics" } : { group: "", resource: "pods" },
    `${namespace}/${name}`,
  );
}

async function listNodes(request: ApiRequest, resource: ServedResource, parts: MetricsApiParts): Promise<void> {
  const wanted = selected(request, resource);
  const nodes = (await parts.access.list("", "nodes")).filter(wanted);
  await answerList(request, resource, (await measuredNodes(nodes, parts)).toSorted(byName));
}

async function getNode(request: ApiRequest, resource: ServedResource, parts: MetricsApiParts): Promise<void> {
  const { name } = request.info;
  const node = await parts.access.get("", "nodes", "", name);
  if (node === undefined) throw notFound({ group: "", resource: "nodes" }, name);
  const [found] = await measuredNodes([node], parts);
  if (found === undefined) throw notFound({ group: GROUP, resource: "nodemetrics" }, name);
  await answerOne(request, resource, found);
}

/** What those of the nodes use that can be measured. */
async function measuredNodes(
  nodes: readonly KubeObject[],
  { source, now }: MetricsApiParts,
): Promise<readonly KubeObject[]> {
  const measured = await source.nodes(nodes.map(({ metadata }) => metadata?.name ?? ""));
  return nodes.flatMap((node) => {
    const pods = measured.get(node.metadata?.name ?? "");
    return pods === undefined ? [] : [nodeMetrics(node, pods, now())];
  });
}

/** Whether an object is among those that the request's selectors select. */
function selected(request: ApiRequest, resource: ServedResource): (object: KubeObject) => boolean {
  const { labels, fields } = listOptions(request, fieldLabelsOf(resource));
  return ({ metadata }) => {
    const { name = "", namespace = "" } = metadata ?? {};
    return (
      labels.matches(metadata?.labels) && fields.matches({ "metadata.name": name, "metadata.namespace": namespace })
    );
  };
}

const byName = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number => {
  const [left, right] = [a, b].map((one) => `${one?.namespace ?? ""}/${one?.name ?? ""}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
};

/** Sends one measurement in the shape that the client accepts. */
export async function answerOne(request: ApiRequest, resource: ServedResource, metrics: KubeObject): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  if (format.shape === "Table") return respondValue(request, format, 200, table([metrics], format.metaVersion));
  const answer =
    format.shape === "object"
      ? { ...metrics, apiVersion: resource.facts.groupVersion }
      : bare(metrics, format.metaVersion);
  await respondValue(request, format, 200, answer);
}

/** Sends a list of measurements in the shape that the client accepts. */
export async function answerList(
  request: ApiRequest,
  resource: ServedResource,
  items: readonly KubeObject[],
): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const { shape, metaVersion } = format;
  if (shape === "Table") return respondValue(request, format, 200, table(items, metaVersion));
  const [kind, apiVersion] =
    shape === "object"
      ? [resource.facts.listKind, resource.facts.groupVersion]
      : ["PartialObjectMetadataList", `meta.k8s.io/${metaVersion}`];
  const shown = items.map(({ kind: _kind, apiVersion: _version, ...item }) =>
    shape === "object" ? item : { metadata: item.metadata },
  );
  await respondValue(request, format, 200, { kind, apiVersion, metadata: {}, items: shown });
}

const bare = ({ metadata }: KubeObject, metaVersion: string): KubeObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${metaVersion}`,
  ...(metadata && { metadata }),
});

const column = (name: string, format: string, description = ""): TableColumns["definitions"][number] => ({
  name,
  type: "string",
  format,
  description,
  priority: 0,
});

const COLUMNS = [
  column("Name", "name", "Name of the resource"),
  column("cpu", "quantity"),
  column("memory", "quantity"),
  column("Window", "duration"),
];

function table(items: readonly KubeObject[], metaVersion: string): object {
  const rows = items.map((item) => ({
    cells: [item.metadata?.name ?? "", ...usageCells(item), text(item["window"])],
    object: bare(item, metaVersion),
  }));
  const kind = { kind: "Table", apiVersion: `meta.k8s.io/${metaVersion}` };
  // Without rows metrics-server has no columns.
  return { ...kind, metadata: {}, columnDefinitions: items.length === 0 ? [] : COLUMNS, rows };
}
