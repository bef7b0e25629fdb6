import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { OpenApi } from "../../client/openapi/openapi.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { encodeBody } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { withoutLastApplied } from "../apply/last-applied.js";
import { PatchObject } from "../patch-object.js";

export interface MergeOptions {
  readonly rest: RestClient;
  readonly timers: Timers;
  readonly serverSide: boolean;
  readonly forceConflicts: boolean;
  readonly fieldManager: string;
  readonly openapi: (() => Promise<OpenApi>) | undefined;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * The object as it would be after apply: the server is asked, and keeps nothing. `info.object` is the live one, or undefined
 * when there is none. With `lock` a change since then is a conflict.
 */
export async function mergedObject(
  info: Info,
  local: KubeObject,
  lock: boolean,
  options: MergeOptions,
): Promise<KubeObject> {
  const { rest: client, fieldManager, serverSide, forceConflicts, signal, timers, warn } = options;
  const { namespace, name, object: live } = info;
  const helper = new Helper(client, info.mapping, { dryRun: true, fieldManager, signal });
  if (serverSide) return helper.patch(namespace, name, "apply", encodeBody(local), forceConflicts);
  if (live === undefined) return helper.create(namespace, local);
  const patching = new PatchObject(info, withoutLastApplied(local), helper, {
    client,
    openapi: await options.openapi?.(),
    overwrite: true,
    dryRun: "server",
    resourceVersion: lock ? (live.metadata?.resourceVersion ?? "") : undefined,
    sleep: (milliseconds) => pause(timers, milliseconds, signal),
    warn,
  });
  return patching.run(live);
}
