import { type FieldSpec, setFields, wrap } from "./field-spec.js";
import { field, setField, setScalar } from "./fields.js";
import type { NameReference } from "./facts/default-config.js";
import { type Gvk, idText, isSelected, sameNamespace } from "./id.js";
import { isMissingOrNull, type Node, scalarNode } from "./nodes/node.js";
import type { Resource } from "./resource.js";
import { ResourceList } from "./resource-list.js";

/** Names that changed are changed wherever other objects refer to them. */
export function fixNameReferences(list: ResourceList, references: readonly NameReference[]): void {
  const { resources } = list;
  const originals = new Map(resources.map((resource) => [resource, resource.originalId]));
  for (const referrer of resources) {
    const original = originals.get(referrer);
    let candidates: ResourceList | undefined;
    for (const target of references) {
      for (const spec of target.fields) {
        if (original === undefined || !isSelected(original, spec)) continue;
        candidates ??= candidatesFor(referrer, list);
        new Referral(referrer, spec, target, candidates).fix();
      }
    }
  }
}

/** Objects of its namespace, and those that have none; a role binding also knows its accounts' namespaces. */
function candidatesFor(referrer: Resource, list: ResourceList): ResourceList {
  const { id } = referrer;
  if (id.clusterScoped) return list;
  const namespaces = accountNamespaces(referrer);
  const found = new ResourceList();
  found.resources = list.resources.filter(
    (resource) => resource.id.clusterScoped || sameNamespace(resource.id, id) || namespaces.has(resource.namespace),
  );
  return found;
}

function accountNamespaces(referrer: Resource): ReadonlySet<string> {
  if (referrer.kind !== "RoleBinding") return new Set();
  const subjects = referrer.node?.get("subjects")?.items ?? [];
  return new Set(
    subjects
      .filter((subject) => subject.get("kind")?.value === "ServiceAccount")
      .map((subject) => subject.get("namespace"))
      .filter((namespace) => namespace !== undefined)
      .map(({ tag, value }) => {
        if (tag === "!!str" || tag === "") return value;
        throw new Error(`Invalid Input: namespace is blank for resource "${idText(referrer.id)}"\n`);
      }),
  );
}

class Referral {
  constructor(
    readonly referrer: Resource,
    readonly spec: FieldSpec,
    readonly target: Gvk,
    readonly candidates: ResourceList,
  ) {}

  fix(): void {
    const { node } = this.referrer;
    if (node === undefined) return;
    try {
      setFields(node, { ...this.spec, ...this.referrer.gvk }, { set: (found) => this.#set(found) });
    } catch (error) {
      const id = idText(this.referrer.id);
      throw wrap(error, `updating name reference in '${this.spec.path}' field of '${id}'`);
    }
  }

  #set(node: Node): void {
    if (isMissingOrNull(node)) return;
    if (node.kind === "scalar") this.#setName(node);
    else if (node.kind === "mapping") this.#setNameAndNamespace(node);
    else if (node.kind !== "sequence") throw new Error("node must be a scalar, sequence or map");
    else {
      for (const item of node.items) {
        if (isMissingOrNull(item)) continue;
        if (item.kind === "scalar") this.#setName(item);
        else if (item.kind === "mapping") this.#setNameAndNamespace(item);
        else throw new Error("a list of names or of objects with names is expected");
      }
    }
  }

  #setName(node: Node): void {
    const sameName = (a: Resource, b: Resource): boolean => a.name === b.name;
    const found = this.#find(node.value, this.candidates.resources, sameName);
    if (found === undefined) return;
    found.addReferrer(idText(this.referrer.id));
    if (found.name !== node.value) setScalar(node, scalarNode(found.name));
  }

  #setNameAndNamespace(node: Node): void {
    const name = field(node, "name");
    if (name === undefined) throw new Error("path config error; no 'name' field in node");
    const same = (a: Resource, b: Resource): boolean => a.name === b.name && a.namespace === b.namespace;
    const oldName = name.value;
    const found = this.#find(oldName, this.#inNamespaceOf(node), same);
    if (found === undefined) return;
    found.addReferrer(idText(this.referrer.id));
    if (found.name === oldName && found.namespace === "") return;
    setField(node, "name", scalarNode(found.name));
    if (found.namespace !== "") setField(node, "namespace", scalarNode(found.namespace));
  }

  #inNamespaceOf(node: Node): readonly Resource[] {
    const namespace = field(node, "namespace")?.value;
    if (namespace === undefined) return this.candidates.resources;
    const first = this.candidates.byNamespace("first").get(namespace);
    return first ?? this.candidates.byNamespace("now").get(namespace) ?? [];
  }

  /** The object that had the name, when it is clear which is meant. */
  #find(
    oldName: string,
    candidates: readonly Resource[],
    interchangeable: (a: Resource, b: Resource) => boolean,
  ): Resource | undefined {
    const role = this.#roleRef();
    let left = candidates.filter((candidate) => {
      const { previousIds } = candidate;
      return (
        previousIds.some(({ name }) => name === oldName) &&
        previousIds.some((id) => isSelected(id, this.target)) &&
        (role === undefined || previousIds.some((id) => isSelected(id, role))) &&
        this.#isInReach(candidate)
      );
    });
    if (left.length === 1) return left[0];
    left = left.filter((candidate) => sharesAffixes(candidate, this.referrer, true));
    if (left.length > 1) left = left.filter((candidate) => sharesAffixes(candidate, this.referrer, false));
    const [first, ...others] = left;
    if (first === undefined || others.every((other) => interchangeable(first, other))) return first;
    const ids = left.map(({ id }) => idText(id)).join(", ");
    throw new Error(`found multiple possible referrals: ${ids}\n${this.#details(left)}`);
  }

  #details(found: readonly Resource[]): string {
    const shown = found.map((resource, index) => `--- possible referral ${index}:\n${resource.toYaml()}\n`);
    return `\n**** Too many possible referral targets to referrer:\n${this.referrer.toYaml()}\n${shown.join("")}`;
  }

  #isInReach(candidate: Resource): boolean {
    const [from, to] = [this.referrer.id, candidate.id];
    return from.clusterScoped || to.clusterScoped || candidate.kind === "ServiceAccount" || sameNamespace(from, to);
  }

  /** A role is of the kind that the reference says. */
  #roleRef(): Gvk | undefined {
    if (!this.spec.path.endsWith("roleRef/name")) return undefined;
    const reference = this.referrer.node?.get("roleRef");
    const [group, kind] = [reference?.get("apiGroup"), reference?.get("kind")];
    if (group === undefined || kind === undefined) return undefined;
    return { group: group.value, version: "", kind: kind.value };
  }
}

/** Whether two objects were given the same prefixes and suffixes lately. */
function sharesAffixes(a: Resource, b: Resource, emptyAgrees: boolean): boolean {
  const agree = (left: readonly string[], right: readonly string[]): boolean =>
    (emptyAgrees && (left.length === 0 || right.length === 0)) || sameEnd(left, right);
  return agree(a.prefixes, b.prefixes) && agree(a.suffixes, b.suffixes);
}

function sameEnd(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length > b.length ? [b, a] : [a, b];
  if (short.length === 0) return long.length === 0;
  return short.every((part, index) => part === long[index + long.length - short.length]);
}
