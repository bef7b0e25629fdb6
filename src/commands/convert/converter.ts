import type { Clock } from "../../base/time/clock.js";
import { encodeObjectText } from "../../machinery/wire/encode.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import {
  formatGroupVersion,
  type GroupKind,
  type GroupVersion,
  type GroupVersionKind,
  parseGroupVersion,
} from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { kindStatedBy, type Scheme } from "../../machinery/scheme/scheme.js";
import { sortedJson } from "../../resource/encode-json.js";
import { isList, listItems } from "../../resource/lists.js";

/** What kubectl-convert's errors call the scheme of everything Kubernetes has types of. */
const SCHEME = "pkg/api/legacyscheme/scheme.go:30";

/** The group whose kinds were all moved to other groups: what is in both belongs to the other one. */
const FORMER_GROUP = "extensions";

/** Objects on their way from one version to another, by way of their hub. */
export class Converter {
  /** Of each hub the groups it can be converted to, the one to be preferred first. */
  readonly #groups: ReadonlyMap<string, readonly string[]>;

  constructor(
    private readonly scheme: Scheme,
    private readonly clock: Clock,
  ) {
    this.#groups = groupsOfHubs(scheme);
  }

  /** What a list holds, each item saying what it is; undefined for what is no list. */
  itemsOf(object: KubeObject): readonly KubeObject[] | undefined {
    const { kind = "", apiVersion = "" } = object;
    if (!kind.endsWith("List")) return undefined;
    const isOfAnything = kind === "List" && apiVersion === "v1";
    const item = { ...parseGroupVersion(apiVersion), kind: kind.slice(0, -"List".length) };
    if (!isOfAnything && !this.scheme.isRegistered(item)) return undefined;
    return isList(object) ? listItems(object) : [];
  }

  /**
   * The object in its hub's version, with the defaults of the version it came in; fields that version does not have are
   * dropped. Throws for a kind without a type, and for a value that does not fit.
   */
  read(object: KubeObject): KubeObject {
    const { kind = "", apiVersion = "" } = object;
    if (kind === "") throw new Error(`Object 'Kind' is missing in '${sortedJson(object)}'`);
    if (apiVersion === "") throw new Error(`Object 'apiVersion' is missing in '${sortedJson(object)}'`);
    const gvk = { ...parseGroupVersion(apiVersion), kind };
    if (!this.scheme.isRegistered(gvk)) throw notRegistered(gvk);
    const source = this.scheme.kind(gvk);
    const { object: held } = decodeObject<KubeObject>(object, source.schema, { mode: "Ignore" });
    const draft = { ...held, kind, apiVersion };
    source.applyDefaults(draft, this.clock.now());
    return source.toHub(draft);
  }

  /** What {@link read} gave, in a version that was asked for. Throws when it has no such version. */
  convertTo(hub: KubeObject, target: GroupVersion): KubeObject {
    const { kind, group } = kindStatedBy(hub);
    const groups = this.#groupsOf(hub);
    if (!groups.includes(target.group)) {
      throw new Error(
        `${typeName({ group, kind })} is not suitable for converting to ${quoted(target)} in scheme ${JSON.stringify(SCHEME)}`,
      );
    }
    if (target.version === "__internal") throw new Error("a versioned object must be passed to a printer");
    const gvk = { group: target.group, version: target.version, kind };
    if (!this.scheme.isRegistered(gvk)) throw notRegistered(gvk);
    return this.scheme.kind(gvk).fromHub(hub);
  }

  /** What {@link read} gave, in the version that comes first in the group that comes first. */
  convertToPreferred(hub: KubeObject): KubeObject {
    const { kind } = kindStatedBy(hub);
    for (const group of this.#groupsOf(hub)) {
      const [version] = this.scheme.versionsOf({ group, kind });
      if (version !== undefined) return this.convertTo(hub, { group, version });
    }
    throw notRegistered(kindStatedBy(hub));
  }

  /** The object as its Go type writes it, kind and apiVersion first, on one line; a v1 List with its items likewise. */
  encode(object: KubeObject): string {
    if (object.kind !== "List" || object.apiVersion !== "v1") {
      return encodeObjectText(object, this.scheme.kindOf(object).schema);
    }
    const items = (object["items"] as readonly KubeObject[]).map((item) => this.encode(item));
    return `{"kind":"List","apiVersion":"v1","metadata":{},"items":[${items.join(",")}]}`;
  }

  #groupsOf(hub: KubeObject): readonly string[] {
    return this.#groups.get(keyOf(kindStatedBy(hub))) ?? [];
  }
}

function groupsOfHubs(scheme: Scheme): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  for (const gvk of scheme.kinds()) {
    const { hub } = scheme.kind(gvk);
    const known = groups.get(keyOf(hub)) ?? new Set([hub.group]);
    groups.set(keyOf(hub), known.add(gvk.group));
  }
  const last = (group: string): number => (group === FORMER_GROUP ? 1 : 0);
  return new Map([...groups].map(([hub, set]) => [hub, [...set].sort((a, b) => last(a) - last(b))]));
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

function notRegistered(gvk: GroupVersionKind): Error {
  return new Error(
    `no kind ${JSON.stringify(gvk.kind)} is registered for version ${quoted(gvk)} in scheme ${JSON.stringify(SCHEME)}`,
  );
}

const quoted = (gv: GroupVersion): string => JSON.stringify(formatGroupVersion(gv));

/** Kubernetes' own name of the type of a hub: "core.Pod", "networking.Ingress". */
function typeName({ group, kind }: GroupKind): string {
  const [first = ""] = group.split(".");
  const packageName = first === "" ? "core" : first === "internal" ? "apiserverinternal" : first;
  return `${packageName}.${kind}`;
}
