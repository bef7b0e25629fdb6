import { Pace } from "../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { formatG } from "../go/format-g.js";
import { goSharpV } from "../go/go-values.js";
import { type MappingNode, readNodes, type ScalarNode, type SequenceNode, type YamlNode } from "./nodes.js";
import { type ResolvedScalar, resolvePlain } from "./scalars.js";
import { YamlError } from "./yaml-error.js";
import { readYaml11, readYaml11Steps } from "./yaml11/parser.js";

/**
 * Reads one YAML document (the first, when the text holds several) as kubectl reads it: YAML 1.1 words, merge keys,
 * the last of duplicate keys wins, keys become text. An empty document is null. Aliases are expanded, with goyaml's limit on
 * how much of a document may come from them. Throws {@link YamlError}.
 */
export function parseYaml(text: string): JsonValue {
  const root = readNodes(text);
  return root === undefined ? null : atOnce(new Decoder().decode(root));
}

export interface YamlRead {
  readonly value: JsonValue;
  /** `line 3: key "a" already set in map`, in goyaml's words and order; a merge's keys count, and an alias's each time. */
  readonly repeated: readonly string[];
}

/** As {@link parseYaml}, and reports the keys that are set twice. */
export function readYaml(text: string): YamlRead {
  const root = readNodes(text);
  if (root === undefined) return { value: null, repeated: [] };
  const decoder = new Decoder([]);
  const value = atOnce(decoder.decode(root));
  return { value, repeated: decoder.repeated?.length === 0 ? [] : repeatedKeys(text) };
}

/** {@link readYaml} in steps. It uses the slower of the two parsers, because the faster one cannot pause. */
export function* readYamlSteps(text: string): Steps<YamlRead> {
  const root = yield* readYaml11Steps(text);
  if (root === undefined) return { value: null, repeated: [] };
  const decoder = new Decoder([]);
  const value = yield* decoder.decode(root);
  return { value, repeated: decoder.repeated ?? [] };
}

/** Read once more by the parser that knows lines. */
function repeatedKeys(text: string): readonly string[] {
  const decoder = new Decoder([]);
  const root = readYaml11(text);
  if (root !== undefined) atOnce(decoder.decode(root));
  return decoder.repeated ?? [];
}

function failure(message: string): YamlError {
  return new YamlError(`error converting YAML to JSON: yaml: ${message}`);
}

/** The part of a document of this many nodes that may come from aliases. */
function allowedAliasRatio(decoded: number): number {
  const low = 400_000;
  const high = 4_000_000;
  if (decoded <= low) return 0.99;
  if (decoded >= high) return 0.1;
  return 0.99 - 0.89 * ((decoded - low) / (high - low));
}

class Decoder {
  #decoded = 0;
  #fromAliases = 0;
  #aliasDepth = 0;
  readonly #pace = new Pace();
  readonly #expanding = new Set<YamlNode>();

  /** `repeated` takes in what is said of keys set twice, where that is asked for. */
  constructor(readonly repeated?: string[]) {}

  *decode(node: YamlNode): Steps<JsonValue> {
    if (this.#pace.isDue()) yield;
    this.#count();
    switch (node.kind) {
      case "scalar":
        return jsonScalar(resolveScalar(node).value);
      case "sequence":
        return yield* this.#items(node);
      case "mapping": {
        const object: JsonObject = {};
        yield* this.#fill(node, object, new Set());
        return object;
      }
      case "alias":
        return yield* this.#expand(node.target, node.name, () => this.decode(node.target));
    }
  }

  #count(): void {
    this.#decoded += 1;
    if (this.#aliasDepth > 0) this.#fromAliases += 1;
    const excessive =
      this.#fromAliases > 100 &&
      this.#decoded > 1000 &&
      this.#fromAliases / this.#decoded > allowedAliasRatio(this.#decoded);
    if (excessive) throw failure("document contains excessive aliasing");
  }

  *#items({ items }: SequenceNode): Steps<JsonValue[]> {
    const values: JsonValue[] = [];
    for (const item of items) values.push(yield* this.decode(item));
    return values;
  }

  *#expand<T>(target: YamlNode, name: string, run: () => Steps<T>): Steps<T> {
    if (this.#expanding.has(target)) throw failure(`anchor '${name}' value contains itself`);
    this.#expanding.add(target);
    this.#aliasDepth += 1;
    try {
      return yield* run();
    } finally {
      this.#aliasDepth -= 1;
      this.#expanding.delete(target);
    }
  }

