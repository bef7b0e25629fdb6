import { goQuote } from "../../base/text/go-quote.js";
import type { OpenApi } from "../../client/openapi/openapi.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { setOwn } from "../../machinery/patch/json-values.js";
import { Helper } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";
import { retrieveWith } from "../../resource/retrieve.js";
import { formatResource } from "../../resource/selector-source.js";
import { createObject } from "../create-object.js";
import { lastApplied, withLastApplied } from "./last-applied.js";
import { PatchObject, type Recreate } from "../patch-object.js";
import { withSource } from "../source-error.js";

export type DryRun = "none" | "client" | "server";

export interface ApplyOptions {
  readonly client: RestClient;
  /** Absent: merge keys of the built-in types. */
  readonly openapi?: OpenApi | undefined;
  readonly dryRun: DryRun;
  readonly fieldManager: string;
  readonly fieldValidation: string;
  readonly overwrite: boolean;
  /** Present: what cannot be patched is deleted with these options and created again. */
  readonly recreate?: Recreate | undefined;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The live object, by {@link readLive}, where the caller reads it ahead. */
  readonly live?: (() => Promise<KubeObject | undefined>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The events of applying one object, in order; the last one tells the outcome. */
export type ApplyEvent =
  /** The object was not applied before: what is missing from the file cannot be told from what others set. */
  | { readonly type: "missingLastApplied" }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "created" | "configured" | "unchanged"; readonly object: KubeObject; readonly deleting: boolean };

/**
 * Updates the server's object to `info.object`, keeps the fields that others set, and refreshes `info` with the result. A conflict
 * is retried up to five times. Throws kubectl's error; objects that were written before stay.
 */
export async function* applyObject(info: Info, options: ApplyOptions): AsyncGenerator<ApplyEvent, void> {
  requireName(info);
  const wanted = info.object ?? {};
  const helper = new Helper(options.client, info.mapping, {
    dryRun: options.dryRun === "server",
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    signal: options.signal,
  });
  const applied = withLastApplied(wanted);
  const live = await (options.live?.() ?? readLive(info, options));
  if (live === undefined) {
    const object = withoutNulls(applied as JsonObject) as KubeObject;
    await createObject(info, object, helper, options.dryRun !== "client");
    yield { type: "created", object: info.object ?? object, deleting: false };
    return;
  }
  if (lastApplied(live) === undefined) yield { type: "missingLastApplied" };

  const warnings: string[] = [];
  const patching = new PatchObject(info, applied, helper, {
    ...options,
    warn: (message) => void warnings.push(message),
  });
  const outcome = await patching.run(live).then(
    (object) => ({ object }),
    (error: unknown) => ({ error }),
  );
  for (const message of warnings) yield { type: "warning", message };
  if ("error" in outcome) throw failedPatch(info, patching.sent, outcome.error);
  const { object } = outcome;
  refresh(info, object);
  const deleting = object.metadata?.deletionTimestamp !== undefined;
  yield { type: patching.sent === "{}" ? "unchanged" : "configured", object, deleting };
}

/** Reads the live object from the server; undefined when it does not exist. */
export async function readLive(
  info: Info,
  { client, signal }: Pick<ApplyOptions, "client" | "signal">,
): Promise<KubeObject | undefined> {
  const copy: Info = { ...info };
  const retrieve = retrieveWith(async () => client, { signal });
  return retrieve(copy).then(
    () => copy.object,
    (error: unknown) => {
      if (isNotFound(error)) return undefined;
      const doing = `retrieving current configuration of:\n${describeInfo(info)}\nfrom server for:`;
      throw withSource(doing, info.source, error);
    },
  );
}

/** Describes an Info as the messages of kubectl apply print it. */
export function describeInfo({ mapping, name, namespace }: Info): string {
  const { group, version, kind } = mapping.kind;
  const resource = goQuote(formatResource(mapping.resource));
  return `Resource: ${resource}, GroupVersionKind: ${goQuote(`${group}/${version}, Kind=${kind}`)}\nName: ${goQuote(name)}, Namespace: ${goQuote(namespace)}`;
}

const failedPatch = (info: Info, sent: string, error: unknown): unknown =>
  withSource(`applying patch:\n${sent}\nto:\n${describeInfo(info)}\nfor:`, info.source, error);

/** What a patch would do with them: nulls are left out. */
function withoutNulls(value: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [key, item] of Object.entries(value)) if (item !== null) setOwn(kept, key, pruned(item));
  return kept;
}

function pruned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(pruned);
  return isJsonObject(value) ? withoutNulls(value) : value;
}

/** Throws for an object whose name the server generates, because applying it again would create another object. */
export function requireName({ name, object }: Info): void {
  const generateName = object?.metadata?.generateName ?? "";
  if (name === "" && generateName !== "") throw new Error(`from ${generateName}: cannot use generate name with apply`);
}
