import { goQuote } from "../../base/text/go-quote.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { applyJsonPatch } from "../../machinery/patch/json-patch.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { BUILD, isInternal } from "../annotations.js";
import { wrap } from "../field-spec.js";
import { idText } from "../id.js";
import type { PatchEntry, Selector } from "../kustomization.js";
import type { Loader } from "../loader.js";
import type { MergeTypes } from "../merge/merge-schema.js";
import { readResources } from "../read-resources.js";
import type { Resource } from "../resource.js";
import type { ResourceList } from "../resource-list.js";
import { select, selectorText } from "../select.js";
import { fromValue, toValue } from "../value.js";

export type Transform = (list: ResourceList) => void;

/**
 * Makes the transformer of an entry in `patches`: strategic merge patches or one JSON patch, which its text decides. `config` is
 * the configuration that errors show.
 */
export async function patchTransform(
  entry: PatchEntry,
  loader: Loader,
  types: MergeTypes,
  config: string,
): Promise<Transform> {
  const { path = "", target, options } = entry;
  const inline = (entry.patch ?? "").trim();
  if (inline === "" && path === "") throw new Error(`must specify one of patch and path in\n${config}`);
  if (inline !== "" && path !== "") throw new Error(`patch and path can't be set at the same time\n${config}`);
  const text = inline === "" ? await loadPatch(path, loader) : inline;
  const source = inline === "" ? `[path: ${goQuote(path)}]` : `[patch: ${goQuote(inline)}]`;
  const patches = attempt(() => readResources(text));
  const operations = attempt(() => readOperations(text));
  if (patches !== undefined && operations !== undefined && patches.length > 0 && operations.length > 0) {
    throw new Error(`illegally qualifies as both an SM and JSON patch: ${source}`);
  }
  if (patches === undefined && operations === undefined) {
    throw new Error(`unable to parse SM or JSON patch from ${source}`);
  }
  if (patches === undefined) return jsonPatch(operations ?? [], target, source);
  for (const patch of patches) {
    if (options?.allowNameChange === true) patch.enable(BUILD.allowNameChange);
    if (options?.allowKindChange === true) patch.enable(BUILD.allowKindChange);
  }
  return target === undefined ? eachItsOwn(patches, types) : onTarget(patches, target, source, types);
}

