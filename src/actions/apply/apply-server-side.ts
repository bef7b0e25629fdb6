import { errorMessage } from "../../base/text/error-message.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isConflict, isStatusError } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { encodeBody, sortedJson } from "../../resource/encode-json.js";
import { Helper, type HelperOptions } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { fieldElement } from "../../machinery/apply/path-element.js";
import { ownersOf, upgradeManager } from "../../machinery/apply/upgrade-managers.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { LAST_APPLIED, lastApplied } from "./last-applied.js";

export interface ServerSideOptions {
  readonly client: RestClient;
  /** True: the server does everything but keep the result. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: string;
  /** "": the object itself. */
  readonly subresource: string;
  /** Take over fields that others manage. */
  readonly force: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type ServerSideEvent =
  /** The object is applied, but the way from client-side apply to server-side apply is not done with. */
  | {
      readonly type: "migrationFailed";
      readonly step: "lastApplied" | "managedFields" | "reapply";
      readonly error: unknown;
    }
  | { readonly type: "applied"; readonly object: KubeObject; readonly deleting: boolean };

/**
 * Applies `info.object` on the server side and refreshes `info` with the result. On the first apply after client-side apply it
 * moves the fields to the new manager, and applies once more so that fields that left the file are removed. A conflict throws,
 * with advice.
 */
export async function* applyServerSide(info: Info, options: ServerSideOptions): AsyncGenerator<ServerSideEvent, void> {
  const wanted = encodeBody(info.object ?? {});
  const { client, dryRun, fieldManager, fieldValidation, subresource, force, signal } = options;
  const request: HelperOptions = { dryRun, fieldManager, fieldValidation, subresource, signal };
  const helper = new Helper(client, info.mapping, request);
  const apply = (): Promise<KubeObject> => helper.patch(info.namespace, info.name, "apply", wanted, force);
  refresh(info, await apply().catch((error: unknown) => Promise.reject(explained(error))));

  const keeper = new Helper(client, info.mapping, { ...request, fieldManager: LAST_APPLIED_MANAGER });
  const kept = await attempt(() => keepLastApplied(info, fieldManager, keeper));
  if (kept.error !== undefined) yield { type: "migrationFailed", step: "lastApplied", error: kept.error };
  else {
    const migrated = await attempt(() => migrateManagedFields(info, fieldManager, helper));
    if (migrated.error !== undefined) yield { type: "migrationFailed", step: "managedFields", error: migrated.error };
    if (migrated.value === true) {
      const again = await attempt(apply);
      if (again.error !== undefined) yield { type: "migrationFailed", step: "reapply", error: again.error };
      if (again.value !== undefined) refresh(info, again.value);
    }
  }
  const object = info.object ?? {};
  yield { type: "applied", object, deleting: object.metadata?.deletionTimestamp !== undefined };
}

async function attempt<T>(act: () => Promise<T>): Promise<{ readonly value?: T; readonly error?: unknown }> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error };
  }
}

function explained(error: unknown): unknown {
  const message = errorMessage(error);
  if (isStatusError(error) && error.code === 415) {
    return new Error(`Server-side apply not available on the server: (${message})`, { cause: error });
  }
  return isConflict(error) ? new Error(`${message}\n${CONFLICT_ADVICE}`, { cause: error }) : error;
}

const CONFLICT_ADVICE = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`;

/** The field manager whose server-side apply also updates the annotation of client-side apply. */
export const SERVER_SIDE_MANAGER = "kubectl";
/** Under this name the annotation is kept from going with the fields of client-side apply. */
const LAST_APPLIED_MANAGER = "kubectl-last-applied";

const ANNOTATION = ["metadata", "annotations", LAST_APPLIED].map(fieldElement);
const ATTEMPTS = 5;

/**
 * Makes the annotation of client-side apply owned by an applier of its own, so that server-side apply does not drop it.
 * Nothing happens where there is none, where it is owned, or where another than kubectl's own manager applies.
 * `helper` sends as {@link LAST_APPLIED_MANAGER}.
 */
async function keepLastApplied(info: Info, fieldManager: string, helper: Helper): Promise<void> {
  const { metadata } = info.object ?? {};
  const recorded = lastApplied(info.object ?? {});
  if (fieldManager !== SERVER_SIDE_MANAGER || recorded === undefined) return;
  if (ownersOf(metadata?.managedFields ?? [], "Apply", ANNOTATION).length > 0) return;
  const { kind } = info.mapping;
  const { name, namespace } = metadata ?? {};
  const only: KubeObject = {
    apiVersion: formatGroupVersion(kind),
    kind: kind.kind,
    metadata: { ...(name && { name }), ...(namespace && { namespace }), annotations: { [LAST_APPLIED]: recorded } },
  };
  refresh(info, await helper.patch(info.namespace, info.name, "apply", encodeBody(only)));
}

/**
 * Hands over what client-side apply manages to the applier `fieldManager`. False when there was nothing to hand over.
 * A conflict is tried again, up to five times; then the next apply may try.
 */
async function migrateManagedFields(info: Info, fieldManager: string, helper: Helper): Promise<boolean> {
  const owners = ownersOf(info.object?.metadata?.managedFields ?? [], "Update", ANNOTATION);
  const managers = new Set(owners.map(({ manager }) => (typeof manager === "string" ? manager : "")));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const patch = migrationPatch(info.object ?? {}, managers, fieldManager);
    if (patch === undefined) return false;
    try {
      refresh(info, await helper.patch(info.namespace, info.name, "json", new TextEncoder().encode(patch)));
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      info.object = await helper.get(info.namespace, info.name);
    }
  }
  return false;
}

/** The version goes with it, so that a change in between is a conflict. */
function migrationPatch({ metadata }: KubeObject, managers: ReadonlySet<string>, to: string): string | undefined {
  const before = metadata?.managedFields ?? [];
  let after: readonly JsonObject[] = before;
  for (const manager of managers) after = upgradeManager(after, manager, to);
  if (after === before) return undefined;
  const entries = after.map((entry) => encodeEntry(entry, before.includes(entry)));
  const version = encodeJson(metadata?.resourceVersion ?? "");
  const value = entries.length === 0 ? "null" : `[${entries.join(",")}]`;
  return `[{"op":"replace","path":"/metadata/managedFields","value":${value}},{"op":"replace","path":"/metadata/resourceVersion","value":${version}}]`;
}

/** In the order of Go's type. Fields that were not touched pass through a Go map, which orders them by their bytes. */
function encodeEntry(entry: JsonObject, untouched: boolean): string {
  const names = ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];
  const members = names
    .filter((name) => Object.hasOwn(entry, name) && entry[name] !== "")
    .map((name) => {
      const value = entry[name];
      return `${encodeJson(name)}:${name === "fieldsV1" && untouched ? sortedJson(value) : encodeJson(value)}`;
    });
  return `{${members.join(",")}}`;
}
