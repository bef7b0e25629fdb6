import { encodeObject } from "../../../machinery/codec/encode.js";
import { notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResponseFormat } from "../../endpoints/negotiation/response-format.js";
import { jsonBytes } from "../../endpoints/representation/json-text.js";
import { partialMetadata, tableBytes } from "../../endpoints/representation/shapes.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { respondJson } from "../../endpoints/verbs/answer.js";
import { objectFormat } from "../../endpoints/verbs/scope.js";
import type { TableCell, TableColumns } from "../../registry/table-columns.js";
import type { ApiRequest } from "../../request/api-request.js";

/** The parts of this control plane, all in one process: whoever can ask finds them healthy. */
const NAMES = ["controller-manager", "etcd-0", "scheduler"];

export const componentStatusRecord: ResourceRecord = {
  group: "",
  resource: "componentstatuses",
  storage: NOT_STORED,
  handlers: {
    list: (resource) => (request) => handleComponentStatuses(request, resource),
    get: (resource) => (request) => handleComponentStatus(request, resource),
  },
};

async function handleComponentStatuses(request: ApiRequest, resource: ServedResource): Promise<void> {
  const format = objectFormat(request.exchange);
  await respondObjects(request, resource, format, NAMES.map(componentStatus), true);
}

async function handleComponentStatus(request: ApiRequest, resource: ServedResource): Promise<void> {
  const { name } = request.info;
  if (!NAMES.includes(name)) throw notFound({ group: "", resource: "componentstatuses" }, name);
  await respondObjects(request, resource, objectFormat(request.exchange), [componentStatus(name)], false);
}

function componentStatus(name: string): KubeObject {
  const conditions = [{ type: "Healthy", status: "True", message: "ok" }];
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name, creationTimestamp: null }, conditions };
}

const column = (name: string, format = ""): TableColumns["definitions"][number] => ({
  name,
  type: "string",
  format,
  description: `${name} of the component.`,
  priority: 0,
});

const COLUMNS = [column("Name", "name"), column("Status"), column("Message"), column("Error")];

async function respondObjects(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  objects: readonly KubeObject[],
  list: boolean,
): Promise<void> {
  if (format.shape === "Table") {
    const rows = objects.map((object) => {
      const cells: readonly TableCell[] = [object.metadata?.name ?? "", "Healthy", "ok", ""];
      return { cells, object: partialMetadata(object, format) };
    });
    await respondJson(request, format, 200, tableBytes(format, {}, COLUMNS, rows));
    return;
  }
  const encoded = objects.map((object) => encodeObject(object, resource.codec.schema));
  const [only] = encoded;
  if (!list && only !== undefined) return respondJson(request, format, 200, only);
  const items = encoded.map((bytes) => JSON.parse(Buffer.from(bytes).toString("utf8")) as KubeObject);
  const body = jsonBytes({ kind: "ComponentStatusList", apiVersion: "v1", metadata: {}, items });
  await respondJson(request, format, 200, body);
}