  /** A merge is done where it stands: what follows it overrides it, and it overrides what came before. */
  *#fill(node: MappingNode, object: JsonObject, seen: Set<string>): Steps<void> {
    for (const [keyNode, valueNode] of node.pairs) {
      if (isMerge(keyNode)) yield* this.#merge(valueNode, object, seen);
      else {
        const key = this.#key(keyNode, valueNode);
        const value = yield* this.decode(valueNode);
        if (this.repeated !== undefined) this.#note(keyNode, key, valueNode, seen);
        setOwn(object, key, value);
      }
    }
  }

  /** Keys of different types are different keys to goyaml, although they become the same text. */
  #note(keyNode: YamlNode, key: string, { line = 0 }: YamlNode, seen: Set<string>): void {
    const target = keyNode.kind === "alias" ? keyNode.target : keyNode;
    const isText = target.kind === "scalar" && typeof resolveScalar(target).value === "string";
    const shown = isText ? goQuote(key) : key;
    if (seen.has(shown)) this.repeated?.push(`line ${line}: key ${shown} already set in map`);
    seen.add(shown);
  }

  #key(keyNode: YamlNode, valueNode: YamlNode): string {
    const target = keyNode.kind === "alias" ? keyNode.target : keyNode;
    if (target.kind === "scalar") {
      this.#count();
      const { tag, value } = resolveScalar(target);
      if (typeof value === "string") return value;
      if (tag === "float" && value !== null) return floatKey(Number(value));
      if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint") return `${value}`;
      const held = goSharpV(atOnce(this.decode(valueNode)), { keyType: "interface {}" });
      throw new YamlError(
        `error converting YAML to JSON: unsupported map key of type: %!s(<nil>), key: <nil>, value: ${held}`,
      );
    }
    throw failure(`invalid map key: ${goSharpV(atOnce(this.decode(keyNode)), { keyType: "interface {}" })}`);
  }

  *#merge(node: YamlNode, object: JsonObject, seen: Set<string>): Steps<void> {
    const wanted = "map merge requires map or sequence of maps as the value";
    if (node.kind === "mapping") yield* this.#fill(node, object, seen);
    else if (node.kind === "alias") {
      const { target } = node;
      if (target.kind !== "mapping") throw failure(wanted);
      this.#count();
      yield* this.#expand(target, node.name, () => this.#fill(target, object, seen));
    } else if (node.kind === "sequence") {
      for (const item of node.items.toReversed()) {
        const target = item.kind === "alias" ? item.target : item;
        if (target.kind !== "mapping") throw failure(wanted);
        yield* this.#merge(item, object, seen);
      }
    } else throw failure(wanted);
  }
}

/** An own property whatever the name ("__proto__" too). */
function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

function isMerge(node: YamlNode): boolean {
  return node.kind === "scalar" && node.value === "<<" && (node.plain || node.tag === "!!merge");
}

function resolveScalar(node: ScalarNode): ResolvedScalar {
  if (node.tag === "") return node.plain ? resolvePlain(node.value) : { tag: "str", value: node.value };
  switch (node.tag) {
    case "!!binary":
      return { tag: "binary", value: decodeBinary(node.value) };
    case "!!bool":
    case "!!int":
    case "!!float":
    case "!!null":
    case "!!timestamp":
      return resolveTagged(node);
    default:
      return { tag: "other", value: node.value };
  }
}

function resolveTagged(node: ScalarNode): ResolvedScalar {
  const found = resolvePlain(node.value);
  const wanted = node.tag.slice(2);
  if (found.tag === wanted || (wanted === "float" && found.tag === "int"))
    return { tag: found.tag, value: found.value };
  throw failure(`cannot decode !!${found.tag} \`${node.value}\` as a ${node.tag}`);
}

function decodeBinary(text: string): string {
  const compact = text.replace(/[\r\n]/g, "");
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    throw failure("!!binary value contains invalid base64 data");
  }
  return new TextDecoder().decode(Uint8Array.from(atob(compact), (character) => character.charCodeAt(0)));
}

/** What JSON cannot hold is refused in the words of Go's encoder. */
function jsonScalar(value: JsonValue): JsonValue {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  const shown = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  throw new YamlError(`error converting YAML to JSON: json: unsupported value: ${shown}`);
}

/** A float as a key has the digits of a 32-bit float. */
function floatKey(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  return shortestFloat32(value);
}

function shortestFloat32(value: number): string {
  const single = Math.fround(value);
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return formatG(Number(text));
  }
  return formatG(single);
}
