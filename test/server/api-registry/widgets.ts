import { int32, list, string, struct } from "../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition, ResourceVersion } from "../../../src/server/api-registry/resource-definition.js";

export const GROUP = "stable.example.com";
export const COLLECTION = `/apis/${GROUP}/v1/namespaces/default/widgets`;

const v1: ResourceVersion = {
  version: "v1",
  schema: struct("Widget", {
    spec: struct("WidgetSpec", { size: { schema: int32, default: 1 }, colours: list(string, { listType: "set" }) }),
    status: struct("WidgetStatus", { phase: string }),
  }),
  subresources: [{ name: "status" }],
};

/** The older version has a field of another name. */
const v1beta1: ResourceVersion = {
  version: "v1beta1",
  schema: struct("Widget", {
    spec: struct("WidgetSpec", { width: int32, colours: list(string, { listType: "set" }) }),
    status: struct("WidgetStatus", { phase: string }),
  }),
  subresources: [{ name: "status" }],
  conversion: {
    toHub: ({ spec, ...rest }) => ({ ...rest, spec: renamed(spec, "width", "size") }),
    fromHub: ({ spec, ...rest }) => ({ ...rest, spec: renamed(spec, "size", "width") }),
  },
};

function renamed(spec: unknown, from: string, to: string): object {
  const { [from]: value, ...rest } = (spec ?? {}) as Record<string, unknown>;
  return value === undefined ? rest : { ...rest, [to]: value };
}

/** Widgets in two versions, stored as v1. */
export const widgets: ResourceDefinition = {
  group: GROUP,
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
  shortNames: ["wd"],
  categories: ["all"],
  versions: [v1, v1beta1],
};
