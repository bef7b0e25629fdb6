import { notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResponseFormat } from "../../endpoints/negotiation/response-format.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { respondValue } from "../../endpoints/verbs/answer.js";
import { objectFormat } from "../../endpoints/verbs/scope.js";
import type { TableCell, TableColumns } from "../../registry/table-columns.js";
import type { ApiRequest } from "../../request/api-request.js";

/** The parts of this control plane, all in one process: a client that gets an answer finds them healthy. */
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
  const format = objectFormat(request.exchange, resource);
  await respondObjects(request, resource, format, NAMES.map(componentStatus), true);
}

async function handleComponentStatus(request: ApiRequest, resource: ServedResource): Promise<void> {
  const { name } = request.info;
  if (!NAMES.includes(name)) throw notFound({ group: "", resource: "componentstatuses" }, name);
  await respondObjects(request, resource, objectFormat(request.exchange, resource), [componentStatus(name)], false);
}

function componentStatus(name: string): KubeObject {
  const conditions = [{ type: "Healthy", status: "True", message: "ok" }];
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions };
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
  const { metaVersion } = format;
  if (format.shape === "Table") {
    const rows = objects.map(({ metadata }) => {
      const cells: readonly TableCell[] = [metadata?.name ?? "", "Healthy", "ok", ""];
      const object = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
      return { cells, object };
    });
    const table = { kind: "Table", apiVersion: `meta.k8s.io/${metaVersion}`, metadata: {}, columnDefinitions: COLUMNS };
    return respondValue(request, format, 200, { ...table, rows });
  }
  const [only] = objects;
  if (!list && only !== undefined) return respondValue(request, format, 200, only, resource.codec.schema);
  await respondValue(request, format, 200, {
    kind: "ComponentStatusList",
    apiVersion: "v1",
    metadata: {},
    items: objects,
  });
}