async function loadPatch(path: string, loader: Loader): Promise<string> {
  return loader.load(path).catch((error: unknown) => {
    throw wrap(error, `failed to get the patch file from path(${path})`);
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function readOperations(text: string): readonly JsonValue[] {
  if (text === "") throw new Error("empty json patch operations");
  return operationsOf(patchValue(text));
}

/** What begins like a list of JSON is JSON, the rest YAML. */
const patchValue = (text: string): JsonValue => (text.startsWith("[") ? decodeJson(text).value : parseYaml(text));

function operationsOf(value: JsonValue): readonly JsonValue[] {
  const refuse = (what: JsonValue, type: string): never => {
    const word = Array.isArray(what)
      ? "array"
      : isJsonObject(what)
        ? "object"
        : typeof what === "boolean"
          ? "bool"
          : typeof what;
    throw new Error(`json: cannot unmarshal ${word} into Go value of type jsonpatch.${type}`);
  };
  if (value === null) return [];
  if (!Array.isArray(value)) return refuse(value, "Patch");
  for (const operation of value) if (operation !== null && !isJsonObject(operation)) refuse(operation, "Operation");
  return value;
}

function eachItsOwn(patches: readonly Resource[], types: MergeTypes): Transform {
  return (list) => {
    for (const patch of patches) {
      const id = patch.originalId;
      try {
        list.theOne(id);
      } catch (error) {
        throw wrap(error, `no resource matches strategic merge patch ${goQuote(idText(id))}`);
      }
      list.theOne(id).applyStrategicMerge(patch, types);
    }
  };
}

function onTarget(patches: readonly Resource[], target: Selector, source: string, types: MergeTypes): Transform {
  return (list) => {
    const [patch] = patches;
    if (patch === undefined) return;
    if (patches.length > 1) {
      throw new Error(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
      );
    }
    let selected: readonly Resource[];
    try {
      selected = select(list.resources, target);
    } catch (error) {
      throw wrap(error, `unable to find patch target ${goQuote(selectorText(target))} in \`resources\``);
    }
    list.applyStrategicMerge(selected, patch, types);
  };
}

function jsonPatch(operations: readonly JsonValue[], target: Selector | undefined, source: string): Transform {
  return (list) => {
    if (target === undefined) throw new Error(`must specify a target for JSON patch ${source}`);
    for (const resource of select(list.resources, target)) {
      resource.storePreviousId();
      applyOperations(resource, operations);
    }
  };
}

function applyOperations(resource: Resource, operations: readonly JsonValue[]): void {
  const internal = Object.entries(resource.annotations).filter(([name]) => isInternal(name));
  const before = toValue(resource.node);
  const after = applyJsonPatch(before, [...operations], { maxOperations: Number.POSITIVE_INFINITY, maxCopiedBytes: 0 });
  resource.node = fromValue(after);
  resource.annotations = { ...resource.annotations, ...Object.fromEntries(internal) };
}

/** Makes the transformer for an entry of the deprecated `patchesJson6902`. */
export async function json6902Transform(entry: PatchEntry, loader: Loader): Promise<Transform> {
  const { path = "", patch = "", target } = entry;
  if ((target?.name ?? "") === "") throw new Error("must specify the target name");
  if (path === "" && patch === "") throw new Error("empty file path and empty jsonOp");
  if (path !== "" && patch !== "") throw new Error("must specify a file path or jsonOp, not both");
  const text = path === "" ? patch : await loader.load(path);
  if (text === "") throw new Error(`patch file '${path}' empty seems to be empty`);
  const json = text.startsWith("[") ? text : encodeJson(parseYaml(text), { sortKeys: true });
  let operations: readonly JsonValue[];
  try {
    operations = operationsOf(decodeJson(json).value);
  } catch (error) {
    throw wrap(error, `decoding ${json}`);
  }
  if (operations.length === 0) throw new Error(`patch appears to be empty; file=${path}, JsonOp=${json}`);
  return (list) => {
    for (const resource of select(list.resources, target ?? {})) applyOperations(resource, operations);
  };
}

/** Makes the transformer for the deprecated `patchesStrategicMerge`, whose entries are patches or paths of files. `more` is a text of patches. */
export async function strategicMergeTransform(
  entries: readonly string[],
  loader: Loader,
  types: MergeTypes,
  more = "",
): Promise<Transform> {
  const patches: Resource[] = [];
  for (const entry of entries) {
    const inline = attempt(() => readResources(entry));
    patches.push(...(inline ?? (await patchesInFile(entry, loader))));
  }
  if (more !== "") patches.push(...readResources(more));
  if (patches.length === 0) throw new Error(`patch appears to be empty; files=[${entries.join(" ")}], Patch=${more}`);
  return (list) => {
    for (const patch of patches) list.applyStrategicMerge([list.theOne(patch.originalId)], patch, types);
  };
}

async function patchesInFile(path: string, loader: Loader): Promise<readonly Resource[]> {
  return readResourcesOf(path, await loader.load(path));
}

/** Reads the objects of a file; an error about invalid YAML names the file. */
export function readResourcesOf(path: string, text: string): Resource[] {
  try {
    return readResources(text);
  } catch (error) {
    const { message } = error as Error;
    if (/error converting YAML to JSON|error unmarshaling JSON/.test(message)) {
      throw new Error(`YAML file [${path}] encounters a format error.\n${message}\n`, { cause: error });
    }
    if (!message.includes("MalformedYAMLError")) throw error;
    throw new Error(`${message} in File: ${path}`, { cause: error });
  }
}

/** The configuration in errors: without empty values. */
export const configText = (config: object): string => emitYaml(pruned(config as JsonValue) ?? {});

function pruned(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => pruned(item) ?? item);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, held]) => {
    const left = pruned(held);
    return left === undefined ? [] : [[name, left] as const];
  });
  return Object.fromEntries(kept);
}
