import type { KubeObject } from "../machinery/meta/object.js";
import type { DeleteOptions, Helper } from "../resource/helper.js";
import type { Info } from "../resource/info.js";
import { withSource } from "./source-error.js";

/** Deletes the object. Resolves with its uid when the server returns one, so that the caller does not wait for a new object of the same name. */
export async function deleteObject(info: Info, helper: Helper, options: DeleteOptions): Promise<string | undefined> {
  try {
    return uidOf(await helper.delete(info.namespace, info.name, options));
  } catch (error) {
    throw withSource("deleting", info.source, error);
  }
}

/** Of a Status, of what it is about; else of the object itself. */
function uidOf(answer: KubeObject): string | undefined {
  if (answer.kind !== "Status") return answer.metadata?.uid;
  const { details } = answer;
  if (typeof details !== "object" || details === null || !("uid" in details)) return undefined;
  return typeof details.uid === "string" ? details.uid : undefined;
}
