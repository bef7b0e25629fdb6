import { humanDuration } from "../../../machinery/text/duration/human-duration.js";
import { number, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { TableColumnDefinition } from "../../registry/table-columns.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import { tableEnvelope } from "../serializers/json/shapes.js";
import type { IncludeObject } from "../serializers/serializer.js";

/** A Scale as a meta.k8s.io Table of one row. `now` is milliseconds since the epoch. */
export function scaleTable(
  scale: KubeObject,
  format: ResponseFormat,
  include: IncludeObject,
  now: number,
): Readonly<Record<string, unknown>> {
  const { metadata = {} } = scale;
  const created = Date.parse(metadata.creationTimestamp ?? "");
  const cells = [
    metadata.name ?? "",
    number(object(scale.spec).replicas),
    number(object(scale.status).replicas),
    Number.isNaN(created) ? "<unknown>" : humanDuration(now - created),
  ];
  const resourceVersion = metadata.resourceVersion ?? "";
  return {
    ...tableEnvelope(format, { resourceVersion }, DEFINITIONS),
    rows: [{ cells, object: riding(scale, format, include) }],
  };
}

function riding(scale: KubeObject, { metaVersion }: ResponseFormat, include: IncludeObject): KubeObject | null {
  if (include === "None") return null;
  if (include === "Object") return scale;
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}`, metadata: scale.metadata ?? {} };
}

const column = (name: string, type: TableColumnDefinition["type"], description: string): TableColumnDefinition => ({
  name,
  type,
  format: "",
  description,
  priority: 0,
});

const DEFINITIONS: readonly TableColumnDefinition[] = [
  column("Name", "string", "The name of the object that is scaled."),
  column("Desired", "integer", "How many pods the object asks for."),
  column("Available", "integer", "How many pods there are."),
  column("Age", "string", "How long ago the object was created."),
];
