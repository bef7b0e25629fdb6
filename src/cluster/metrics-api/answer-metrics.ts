import type { KubeObject } from "../../machinery/meta/object.js";
import { text } from "../../machinery/meta/access.js";
import { respondValue } from "../../server/endpoints/verbs/answer.js";
import { objectFormat } from "../../server/endpoints/verbs/scope.js";
import type { ServedResource } from "../../server/endpoints/served-resource.js";
import type { TableColumns } from "../../server/registry/table-columns.js";
import type { ApiRequest } from "../../server/request/api-request.js";
import { usageCells } from "./metrics-objects.js";

/** Answers one measurement in the shape that was asked for. */
export async function answerOne(request: ApiRequest, resource: ServedResource, metrics: KubeObject): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  if (format.shape === "Table") return respondValue(request, format, 200, table([metrics], format.metaVersion));
  const answer = format.shape === "object" ? metrics : bare(metrics, format.metaVersion);
  await respondValue(request, format, 200, answer);
}

/** Answers a list of measurements. */
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
