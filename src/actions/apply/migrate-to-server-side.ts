import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { isConflict } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { fieldElement } from "../../machinery/apply/path-element.js";
import { ownersOf, upgradeManager } from "../../machinery/apply/upgrade-managers.js";
import { encodeBody, sortedJson } from "../../resource/encode-json.js";
import type { Helper } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { LAST_APPLIED, lastApplied } from "./last-applied.js";

/** Whose server-side apply keeps the annotation of client-side apply up to date. */
export const SERVER_SIDE_MANAGER = "kubectl";
/** Under this name the annotation is kept from going with the fields of client-side apply. */
export const LAST_APPLIED_MANAGER = "kubectl-last-applied";

const ANNOTATION = ["metadata", "annotations", LAST_APPLIED].map(fieldElement);
const ATTEMPTS = 5;

/**
 * Makes the annotation of client-side apply owned by an applier of its own, so that server-side apply does not drop it.
 * Nothing happens where there is none, where it is owned, or where another than kubectl's own manager applies.
 * `helper` sends as {@link LAST_APPLIED_MANAGER}.
 */
export async function keepLastApplied(info: Info, fieldManager: string, helper: Helper): Promise<void> {
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
export async function migrateManagedFields(info: Info, fieldManager: string, helper: Helper): Promise<boolean> {
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
