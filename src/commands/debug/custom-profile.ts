import { readTyped } from "../../actions/read-typed.js";
import { builtInPatchSchema } from "../../actions/three-way-patch.js";
import type { TypedKinds } from "../../actions/typed-object.js";
import { decodeJson } from "../../machinery/codec/json-decoder.js";
import { type Fields, list, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";

/** Merges --custom into the container `name` of a list of the pod's spec. */
export type ApplyCustomProfile = (
  spec: Fields,
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
  const container = asContainer(await parse(file, content), kinds);
  return { container, check: () => checkFields(container) };
}

function checkFields({ name, command, image, lifecycle, volumeDevices }: ReadonlyFields): void {
  const fixed = text(name) !== "" || text(image) !== "" || lifecycle !== undefined;
  if (fixed || list(command).length > 0 || list(volumeDevices).length > 0) {
    throw new Error("name, command, image, lifecycle and volume devices are not modifiable via custom profile");
  }
}

async function parse(file: string, content: string): Promise<JsonObject> {
  const { readDocuments } = await import("../../machinery/yaml/documents.js");
  let value: unknown;
  try {
    value = decodeJson(content).value;
  } catch {
    try {
      value = [...readDocuments(content)][0]?.value ?? {};
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`${file} does not contain a valid container spec: ${message}`, { cause: error });
    }
  }
  if (isJsonObject(value)) return value;
  throw new Error(`${file} does not contain a valid container spec: it is no object`);
}

/** As Go's type holds it. */
function asContainer(container: JsonObject, kinds: TypedKinds): ReadonlyFields {
  const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [container] } };
  const [read = {}] = objects(object(readTyped(pod, kinds).spec).containers);
  return read;
}

/** A strategic merge, as the server would do it. */
export async function customProfileMerger(): Promise<ApplyCustomProfile> {
  const schema = await builtInPatchSchema({ group: "", version: "v1", kind: "Pod" });
  return (spec, field, name, custom) => {
    if (custom === undefined) return;
    if (!objects(spec[field]).some((container) => container.name === name)) {
      throw new Error(`unable to find the ${name} container in the pod`);
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
