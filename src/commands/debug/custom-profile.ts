import { readTyped } from "../../actions/typed/read-typed.js";
import { builtInPatchSchema } from "../../actions/apply/three-way-patch.js";
import type { TypedKinds } from "../../actions/typed/typed-object.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import {
  ensureChild,
  type Fields,
  list,
  object,
  objects,
  type ReadonlyFields,
  text,
} from "../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";
import type { StructSchema } from "../../machinery/schema/schema.js";

/** Merges --custom into the container `name` of a list of the pod's spec. Throws where the list has no such container. */
export type ApplyCustomProfile = (
  pod: Fields,
  field: "containers" | "ephemeralContainers",
  name: string,
  custom: ReadonlyFields | undefined,
) => void;

export interface CustomProfile {
  readonly container: ReadonlyFields;
  /** Throws for fields that a profile may not change. */
  readonly check: () => void;
}

/** The container of a file with JSON or YAML. Throws where it is none. */
export async function parseCustomProfile(file: string, content: string, kinds: TypedKinds): Promise<CustomProfile> {
  try {
    const container = asContainer(await parse(content), kinds);
    return { container, check: () => checkFields(container) };
  } catch (error) {
    throw new Error(`${file} does not contain a valid container spec: ${(error as Error).message}`, { cause: error });
  }
}

function checkFields({ name, command, image, lifecycle, volumeDevices }: ReadonlyFields): void {
  const fixed = text(name) !== "" || text(image) !== "" || lifecycle !== undefined;
  if (fixed || list(command).length > 0 || list(volumeDevices).length > 0) {
    throw new Error("name, command, image, lifecycle and volume devices are not modifiable via custom profile");
  }
}

/** JSON, or the first document of YAML. A file without a document is an object without fields, and so is null. */
async function parse(content: string): Promise<JsonValue> {
  try {
    return decodeJson(content).value as JsonValue;
  } catch {
    const { parseYaml } = await import("../../machinery/text/yaml/read.js");
    return parseYaml(content);
  }
}

/** As Go's type holds it. */
function asContainer(value: JsonValue, kinds: TypedKinds): ReadonlyFields {
  try {
    decodeObject(value, containerSchema(kinds), { mode: "Ignore" });
    const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [value ?? {}] } };
    const [read = {}] = objects(object(readTyped(pod, kinds).spec).containers);
    return read;
  } catch (error) {
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${(error as Error).message}`, { cause: error });
  }
}

function containerSchema(kinds: TypedKinds): StructSchema {
  const spec = kinds.schema({ apiVersion: "v1", kind: "Pod" }).byName.get("spec")?.schema;
  const containers = spec?.type === "struct" ? spec.byName.get("containers")?.schema : undefined;
  if (containers?.type !== "list" || containers.items.type !== "struct") throw new Error("a pod has no containers");
  return containers.items;
}

/** A strategic merge, as the server would do it. */
export async function customProfileMerger(): Promise<ApplyCustomProfile> {
  const schema = await builtInPatchSchema({ group: "", version: "v1", kind: "Pod" });
  return (pod, field, name, custom) => {
    if (custom === undefined) return;
    const spec = ensureChild(pod, "spec");
    if (!objects(spec[field]).some((container) => container.name === name)) {
      throw new Error(`unable to find the ${name} container in the pod ${text(object(pod["metadata"]).name)}`);
    }
    spec[field] = objects(spec[field]).map((container) => {
      if (container.name !== name) return container;
      // An ephemeral container has a container's fields, and its list may not be merged as the list of containers is.
      const original = { spec: { containers: [container] } } as JsonObject;
      const patch = { spec: { containers: [{ ...custom, name }] } } as JsonObject;
      return objects(object(strategicMergePatch(original, patch, schema)["spec"]).containers)[0];
    });
  };
}
