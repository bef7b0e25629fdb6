import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { throwAll } from "../../resource/visitor.js";
import type { TypedKinds } from "./typed-object.js";

/**
 * Returns a copy in the form of the kind's Go type: without fields that the type lacks, with quantities and times in canonical
 * form, and with the fields that the type always writes (`status: {}`). Throws for a kind that is not built in.
 */
export function readTyped(object: KubeObject, kinds: TypedKinds): KubeObject {
  const schema = kinds.schema(object);
  const { object: held } = decodeObject<KubeObject>(object, schema, { mode: "Ignore" });
  const { kind = "", apiVersion = "" } = object;
  return decodeJson(kinds.encode({ ...held, kind, apiVersion })).value as KubeObject;
}

/** Reads each object as {@link readTyped} does. Throws all errors together. */
export function readAllTyped(infos: readonly Info[], kinds: TypedKinds): readonly Info[] {
  const failures: unknown[] = [];
  const read = infos.flatMap((info) => {
    try {
      return [{ ...info, object: readTyped(info.object ?? {}, kinds) }];
    } catch (error) {
      failures.push(error);
      return [];
    }
  });
  throwAll(failures);
  return read;
}
