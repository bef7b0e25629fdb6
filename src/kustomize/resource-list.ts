import { BUILD, BUILD_ANNOTATIONS, ORIGIN } from "./annotations.js";
import {
  apiVersionOf,
  effectiveNamespace,
  idEquals,
  idSharpV,
  idText,
  identical,
  NO_NAMESPACE,
  type ResId,
} from "./id.js";
import type { MergeTypes } from "./merge/merge-schema.js";
import { mergeMaps, type Resource, type StringMap } from "./resource.js";
import { setField } from "./fields.js";
import { wrap } from "./field-spec.js";
import { nodeSharpV } from "./value.js";
import { Node, scalarNode, valueOf } from "./nodes/node.js";

export type IdMatcher = (id: ResId) => boolean;

/** The objects of a build, in order; no two have the same id. */
export class ResourceList {
  #resources: Resource[];

  constructor(resources: readonly Resource[] = []) {
    this.#resources = [];
    this.appendAll(resources);
  }

  get resources(): readonly Resource[] {
    return this.#resources;
  }

  set resources(resources: readonly Resource[]) {
    this.#resources = [...resources];
  }

  append(resource: Resource): void {
    const { id } = resource;
    if (this.withCurrentId((other) => idEquals(id, other)).length > 0) {
      throw new Error(`may not add resource with an already registered id: ${idText(id)}`);
    }
    this.#resources.push(resource);
  }

  appendAll(resources: readonly Resource[]): void {
    for (const resource of resources) this.append(resource);
  }

  dropEmpty(): void {
    this.#resources = this.#resources.filter(({ isEmpty }) => !isEmpty);
  }

  withCurrentId(matches: IdMatcher): readonly Resource[] {
    return this.#resources.filter(({ id }) => matches(id));
  }

  /** Those that match by the id they have or one that they had. */
  withAnyId(matches: IdMatcher): readonly Resource[] {
    return this.#resources.filter(
      (resource) => !resource.isEmpty && [...resource.previousIds, resource.id].some(matches),
    );
  }

  /** The one that a patch without a target is for. */
  theOne(id: ResId): Resource {
    const found = this.withAnyId((other) => idEquals(id, other));
    const [first] = found;
    if (found.length === 1 && first !== undefined) return first;
    const problem = found.length > 1 ? `multiple matches for Id ${idText(id)}` : `no matches for Id ${idText(id)}`;
    throw new Error(`${problem}; failed to find unique target for patch ${idText(id)}`);
  }

  /** Adds what was generated, or merges it with what is there, as its behaviour says. */
  absorb(resource: Resource): void {
    const { id } = resource;
    const matches = this.withAnyId((other) => idEquals(id, other));
    const behavior = behaviorOf(resource);
    const [old] = matches;
    if (old === undefined) {
      if (behavior === "merge" || behavior === "replace") {
        throw new Error(`id ${idSharpV(id)} does not exist; cannot merge or replace`);
      }
      this.append(resource);
      return;
    }
    if (matches.length > 1) {
      const shown = matches.map((match) => match.toJson()).join(" ");
      throw new Error(`found multiple objects [${shown}] that could accept merge of ${idText(id)}`);
    }
    if (behavior !== "merge" && behavior !== "replace") {
      throw new Error(
        `id ${idSharpV(id)} exists; can not use behavior: '${behavior}', behavior must be merge or replace`,
      );
    }
    const origin = old.annotations[ORIGIN];
    takeMetadata(resource, old);
    if (behavior === "merge") {
      mergeData(resource, old, "data");
      mergeData(resource, old, "binaryData");
      if (origin !== undefined) resource.annotations = { ...resource.annotations, [ORIGIN]: origin };
    }
    this.#replace(old, resource);
  }

  #replace(old: Resource, resource: Resource): void {
    const index = this.#resources.indexOf(old);
    const { id } = resource;
    const place = this.#resources.findIndex((other) => idEquals(id, other.id));
    if (place < 0) throw new Error(`cannot find resource with id ${idText(id)} to replace`);
    if (place !== index) throw new Error("unexpected target index in replacement");
    this.#resources[index] = resource;
  }

  /** Applies copies of one patch to several objects; what is deleted goes. */
  applyStrategicMerge(selected: readonly Resource[], patch: Resource, types: MergeTypes): void {
    const ids = selected.map(({ id }) => id);
    const left: Resource[] = [];
    for (const resource of this.#resources) {
      const { id } = resource;
      if (ids.some((other) => identical(id, other))) {
        const copy = patch.copy();
        takeMetadata(copy, patch);
        copy.kind = resource.kind;
        copy.setApiVersion(apiVersionOf(resource.gvk));
        copy.kind = patch.kind;
        resource.applyStrategicMerge(copy, types);
      }
      if (!resource.isEmpty) left.push(resource);
    }
    this.#resources = [];
    this.appendAll(left);
  }

  /** Keeps those whose id is among these. */
  intersect(ids: readonly ResId[]): void {
    this.#resources = this.#resources.filter(({ id }) => ids.some((other) => identical(id, other)));
  }

  /** By the namespace they are in now, or were in first; without those that have none. */
  byNamespace(when: "now" | "first"): ReadonlyMap<string, readonly Resource[]> {
    const found = new Map<string, Resource[]>();
    for (const resource of this.#resources) {
      const namespace = effectiveNamespace(when === "now" ? resource.id : resource.originalId);
      found.set(namespace, [...(found.get(namespace) ?? []), resource]);
    }
    found.delete(NO_NAMESPACE);
    return found;
  }

  /** A file for each object: those of namespaces first, with the namespace in the name when there are several. */
  toFiles(): readonly { readonly name: string; readonly text: string }[] {
    const namespaces = this.byNamespace("now");
    const inNamespaces = [...namespaces].flatMap(([namespace, resources]) =>
      resources.map((resource) => ({
        name: `${namespaces.size > 1 ? `${namespace.toLowerCase()}_` : ""}${fileName(resource)}`,
        text: yamlOf(resource),
      })),
    );
    const others = this.#resources
      .filter(({ id }) => effectiveNamespace(id) === NO_NAMESPACE)
      .map((resource) => ({ name: fileName(resource), text: yamlOf(resource) }));
    return [...inNamespaces, ...others];
  }

  toYaml(): string {
    return this.#resources.map(yamlOf).join("---\n");
  }
}

