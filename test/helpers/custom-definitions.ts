import { expect } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "./api-caller.js";
import { eventually } from "./eventually.js";

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A version of a definition, stored unless `more` says otherwise, whose spec has these properties. */
export const versionOf = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
  ...more,
});

/** A definition of the kind Box in `group`, so that definitions of other groups do not meet it. */
export function boxDefinition(group: string, versions: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList" },
      versions: [...versions],
      ...more,
    },
  };
}

export const boxesOf = (group: string, version = "v1"): string => `/apis/${group}/${version}/namespaces/default/boxes`;

/** Waits until the definition of this name ("boxes.example.com") is established. */
export async function established(api: Transport, name: string): Promise<void> {
  await eventually(async () => {
    const { text } = await call(api, "GET", `${DEFINITIONS}/${name}`);
    expect(text).toContain('"reason":"InitialNamesAccepted"');
  });
}

/** Creates a definition, given as text or as an object, and waits until it is established. */
export async function install(api: Transport, definition: JsonObject | string): Promise<void> {
  const created = await call(api, "POST", DEFINITIONS, definition);
  if (created.status !== 201) throw new Error(created.text);
  await established(api, created.at("metadata.name") as string);
}
