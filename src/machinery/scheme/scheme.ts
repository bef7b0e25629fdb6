import {
  formatGroupVersion,
  type GroupKind,
  type GroupVersion,
  type GroupVersionKind,
  parseGroupVersion,
} from "../meta/gvk.js";
import type { KubeObject } from "../meta/object.js";
import { applyDefaults as applyStaticDefaults } from "../schema/defaults.js";
import { compareVersions } from "../meta/version-order.js";
import type { StructSchema } from "../schema/schema.js";
import type { Conversion, KindRegistration, Defaulter } from "./registration.js";

/** No such kind, or not in this version: `no kind "X" is registered for version "apps/v9" in scheme "kubernetes"`. */
export class NotRegisteredError extends Error {
  override readonly name = "NotRegisteredError";
}

/** One kind at one version: its shape, its defaults, and the way to the hub and back. */
export interface VersionedKind {
  readonly gvk: GroupVersionKind;
  /** The version all versions of this kind are converted by way of, and that is stored; sometimes of another group. */
  readonly hub: GroupVersionKind;
  readonly schema: StructSchema;
  /** False: the hub's shape, to be taken as it is. The hub itself may have a conversion: what a client may not state. */
  readonly converts: boolean;
  /** Fills in the defaults of this version, the schema's and those that depend on other fields. In place, idempotent. */
  applyDefaults(draft: KubeObject): void;
  /** The object in the hub's version. The argument is not changed; what is equal is shared with it. */
  toHub(object: KubeObject): KubeObject;
  /** The inverse of {@link toHub}. */
  fromHub(object: KubeObject): KubeObject;
}

/**
 * Kinds and what is known of each of their versions: shape, defaults, conversion, priority. Versions are never converted
 * to each other but by way of the hub. Filled once, then only read.
 */
export class Scheme {
  readonly #kinds = new Map<string, Kind>();
  readonly #priorities = new Map<string, readonly string[]>();

  /** `name` is what errors call it. */
  constructor(readonly name: string) {}

