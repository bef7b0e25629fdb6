import { invalidValue } from "../../../../src/machinery/errors/field-error.js";
import { alreadyExists } from "../../../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { anyJson, int32, list, string, struct, time } from "../../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition } from "../../../../src/server/api-registry/resource-definition.js";
import type { ObjectSource } from "../../../../src/server/registry/plain-objects/object-source.js";

export const WIDGETS = "/apis/stable.example.com/v1/namespaces/default/widgets";
export const GROUP = "stable.example.com";

type Size = { size?: number };

/** Widgets, without the code that keeps them. */
export const widgets: ResourceDefinition = {
  group: GROUP,
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
  versions: [
    {
      version: "v1",
      schema: struct("Widget", {
        spec: struct("WidgetSpec", {
          size: int32,
          color: { schema: string, default: "red" },
          since: time,
          parts: list(struct("WidgetPart", { name: string })),
          rest: anyJson,
        }),
        status: struct("WidgetStatus", { phase: string }),
      }),
      subresources: [{ name: "status" }],
    },
  ],
  strategy: {
    hasGeneration: true,
    validate: ({ spec }) =>
      ((spec ?? {}) as Size).size === 1000 ? [invalidValue("spec.size", 1000, "is too large")] : [],
  },
};

/** Widgets that the source keeps. */
export const keptIn = (objects: ObjectSource, options: object = {}): ResourceDefinition => ({
  ...widgets,
  storage: { objects, ...options },
});

/** A source that keeps plain objects in a map, by "<namespace>/<name>". */
export function objectsOf(
  kept: Map<string, KubeObject>,
): Required<Pick<ObjectSource, "get" | "list" | "create" | "update" | "delete" | "deleteCollection">> {
  const keyOf = ({ metadata = {} }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
  return {
    get: (name, { namespace }) => kept.get(`${namespace}/${name}`),
    list: ({ namespace }) => [...kept.values()].filter(({ metadata }) => ["", metadata?.namespace].includes(namespace)),
    create(object) {
      const key = keyOf(object);
      if (kept.has(key)) throw alreadyExists(widgets, object.metadata?.name ?? "");
      kept.set(key, object);
    },
    update: (object) => void kept.set(keyOf(object), object),
    delete: (name, { namespace }) => void kept.delete(`${namespace}/${name}`),
    deleteCollection(objects) {
      for (const object of objects) kept.delete(keyOf(object));
    },
  };
}
