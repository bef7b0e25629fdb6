import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import { emitYaml } from "../machinery/text/yaml/emit.js";
import { BUILD, BUILD_ANNOTATIONS } from "./annotations.js";
import { field, lookup, setField } from "./fields.js";
import { effectiveNamespace, type Gvk, lookedUpId, parseApiVersion, type ResId } from "./id.js";
import type { MergeTypes } from "./merge/merge-schema.js";
import { isMissingOrNull, isNilOrEmpty, Node, scalarNode, stringNode } from "./nodes/node.js";
import { merge } from "./merge/strategic-merge.js";
import { toValue } from "./value.js";

export type StringMap = Record<string, string>;

/** An object of the build. Without a node it has been deleted by a patch. */
export class Resource {
  /** Vars that take their value from this object. */
  readonly vars: string[] = [];

  constructor(public node: Node | undefined) {}

  copy(): Resource {
    const copy = new Resource(this.node?.copy());
    copy.vars.push(...this.vars);
    return copy;
  }

  get isEmpty(): boolean {
    return isNilOrEmpty(this.node);
  }

  get kind(): string {
    return this.node?.get("kind")?.value ?? "";
  }

  set kind(kind: string) {
    this.#set(["kind"], kind);
  }

  get gvk(): Gvk {
    return { ...parseApiVersion(this.node?.get("apiVersion")?.value ?? ""), kind: this.kind };
  }

  setApiVersion(apiVersion: string): void {
    this.#set(["apiVersion"], apiVersion);
  }

  get name(): string {
    return this.#metaText("name");
  }

  set name(name: string) {
    this.#set(["metadata", "name"], name);
  }

  get namespace(): string {
    return this.#metaText("namespace");
  }

  set namespace(namespace: string) {
    if (namespace === "") {
      this.#required.get("metadata")?.remove("namespace");
    } else this.#set(["metadata", "namespace"], namespace);
  }

  get labels(): StringMap {
    return this.#metaMap("labels");
  }

  set labels(labels: StringMap) {
    this.#setMetaMap("labels", labels);
  }

  get annotations(): StringMap {
    return this.#metaMap("annotations");
  }

  set annotations(annotations: StringMap) {
    this.#setMetaMap("annotations", annotations);
  }

  /** The id it has now. */
  get id(): ResId {
    return lookedUpId(this.gvk, this.name, this.namespace);
  }

  /** The ids it had, the oldest first. */
  get previousIds(): readonly ResId[] {
    const { annotations } = this;
    const names = annotations[BUILD.previousNames]?.split(",");
    if (names === undefined) return [];
    const namespaces = (annotations[BUILD.previousNamespaces] ?? "").split(",");
    const kinds = (annotations[BUILD.previousKinds] ?? "").split(",");
    const { group, version } = this.gvk;
    return names.map((name, index) => ({
      group,
      version,
      kind: kinds[index] ?? "",
      name,
      namespace: namespaces[index] ?? "",
      clusterScoped: false,
    }));
  }

  get originalId(): ResId {
    return this.previousIds[0] ?? this.id;
  }

  /** Called before what tells it from others is changed. */
  storePreviousId(): void {
    const { id } = this;
    this.#append(BUILD.previousNames, id.name);
    this.#append(BUILD.previousNamespaces, effectiveNamespace(id));
    this.#append(BUILD.previousKinds, id.kind);
  }

  get prefixes(): readonly string[] {
    return this.#list(BUILD.prefixes);
  }

  get suffixes(): readonly string[] {
    return this.#list(BUILD.suffixes);
  }

  addPrefix(prefix: string): void {
    this.#append(BUILD.prefixes, prefix);
  }

  addSuffix(suffix: string): void {
    this.#append(BUILD.suffixes, suffix);
  }

  addReferrer(id: string): void {
    this.#append(BUILD.refBy, id);
  }

  isEnabled(flag: string): boolean {
    return this.annotations[flag] === "enabled";
  }

  enable(flag: string): void {
    this.annotations = { ...this.annotations, [flag]: "enabled" };
  }

  removeBuildAnnotations(): void {
    const { annotations } = this;
    if (Object.keys(annotations).length === 0) return;
    for (const name of BUILD_ANNOTATIONS) delete annotations[name];
    this.annotations = annotations;
  }

  setAnnotation(name: string, value: string): void {
    const node = this.#required;
    const metadata = field(node, "metadata");
    if (metadata !== undefined) {
      if (isBare(field(metadata, "annotations"))) metadata.remove("annotations");
      if (isBare(metadata)) node.remove("metadata");
    }
    const held = lookup(node, ["metadata", "annotations"], "mapping");
    const text = stringNode(value);
    text.style = "single";
    if (held !== undefined) setField(held, name, text);
  }

  /** The patch is used up. Name, kind and namespace stay, unless the patch is allowed to change them. */
  applyStrategicMerge(patch: Resource, types: MergeTypes): void {
    const { name, namespace, kind } = this;
    const [mayRename, mayChangeKind] = [patch.isEnabled(BUILD.allowNameChange), patch.isEnabled(BUILD.allowKindChange)];
    if (mayRename || mayChangeKind) this.storePreviousId();
    const merged = merge(this.node, patch.node, { types });
    if (merged === undefined) this.node = undefined;
    if (this.isEmpty) return;
    if (!mayChangeKind) this.kind = kind;
    if (!mayRename) this.name = name;
    this.namespace = namespace;
  }

  /** As it is printed. */
  toYaml(): string {
    return emitYaml(toValue(this.node));
  }

  /** On one line, as errors show it. */
  toJson(): string {
    try {
      return encodeJson(toValue(this.node), { sortKeys: true });
    } catch (error) {
      return `<${(error as Error).message}>`;
    }
  }

  get #required(): Node {
    this.node ??= new Node("mapping");
    return this.node;
  }

  #set(path: readonly string[], value: string): void {
    const parent = lookup(this.#required, path.slice(0, -1), "mapping");
    if (parent !== undefined) setField(parent, path.at(-1) ?? "", scalarNode(value));
  }

  get #metadata(): Node | undefined {
    const metadata = this.node?.get("metadata");
    return isNilOrEmpty(metadata) ? undefined : metadata;
  }

  #metaText(name: string): string {
    const value = this.#metadata?.get(name);
    return value === undefined || isNilOrEmpty(value) ? "" : value.value;
  }

  #metaMap(name: string): StringMap {
    const pairs = this.#metadata?.get(name)?.pairs ?? [];
    return Object.fromEntries(pairs.map(([key, value]) => [key.value, value.value]));
  }

  #setMetaMap(name: string, map: StringMap): void {
    const metadata = lookup(this.#required, ["metadata"], "mapping");
    if (metadata === undefined || isMissingOrNull(metadata)) return;
    metadata.remove(name);
    const names = Object.keys(map).toSorted();
    if (names.length === 0) return;
    const held = lookup(metadata, [name], "mapping");
    if (held !== undefined) for (const key of names) setField(held, key, stringNode(map[key] ?? ""));
  }

  #list(name: string): readonly string[] {
    return this.annotations[name]?.split(",") ?? [];
  }

  #append(name: string, value: string): void {
    if (value !== "") this.setAnnotation(name, [...this.#list(name), value].join(","));
  }
}

const isBare = (node: Node | undefined): boolean =>
  node !== undefined && node.pairs.length === 0 && node.items.length === 0;

/** Merges maps; later ones take precedence. */
export const mergeMaps = (...maps: readonly StringMap[]): StringMap => Object.assign({}, ...maps) as StringMap;
