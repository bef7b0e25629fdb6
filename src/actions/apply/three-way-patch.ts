import type { OpenApi } from "../../client/openapi/openapi.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { createThreeWayJsonMergePatch, createMergePatch } from "../../machinery/patch/merge-patch.js";
import { isPatchError, PatchError } from "../../machinery/patch/patch-error.js";
import { type PatchSchema, fromSchema } from "../../machinery/patch/strategic-schema.js";
import { createThreeWayMergePatch, createTwoWayMergePatch } from "../../machinery/patch/strategic-diff.js";
import { sortedJson } from "../../resource/encode-json.js";
import { isInScheme, loadScheme } from "../typed/kubectl-scheme.js";
import { lastApplied } from "./last-applied.js";
import { downloadLegacyOpenApi } from "../legacy-openapi.js";

export interface ThreeWayPatch {
  readonly type: "strategic" | "merge";
  readonly patch: JsonObject;
  /** The patch as it is sent; "{}" when there is nothing to do. */
  readonly text: string;
}

export interface PatchSources {
  readonly client: RestClient;
  /** Merge keys as the server publishes them; without it the built-in types' own are used. */
  readonly openapi?: OpenApi | undefined;
  /** Values the server holds give way to those that are applied. */
  readonly overwrite: boolean;
  /** Told when the server's merge keys did not do and the built-in ones are tried. */
  readonly warn: (message: string) => void;
}

/**
 * Computes the patch by which `kubectl apply` changes `current` to `modified` (JSON); the last applied configuration comes from
 * `current`'s annotation. A kind without merge keys gets a JSON merge patch. Throws kubectl's error, which contains all three
 * documents, when there is no such patch.
 */
export async function threeWayPatch(
  kind: GroupVersionKind,
  modified: string,
  current: KubeObject,
  { client, openapi, overwrite, warn }: PatchSources,
): Promise<ThreeWayPatch> {
  const originalText = lastApplied(current) ?? "";
  const compute = async (schema: PatchSchema): Promise<ThreeWayPatch> => {
    const render = await yamlRenderer();
    const [before, after, live] = [parse(originalText), parse(modified), current as JsonObject];
    return made("strategic", createThreeWayMergePatch(before, after, live, schema, { overwrite, render }));
  };

  const builtIn = async (): Promise<ThreeWayPatch> => {
    try {
      const schema = await builtInPatchSchema(kind);
      return schema === undefined ? await mergePatch(originalText, modified, current) : await compute(schema);
    } catch (error) {
      const live = `${sortedJson(current)}\n`;
      const text = `creating patch with:\noriginal:\n${originalText}\nmodified:\n${modified}\ncurrent:\n${live}\nfor: ${(error as Error).message}`;
      throw new Error(text, { cause: error });
    }
  };

  const published = await openapi?.patchSchema(kind).catch(() => undefined);
  if (published === undefined) return builtIn();
  try {
    return await compute(published);
  } catch (error) {
    const message = (error as Error).message;
    warn(`error calculating patch from openapi v3 spec: ${message}`);
    const outcome = builtIn();
    await warnOfLegacy(client, message, outcome, warn);
    return outcome;
  }
}

/** kubectl tries the server's older document in between; it fails alike, but names the type of a missing field. */
async function warnOfLegacy(
  client: RestClient,
  message: string,
  outcome: Promise<unknown>,
  warn: (message: string) => void,
): Promise<void> {
  const definition = await outcome.then(
    () => undefined,
    (error: Error) => (isPatchError(error.cause) ? error.cause.definition : undefined),
  );
  await downloadLegacyOpenApi(client).then(
    () =>
      warn(
        `error calculating patch from openapi spec: ${message}${definition === undefined ? "" : ` in ${definition}`}`,
      ),
    () => undefined,
  );
}

/** The merge keys of a type that kubectl has built in. They are loaded here, on first use, because most commands do not need them. */
export async function builtInPatchSchema(kind: GroupVersionKind): Promise<PatchSchema | undefined> {
  if (!isInScheme(kind)) return undefined;
  const { schemaFor } = await import("../../api/facts/index.js");
  const schema = schemaFor(kind) ?? (await loadScheme())(kind);
  return schema && fromSchema(schema);
}

async function mergePatch(original: string, modified: string, current: KubeObject): Promise<ThreeWayPatch> {
  const live = current as JsonObject;
  const patch = createThreeWayJsonMergePatch(parse(original), parse(modified), live, await yamlRenderer());
  const { metadata } = patch;
  const renamed = isJsonObject(metadata) && Object.hasOwn(metadata, "name");
  if (Object.hasOwn(patch, "apiVersion") || Object.hasOwn(patch, "kind") || renamed) {
    throw new Error("At least one of apiVersion, kind and name was changed");
  }
  return made("merge", patch);
}

const made = (type: ThreeWayPatch["type"], patch: JsonObject): ThreeWayPatch => ({
  type,
  patch,
  text: sortedJson(patch),
});

async function yamlRenderer(): Promise<(patch: JsonObject) => string> {
  const { emitYaml } = await import("../../machinery/text/yaml/emit.js");
  return emitYaml;
}

/** "" is an object without fields. */
function parse(text: string): JsonObject {
  if (text === "") return {};
  let value: unknown;
  try {
    ({ value } = decodeJson(text));
  } catch {
    throw new PatchError("invalid JSON document", "malformed");
  }
  if (value === null) return {};
  if (!isJsonObject(value)) throw new PatchError("invalid JSON document", "malformed");
  return value;
}

export interface CalculatedPatch {
  /** "strategic" for the built-in kinds, whose merge keys are known, else "merge". */
  readonly type: "strategic" | "merge";
  readonly patch: JsonObject;
  /** The patch as it is sent; "{}" when both are alike. */
  readonly text: string;
}

/** Computes the patch that changes `before` to `after`. Neither is modified. */
export async function calculatePatch(
  kind: GroupVersionKind,
  before: KubeObject,
  after: KubeObject,
): Promise<CalculatedPatch> {
  const [original, modified] = [before as JsonObject, after as JsonObject];
  const schema = await builtInPatchSchema(kind);
  const patch =
    schema === undefined ? createMergePatch(original, modified) : createTwoWayMergePatch(original, modified, schema);
  return { type: schema === undefined ? "merge" : "strategic", patch, text: sortedJson(patch) };
}
