import type { OpenApi } from "../../client/openapi/openapi.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { retrieveWith } from "../../resource/retrieve.js";
import { actionSurroundings, type ActionSurroundings } from "../surroundings.js";
import { infoOf } from "../../resource/info-of.js";
import type { ActionClient } from "../target.js";
import { isSecret, maskSecret, withoutServerFields } from "./hidden-fields.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { encodeBody } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import { withoutLastApplied } from "../apply/last-applied.js";
import { PatchObject } from "../patch-object.js";

export interface DiffObjectOptions extends ActionSurroundings {
  readonly client: ActionClient;
  /** The object that would be applied, or its Info. */
  readonly object: ApiObject | Info;
  /** Compares with what server-side apply would make of it. Default false: with what a three-way patch would. */
  readonly serverSide?: boolean | undefined;
  /** With `serverSide`: takes fields over from other managers, rather than throw their conflict. Default false. */
  readonly forceConflicts?: boolean | undefined;
  /** The manager that would apply. Default "kubets". */
  readonly fieldManager?: string | undefined;
  /** Merge keys as the server publishes them. Default: those of the built-in types. */
  readonly openapi?: (() => Promise<OpenApi>) | undefined;
  /** Default false: the values of Secrets are asterisks, and one that differs shows that it does. */
  readonly showSecrets?: boolean | undefined;
  /**
   * Which fields are compared: "all", those but "managedFields", or only what a "manifest" sets (no status, identity, versions and
   * times). Default "unmanaged".
   */
  readonly fields?: DiffFields | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type DiffFields = "all" | "unmanaged" | "manifest";

/** What happens while an object is compared; the last one is the result. */
export type DiffEvent =
  /** The live object was read; undefined: there is none. Comes again after a conflict. */
  | { readonly type: "read"; readonly live: KubeObject | undefined }
  /** The object changed during each attempt. The last one compares whatever version there is. */
  | { readonly type: "keepsChanging" }
  | { readonly type: "warning"; readonly message: string }
  /** The live object and what apply would make of it, both as options show them. */
  | { readonly type: "compared"; readonly live: KubeObject | undefined; readonly merged: KubeObject };

const ATTEMPTS = 4;

/**
 * Reads an object, and gets the result of applying from the server by a dry run. An object that changes in between is read and
 * merged again, up to three times. Throws the server's error, and a NoMatchError for a kind that the server lacks.
 */
export async function* diffObject(options: DiffObjectOptions): AsyncGenerator<DiffEvent, void, undefined> {
  const { client, serverSide = false, forceConflicts = false, fieldManager = "kubets", openapi, signal } = options;
  const { timers } = actionSurroundings(options);
  const { rest } = client;
  const given = "mapping" in options.object ? options.object : await infoOf(client, options.object);
  const local = given.object ?? {};
  for (let attempt = 1; ; attempt++) {
    const info: Info = { ...given };
    await readLive(info, options);
    yield { type: "read", live: info.object };
    const lock = attempt < ATTEMPTS;
    if (!lock) yield { type: "keepsChanging" };
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const merging = { rest, timers, serverSide, forceConflicts, fieldManager, openapi, warn, signal };
    const outcome = await mergedObject(info, local, lock, merging).then(
      (merged) => ({ merged }),
      (error: unknown) => ({ error }),
    );
    for (const message of warnings) yield { type: "warning", message };
    if ("merged" in outcome) {
      yield { type: "compared", ...shown(info.object, outcome.merged, options) };
      return;
    }
    if (!isConflict(outcome.error) || !lock) throw outcome.error;
  }
}

async function readLive(info: Info, { client, signal }: DiffObjectOptions): Promise<void> {
  try {
    await retrieveWith(async () => client.rest, { signal })(info);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    delete info.object;
  }
}

function shown(
  live: KubeObject | undefined,
  merged: KubeObject,
  { fields = "unmanaged", showSecrets = false }: DiffObjectOptions,
): { readonly live: KubeObject | undefined; readonly merged: KubeObject } {
  const visible = VISIBLE[fields];
  const versions = { from: live && visible(live), to: visible(merged) };
  const { from, to } = showSecrets || !isSecret(merged) ? versions : maskSecret(versions);
  return { live: from, merged: to };
}

const VISIBLE: Readonly<Record<DiffFields, (object: KubeObject) => KubeObject>> = {
  all: (object) => object,
  unmanaged: (object) => {
    const { managedFields: _managed, ...metadata } = object.metadata ?? {};
    return { ...object, metadata };
  },
  manifest: withoutServerFields,
};

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
async function mergedObject(info: Info, local: KubeObject, lock: boolean, options: MergeOptions): Promise<KubeObject> {
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