  /** Adds a kind at a version. Throws when it is there already. */
  register(gvk: GroupVersionKind, registration: KindRegistration): void {
    const key = keyOf(gvk);
    if (this.#kinds.has(key)) throw new Error(`${key} is registered twice in scheme ${JSON.stringify(this.name)}`);
    this.#kinds.set(key, new Kind(this, gvk, registration));
  }

  /** The versions of a group, preferred first; versions that are not named come after them, stable ones first. */
  setVersionPriority(group: string, versions: readonly string[]): void {
    this.#priorities.set(group, versions);
  }

  isRegistered(gvk: GroupVersionKind): boolean {
    return this.#kinds.has(keyOf(gvk));
  }

  /** Throws a {@link NotRegisteredError}. */
  kind(gvk: GroupVersionKind): VersionedKind {
    const kind = this.#kinds.get(keyOf(gvk));
    if (kind === undefined) {
      throw new NotRegisteredError(
        `no kind ${JSON.stringify(gvk.kind)} is registered for version ${JSON.stringify(formatGroupVersion(gvk))} in scheme ${JSON.stringify(this.name)}`,
      );
    }
    return kind;
  }

  /** Every kind at every version, in the order they were registered. */
  kinds(): readonly GroupVersionKind[] {
    return [...this.#kinds.values()].map(({ gvk }) => gvk);
  }

  /** The groups there are kinds of. */
  groups(): readonly string[] {
    return [...new Set(this.kinds().map(({ group }) => group))];
  }

  /** The versions of a group that have kinds, preferred first. */
  prioritizedVersions(group: string): readonly string[] {
    const versions = new Set(this.kinds().flatMap((gvk) => (gvk.group === group ? [gvk.version] : [])));
    const stated = (this.#priorities.get(group) ?? []).filter((version) => versions.has(version));
    return [...new Set([...stated, ...[...versions].sort(compareVersions)])];
  }

  preferredVersion(group: string): string | undefined {
    return this.prioritizedVersions(group)[0];
  }

  /** The versions a kind of this group has, preferred first. */
  versionsOf({ group, kind }: GroupKind): readonly string[] {
    return this.prioritizedVersions(group).filter((version) => this.isRegistered({ group, version, kind }));
  }

  /** What an object says it is. Throws when it does not say. */
  kindOf(object: KubeObject): VersionedKind {
    return this.kind(kindStatedBy(object));
  }

  /** Fills in the defaults of the object's own version, in place, and returns it. */
  applyDefaults<T extends KubeObject>(object: T): T {
    this.kindOf(object).applyDefaults(object);
    return object;
  }

  /**
   * A copy of `object` in another version, by way of the hub; the target's kind is the object's own when it is left out. The
   * argument is not changed, and what is equal is shared with it. Lists are converted item by item. Throws a
   * {@link NotRegisteredError}, or when the two are not versions of one kind.
   */
  convert(object: KubeObject, target: GroupVersion & Partial<GroupVersionKind>): KubeObject {
    const source = this.kindOf(object);
    const sink = this.kind({ kind: source.gvk.kind, ...target });
    if (keyOf(source.gvk) === keyOf(sink.gvk)) return { ...object };
    if (keyOf(source.hub) !== keyOf(sink.hub)) {
      throw new Error(`converting ${keyOf(source.gvk)} to ${keyOf(sink.gvk)}: unknown conversion`);
    }
    return sink.fromHub(source.toHub(object));
  }
}

class Kind implements VersionedKind {
  readonly #defaults: Defaulter | undefined;
  readonly #conversion: Conversion | undefined;
  readonly #schema: () => StructSchema | undefined;
  #resolved: StructSchema | undefined;
  readonly hub: GroupVersionKind;

  constructor(
    private readonly scheme: Scheme,
    readonly gvk: GroupVersionKind,
    { schema, hub = gvk, applyDefaults, conversion }: KindRegistration,
  ) {
    this.#schema = schema;
    this.#defaults = applyDefaults;
    this.#conversion = conversion;
    this.hub = hub;
  }

  get converts(): boolean {
    return this.#conversion !== undefined;
  }

  get schema(): StructSchema {
    const schema = (this.#resolved ??= this.#schema());
    if (schema === undefined) throw new Error(`no schema for ${keyOf(this.gvk)}`);
    return schema;
  }

  applyDefaults(draft: KubeObject): void {
    const items = this.#items(draft);
    if (items !== undefined) {
      for (const item of items) this.#itemKind().applyDefaults(item);
      return;
    }
    applyStaticDefaults(draft, this.schema);
    this.#defaults?.(draft);
  }

  toHub(object: KubeObject): KubeObject {
    return this.#stamped(this.#mapped(object, "toHub"), this.hub);
  }

  fromHub(object: KubeObject): KubeObject {
    return this.#stamped(this.#mapped(object, "fromHub"), this.gvk);
  }

  #mapped(object: KubeObject, direction: "toHub" | "fromHub"): KubeObject {
    const items = this.#items(object);
    if (items === undefined) return this.#conversion === undefined ? object : this.#conversion[direction](object);
    // Items of a list do not say what they are.
    return { ...object, items: items.map((item) => unstamped(this.#itemKind()[direction](item), item)) };
  }

  #stamped(object: KubeObject, { group, version, kind }: GroupVersionKind): KubeObject {
    const { apiVersion: _, kind: __, ...rest } = object;
    return { kind, apiVersion: formatGroupVersion({ group, version }), ...rest };
  }

  #items(object: KubeObject): readonly KubeObject[] | undefined {
    if (!this.gvk.kind.endsWith("List") || !this.scheme.isRegistered(this.#itemGvk())) return undefined;
    return Array.isArray(object.items) ? (object.items as KubeObject[]) : [];
  }

  #itemKind(): VersionedKind {
    return this.scheme.kind(this.#itemGvk());
  }

  #itemGvk(): GroupVersionKind {
    return { ...this.gvk, kind: this.gvk.kind.slice(0, -"List".length) };
  }
}

/** Leaves out what the source did not say of itself. */
function unstamped(object: KubeObject, source: KubeObject): KubeObject {
  if (source.kind !== undefined) return object;
  const { apiVersion: _, kind: __, ...rest } = object;
  return rest;
}

/** The kind an object says it is. Throws when it does not say. */
export function kindStatedBy(object: KubeObject): GroupVersionKind {
  const { apiVersion = "", kind = "" } = object;
  if (kind === "") throw new NotRegisteredError("Object 'Kind' is missing");
  if (apiVersion === "") throw new NotRegisteredError("Object 'apiVersion' is missing");
  return { ...parseGroupVersion(apiVersion), kind };
}

const keyOf = (gvk: GroupVersionKind): string => `${formatGroupVersion(gvk)}/${gvk.kind}`;
