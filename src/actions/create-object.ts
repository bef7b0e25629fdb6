import type { KubeObject } from "../machinery/meta/object.js";
import type { Helper } from "../resource/helper.js";
import { type Info, refresh } from "../resource/info.js";
import { withSource } from "./source-error.js";

/** Creates `object` at the place of `info` and refreshes it with the answer; with `send` false only `info` changes. */
export async function createObject(info: Info, object: KubeObject, helper: Helper, send: boolean): Promise<void> {
  info.object = object;
  if (!send) return;
  const created = await helper.create(info.namespace, object).catch((error: unknown) => {
    throw withSource("creating", info.source, error);
  });
  refresh(info, created);
}