function fileName({ gvk: { group, version, kind }, name }: Resource): string {
  const parts = [group, version, kind].filter((part) => part !== "");
  return `${parts.join("_").toLowerCase()}_${name.toLowerCase()}.yaml`;
}

function yamlOf(resource: Resource): string {
  try {
    return resource.toYaml();
  } catch (error) {
    throw wrap(error, nodeSharpV(resource.node));
  }
}

export type Behavior = "create" | "merge" | "replace" | "unspecified";

function behaviorOf(resource: Resource): Behavior {
  const behavior = resource.annotations[BUILD.generatorBehavior];
  return behavior === "create" || behavior === "merge" || behavior === "replace" ? behavior : "unspecified";
}

/** Labels and annotations of both, one's own first; name and namespace of the other. */
function takeMetadata(resource: Resource, other: Resource): void {
  resource.labels = mergeMaps(other.labels, resource.labels);
  const own = resource.annotations;
  const before = other.annotations;
  const merged = mergeMaps(before, own);
  for (const name of BUILD_ANNOTATIONS) {
    const value = before[name];
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  if (own[BUILD.needsHashSuffix] === undefined) delete merged[BUILD.needsHashSuffix];
  resource.annotations = merged;
  resource.name = other.name;
  resource.namespace = other.namespace;
  resource.vars.splice(0, Infinity, ...other.vars);
}

function mergeData(resource: Resource, other: Resource, member: "data" | "binaryData"): void {
  const merged = mergeMaps(dataOf(other, member), dataOf(resource, member));
  resource.node?.remove(member);
  if (Object.keys(merged).length > 0) setData(resource.node, member, merged);
}

const dataOf = (resource: Resource, member: string): StringMap =>
  Object.fromEntries((resource.node?.get(member)?.pairs ?? []).map(([key, value]) => [key.value, valueOf(value)]));

/** Sets a map of texts; a text with line breaks is written as a block. */
export function setData(node: Node | undefined, member: string, data: StringMap): void {
  if (node === undefined) return;
  const held = node.get(member) ?? new Node("mapping");
  for (const name of Object.keys(data).toSorted()) {
    const text = data[name] ?? "";
    const value = scalarNode(text);
    value.tag = "!!str";
    if (text.includes("\n")) value.style = "literal";
    setField(held, name, value);
  }
  setField(node, member, held);
}
