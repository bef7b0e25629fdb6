import { setKey } from "../machinery/wire/json/own-keys.js";
import { basename } from "node:path/posix";
import { textOf } from "../base/text/byte-text.js";
import { goQuote } from "../base/text/go-quote.js";
import { BUILD } from "./annotations.js";
import { wrap } from "./field-spec.js";
import type { GeneratorEntry, GeneratorOptions } from "./kustomization.js";
import type { Loader } from "./loader.js";
import { mappingNode, Node, scalarNode, stringNode } from "./nodes/node.js";
import { setField } from "./fields.js";
import { Resource, type StringMap } from "./resource.js";
import { setData } from "./resource-list.js";

/** Generates a ConfigMap or a Secret from literals and files. */
export async function generate(kind: "ConfigMap" | "Secret", entry: GeneratorEntry, loader: Loader): Promise<Resource> {
  const { name = "", namespace = "", options } = entry;
  if (name === "") throw new Error("a configmap must have a name");
  const metadata = mappingNode(["name", stringNode(name)]);
  const node = mappingNode(["apiVersion", typed("v1")], ["kind", typed(kind)], ["metadata", metadata]);
  if (namespace !== "") setField(metadata, "namespace", stringNode(namespace));
  const type = entry.type ?? "";
  if (kind === "Secret") setField(node, "type", stringNode(type === "" ? "Opaque" : type));
  const data = await pairsOf(entry, loader).catch((error: unknown) => {
    throw wrap(error, "loading KV pairs");
  });
  const seen = new Set<string>();
  for (const { key } of data) {
    if (seen.has(key)) throw new Error(`configmap ${name} illegally repeats the key \`${key}\``);
    seen.add(key);
  }
  if (kind === "Secret") addSecretData(node, data);
  else addConfigData(node, data);
  const resource = new Resource(node);
  applyOptions(resource, options);
  if (options?.disableNameSuffixHash !== true) resource.enable(BUILD.needsHashSuffix);
  resource.annotations = { ...resource.annotations, [BUILD.generatorBehavior]: behaviorName(entry.behavior) };
  return resource;
}

const typed = (text: string): Node => new Node("scalar", "!!str", text);

const behaviorName = (behavior = ""): string =>
  ["create", "merge", "replace"].includes(behavior) ? behavior : "unspecified";

interface Pair {
  readonly key: string;
  readonly value: Uint8Array;
}

function addConfigData(node: Node, pairs: readonly Pair[]): void {
  const [data, binaryData]: [StringMap, StringMap] = [{}, {}];
  for (const { key, value } of pairs) {
    const text = utf8(value);
    if (text === undefined) setKey(binaryData, key, wrappedBase64(value));
    else setKey(data, key, text);
  }
  if (Object.keys(data).length > 0) setData(node, "data", data);
  if (Object.keys(binaryData).length > 0) setData(node, "binaryData", binaryData);
}

/** A Secret's data is there even when it is empty. */
function addSecretData(node: Node, pairs: readonly Pair[]): void {
  setField(node, "data", new Node("mapping"));
  setData(node, "data", Object.fromEntries(pairs.map(({ key, value }) => [key, wrappedBase64(value)])));
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const LINE = 70;

/** In lines of 70 letters, when there is more than one line. */
function wrappedBase64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("base64");
  if (text.length < LINE) return text;
  return text.replace(new RegExp(`.{1,${LINE}}`, "g"), "$&\n");
}

function applyOptions(resource: Resource, options: GeneratorOptions | undefined): void {
  if (options === undefined || resource.node === undefined) return;
  if (Object.keys(options.labels ?? {}).length > 0) resource.labels = { ...options.labels };
  for (const name of Object.keys(options.annotations ?? {}).toSorted()) {
    resource.setAnnotation(name, options.annotations?.[name] ?? "");
  }
  if (options.immutable === true) {
    const value = scalarNode("true");
    value.tag = "!!bool";
    setField(resource.node, "immutable", value);
  }
}

/** Merges a generator's options with those for all generators; a `true` for all wins over a generator's own `false`. */
export function withGlobalOptions(
  own: GeneratorOptions | undefined,
  all: GeneratorOptions | undefined,
): GeneratorOptions | undefined {
  if (all === undefined) return own;
  return {
    ...own,
    ...((own?.labels ?? all.labels) && { labels: { ...all.labels, ...own?.labels } }),
    ...((own?.annotations ?? all.annotations) && { annotations: { ...all.annotations, ...own?.annotations } }),
    ...(all.disableNameSuffixHash === true && { disableNameSuffixHash: true }),
    ...(all.immutable === true && { immutable: true }),
  };
}

async function pairsOf({ envs = [], literals = [], files = [] }: GeneratorEntry, loader: Loader): Promise<Pair[]> {
  const sourced = async (label: string, sources: readonly string[], read: () => Promise<Pair[]>): Promise<Pair[]> =>
    read().catch((error: unknown) => {
      throw wrap(error, `${label} [${sources.join(" ")}]`);
    });
  return [
    ...(await sourced("env source files:", envs, () => fromEnvFiles(envs, loader))),
    ...(await sourced("literal sources", literals, async () => literals.map(fromLiteral))),
    ...(await sourced("file sources:", files, () => fromFiles(files, loader))),
  ];
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function fromLiteral(source: string): Pair {
  const at = source.indexOf("=");
  if (at <= 0) throw new Error(`invalid literal source ${source}, expected key=value`);
  return { key: source.slice(0, at), value: bytes(unquoted(source.slice(at + 1))) };
}

const unquoted = (text: string): string =>
  text.length >= 2 && /^["']/.test(text) && text.startsWith(text.slice(-1)) ? text.slice(1, -1) : text;

async function fromFiles(sources: readonly string[], loader: Loader): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const source of sources) {
    const [key, path] = splitFileSource(source);
    pairs.push({ key, value: await loader.loadBytes(path) });
  }
  return pairs;
}

function splitFileSource(source: string): readonly [string, string] {
  const [first = "", second, ...more] = source.split("=");
  if (second === undefined) return [baseOf(source), source];
  if (more.length > 0) throw new Error(`source ${goQuote(source)} key name or file path contains '='`);
  if (first === "") throw new Error(`missing key name for file path ${goQuote(second)} in source ${goQuote(source)}`);
  if (second === "") throw new Error(`missing file path for key name ${goQuote(first)} in source ${goQuote(source)}`);
  return [first, second];
}

const baseOf = (path: string): string => (path === "" ? "." : basename(path) || "/");

async function fromEnvFiles(paths: readonly string[], loader: Loader): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const path of paths) {
    const content = await loader.loadBytes(path);
    for (const [index, line] of linesOf(content).entries()) {
      const pair = fromEnvLine(line, index);
      if (pair !== undefined) pairs.push(pair);
    }
  }
  return pairs;
}

function linesOf(content: Uint8Array): readonly string[] {
  const lines = textOf(content).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.replace(/\r$/, ""));
}

function fromEnvLine(given: string, index: number): Pair | undefined {
  if (/\p{Cs}/u.test(given)) {
    const shown = [...Buffer.from(given, "latin1")].join(" ");
    throw new Error(`line [${shown}] has invalid utf8 bytes : ${given}`);
  }
  const line = (index === 0 ? given.replace(/^\uFEFF/, "") : given).trimStart();
  if (line === "" || line.startsWith("#")) return undefined;
  const at = line.indexOf("=");
  const key = at < 0 ? line : line.slice(0, at);
  return key === "" ? undefined : { key, value: bytes(at < 0 ? "" : line.slice(at + 1)) };
}
