import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { throwAll } from "../../resource/visitor.js";
import type { TypedKinds } from "./typed-object.js";

/**
 * A copy as Go holds it in the kind's type: without fields the type does not have, quantities and times in their
 * canonical form, what the type never leaves out (`status: {}`) there. Throws for a kind that is not built in.
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
