import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { PartialObjectMetadata, Table, TableRow } from "../../../api/types/meta/v1.js";
import type { ComponentCondition, ComponentStatus, ComponentStatusList } from "../../../api/types/core/v1.js";
import { notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResponseFormat } from "../../endpoints/negotiation/response-format.js";
import { fieldLabelsOf } from "../../endpoints/options/field-labels.js";
import { listOptions } from "../../endpoints/options/list-options.js";
import { NOT_STORED, type RecordOf } from "../../endpoints/resource-record.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { respondValue } from "../../endpoints/verbs/answer.js";
import { objectFormat } from "../../endpoints/verbs/scope.js";
import type { ApiRequest } from "../../request/api-request.js";
import { name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** The parts of this control plane, all in one process: a client that gets an answer finds them healthy. */
const NAMES = ["controller-manager", "etcd-0", "scheduler"];

export const componentStatusRecord: RecordOf<ComponentStatus> = {
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
  const { labels, fields } = listOptions(request, fieldLabelsOf(resource));
  const names = NAMES.filter((component) => labels.matches({}) && fields.matches({ "metadata.name": component }));
  await respondObjects(request, resource, format, names.map(componentStatus), true);
}

async function handleComponentStatus(request: ApiRequest, resource: ServedResource): Promise<void> {
  const { name: wanted } = request.info;
  if (!NAMES.includes(wanted)) throw notFound({ group: "", resource: "componentstatuses" }, wanted);
  await respondObjects(request, resource, objectFormat(request.exchange, resource), [componentStatus(wanted)], false);
}

function componentStatus(component: string): KubeObject {
  const conditions: ComponentCondition[] = [{ type: "Healthy", status: "True", message: "ok" }];
  const made: ComponentStatus = {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name: component },
    conditions,
  };
  return { ...made };
}

const COLUMNS = columns(
  [
    "Name",
    ["Status", "Whether the component says that it is healthy."],
    ["Message", "What the component answers to that question."],
    ["Error", "Why the component could not be asked."],
  ],
  (component) => [name(component), "Healthy", "ok", ""],
);

async function respondObjects(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  objects: readonly KubeObject[],
  list: boolean,
): Promise<void> {
  const { metaVersion } = format;
  if (format.shape === "Table") {
    const apiVersion = `meta.k8s.io/${metaVersion}`;
    const rows = objects.map((component) => {
      const object: FieldsOf<PartialObjectMetadata> = {
        kind: "PartialObjectMetadata",
        apiVersion,
        metadata: component.metadata,
      };
      return { cells: COLUMNS.cells(component, resource.now()), object } satisfies FieldsOf<TableRow>;
    });
    const columnDefinitions = COLUMNS.definitions;
    const table: FieldsOf<Table> = { kind: "Table", apiVersion, metadata: {}, columnDefinitions, rows };
    return respondValue(request, format, 200, table);
  }
  const [only] = objects;
  if (!list && only !== undefined) return respondValue(request, format, 200, only, resource.codec.schema);
  const all: FieldsOf<ComponentStatusList> = {
    kind: "ComponentStatusList",
    apiVersion: "v1",
    metadata: {},
    items: objects,
  };
  await respondValue(request, format, 200, all);
}
