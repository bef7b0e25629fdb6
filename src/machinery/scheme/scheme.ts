import {
  formatGroupVersion,
  type GroupKind,
  type GroupVersion,
  type GroupVersionKind,
  parseGroupVersion,
  compareVersions,
} from "../meta/gvk.js";
import type { KubeObject } from "../meta/object.js";
import { applyDefaults as applyStaticDefaults } from "../schema/defaults.js";
import type { TypedStruct } from "../schema/declarations.js";
import type { StructSchema } from "../schema/schema.js";
import { defaultConvert } from "./default-conversion.js";

/** Thrown when the kind is not registered, or not in this version: `no kind "X" is registered for version "apps/v9" in scheme "kubernetes"`. */
export class NotRegisteredError extends Error {
  override readonly name = "NotRegisteredError";
}

/** One kind at one version: its schema, its defaults, and its conversion to the hub and back. */
export interface VersionedKind {
  readonly gvk: GroupVersionKind;
  /** The version that conversions of this kind go through and that is stored. It may be in another group. */
  readonly hub: GroupVersionKind;
  readonly schema: StructSchema;
  /** False when this version has the hub's shape. The hub's own conversion may drop fields that a client must not set. */
  readonly converts: boolean;
  /** True when this version may convert later: then only {@link convertMany} converts its objects. Never so for a built-in kind. */
  readonly convertsLater: boolean;
  /** Applies this version's defaults, static and computed, in place, as of `now`, milliseconds since the epoch. Idempotent. */
  applyDefaults(draft: KubeObject, now: number): void;
  /**
   * Converts the object to the hub's version. The argument is not changed; the result may share parts with it. Throws for a
   * version that {@link convertsLater}.
   */
  toHub(object: KubeObject, context?: unknown): KubeObject;
  /** The inverse of {@link toHub}. */
  fromHub(object: KubeObject, context?: unknown): KubeObject;
  /** {@link toHub} or {@link fromHub} of many objects, in their order: now where the conversion answers now. */
  convertMany(
    objects: readonly KubeObject[],
    direction: ConversionDirection,
    caller?: ConversionCaller,
  ): readonly KubeObject[] | Promise<readonly KubeObject[]>;
}

/**
 * The registered kinds with the schema, defaults, conversion and priority of each version. Every conversion goes through the
 * hub. A scheme is filled once and then only read.
 */
export class Scheme {
  readonly #kinds = new Map<string, Kind>();
  readonly #priorities = new Map<string, readonly string[]>();
  /** By the name of the kind. */
  readonly #unversioned = new Map<string, GroupVersionKind>();

  /** Errors call the scheme by `name`. The kinds of `base` are kinds of this scheme too, and are not copied. */
  constructor(
    readonly name: string,
    private readonly base?: Scheme,
  ) {}

  /**
   * Registers a kind at a version. A second registration with the same schema changes nothing. Throws for one with another schema, and
   * where there is no version.
   */
  register(gvk: GroupVersionKind, registration: KindRegistration): void {
    const key = keyOf(gvk);
    if (gvk.version === "") {
      throw new Error(`version is required on all types: ${describeKind(gvk)} ${typeName(registration.schema(), gvk)}`);
    }
    if (this.isRegistered(gvk)) {
      const [before, given] = [this.kind(gvk).schema, registration.schema()];
      if (before === given) return;
      throw new Error(
        `Double registration of different types for ${describeKind(gvk)}: old=${typeName(before, gvk)}, new=${typeName(given, gvk)}${this.#inScheme}`,
      );
    }
    this.#kinds.set(key, new Kind(this, gvk, registration));
  }

  /** Registers several kinds of a version, by name. As {@link register}; a schema alone is a kind that is its own hub. */
  registerAll(groupVersion: GroupVersion, kinds: Readonly<Record<string, KindRegistration | StructSchema>>): void {
    for (const [kind, given] of Object.entries(kinds)) {
      this.register({ ...groupVersion, kind }, "type" in given ? { schema: () => given } : given);
    }
  }

  /**
   * Registers kinds that are the same in every group version, as meta/v1's Status: they are found by their name alone and never
   * converted. Throws where another kind of the name is registered so.
   */
  registerUnversioned(groupVersion: GroupVersion, kinds: Readonly<Record<string, StructSchema>>): void {
    this.registerAll(groupVersion, kinds);
    for (const [kind, schema] of Object.entries(kinds)) {
      const gvk = { ...groupVersion, kind };
      const before = this.#unversioned.get(kind);
      if (before !== undefined && this.kind(before).schema !== schema) {
        throw new Error(
          `${typeName(this.kind(before).schema, before)} has already been registered as unversioned kind ${JSON.stringify(describeKind(gvk))} - kind name must be unique${this.#inScheme}`,
        );
      }
      if (before === undefined) this.#unversioned.set(kind, gvk);
    }
  }

  /** Whether a kind was registered by {@link registerUnversioned}. */
  isUnversioned(kind: string): boolean {
    return this.#unversionedKind(kind) !== undefined;
  }

  #unversionedKind(kind: string): GroupVersionKind | undefined {
    const own = this.#unversioned.get(kind);
    return own !== undefined || this.base === undefined ? own : this.base.#unversionedKind(kind);
  }

  get #inScheme(): string {
    return ` in scheme ${JSON.stringify(this.name)}`;
  }

  /** Sets the order of a group's versions, preferred first. Versions that are not named follow, stable ones first. */
  setVersionPriority(group: string, versions: readonly string[]): void {
    this.#priorities.set(group, versions);
  }

  isRegistered(gvk: GroupVersionKind): boolean {
    return this.#kinds.has(keyOf(gvk)) || this.base?.isRegistered(gvk) === true;
  }

  /** The kind at its version; an unversioned kind is one of every version. Throws a {@link NotRegisteredError}. */
  kind(gvk: GroupVersionKind): VersionedKind {
    const kind = this.#kinds.get(keyOf(gvk));
    if (kind !== undefined) return kind;
    if (this.base?.isRegistered(gvk) === true) return this.base.kind(gvk);
    const unversioned = this.#unversionedKind(gvk.kind);
    if (unversioned !== undefined) return this.kind(unversioned);
    throw new NotRegisteredError(`${notRegistered(gvk)}${this.#inScheme}`);
  }

  /** Every kind at every version, in the order of registration; those of the base come first. */
  kinds(): readonly GroupVersionKind[] {
    return [...(this.base?.kinds() ?? []), ...[...this.#kinds.values()].map(({ gvk }) => gvk)];
  }

  /** The groups that have registered kinds. */
  groups(): readonly string[] {
    return [...new Set(this.kinds().map(({ group }) => group))];
  }

  /** The versions of a group that have registered kinds, preferred first. */
  prioritizedVersions(group: string): readonly string[] {
    const versions = new Set(this.kinds().flatMap((gvk) => (gvk.group === group ? [gvk.version] : [])));
    const stated = (this.#priorityOf(group) ?? []).filter((version) => versions.has(version));
    return [...new Set([...stated, ...[...versions].sort(compareVersions)])];
  }

  preferredVersion(group: string): string | undefined {
    return this.prioritizedVersions(group)[0];
  }

  /** The versions of one kind, preferred first. */
  versionsOf({ group, kind }: GroupKind): readonly string[] {
    return this.prioritizedVersions(group).filter((version) => this.isRegistered({ group, version, kind }));
  }

  /** The kind that the object's apiVersion and kind name. Throws when they are missing or not registered. */
  kindOf(object: KubeObject): VersionedKind {
    return this.kind(kindStatedBy(object));
  }

  /** Applies the defaults of the object's own version in place and returns the object. */
  applyDefaults<T extends KubeObject>(object: T, now: number): T {
    this.kindOf(object).applyDefaults(object, now);
    return object;
  }

  /**
   * Converts a copy of `object` to another version, through the hub. `target` may leave out the kind. The argument is not
   * changed; the result may share parts with it. Converts lists item by item. Conversion functions find `context` in their scope.
   * Throws a {@link NotRegisteredError}, and an Error when the two are not versions of one kind.
   */
  convert(object: KubeObject, target: GroupVersion & Partial<GroupVersionKind>, context?: unknown): KubeObject {
    const source = this.kindOf(object);
    if (this.isUnversioned(source.gvk.kind)) return { ...object };
    const wanted = { kind: source.gvk.kind, ...target };
    if (target.kind === undefined && !this.isRegistered(wanted)) {
      throw new NotRegisteredError(
        `${typeName(source.schema, source.gvk)} is not suitable for converting to ${JSON.stringify(formatGroupVersion(target))}${this.#inScheme}`,
      );
    }
    const sink = this.kind(wanted);
    if (keyOf(source.gvk) === keyOf(sink.gvk)) return { ...object };
    if (keyOf(source.hub) !== keyOf(sink.hub)) {
      throw new Error(`converting ${keyOf(source.gvk)} to ${keyOf(sink.gvk)}: unknown conversion`);
    }
    return sink.fromHub(source.toHub(object, context), context);
  }

  /** What conversion functions get that are called with `context`. */
  scope(context: unknown): ConversionScope {
    return {
      context,
      convert: (object, target) => this.convert(object, target, context),
      defaultConvert,
    };
  }

  #priorityOf(group: string): readonly string[] | undefined {
    const own = this.#priorities.get(group);
    return own !== undefined || this.base === undefined ? own : this.base.#priorityOf(group);
  }
}

class Kind implements VersionedKind {
  readonly #defaults: Defaulter | undefined;
  readonly #conversion: Conversion | undefined;
  readonly #batch: BatchConversion | undefined;
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
    if (conversion !== undefined && "convertMany" in conversion) this.#batch = conversion;
    else this.#conversion = conversion;
    this.hub = hub;
  }

  get converts(): boolean {
    return this.#conversion !== undefined || this.#batch !== undefined;
  }

  get convertsLater(): boolean {
    return this.#batch !== undefined;
  }

  get schema(): StructSchema {
    const schema = (this.#resolved ??= this.#schema());
    if (schema === undefined) throw new Error(`no schema for ${keyOf(this.gvk)}`);
    return schema;
  }

  applyDefaults(draft: KubeObject, now: number): void {
    const items = this.#items(draft);
    if (items !== undefined) {
      for (const item of items) this.#itemKind().applyDefaults(item, now);
      return;
    }
    applyStaticDefaults(draft, this.schema);
    this.#defaults?.(draft, now);
  }

  toHub(object: KubeObject, context?: unknown): KubeObject {
    return this.#stamped(this.#mapped(object, "toHub", context), this.hub);
  }

  fromHub(object: KubeObject, context?: unknown): KubeObject {
    return this.#stamped(this.#mapped(object, "fromHub", context), this.gvk);
  }

  convertMany(
    objects: readonly KubeObject[],
    direction: ConversionDirection,
    caller?: ConversionCaller,
  ): readonly KubeObject[] | Promise<readonly KubeObject[]> {
    if (this.#batch === undefined) return objects.map((object) => this[direction](object));
    const stamped = (converted: readonly KubeObject[]): readonly KubeObject[] => {
      if (converted.length !== objects.length) {
        const { length } = objects;
        throw new Error(`converting ${keyOf(this.gvk)}: ${length} objects went in and ${converted.length} came out`);
      }
      return converted.map((object) => this.#stamped(object, direction === "toHub" ? this.hub : this.gvk));
    };
    const converted = this.#batch.convertMany(objects, direction, caller);
    return converted instanceof Promise ? converted.then(stamped) : stamped(converted);
  }

  #mapped(object: KubeObject, direction: ConversionDirection, context: unknown): KubeObject {
    if (this.#batch !== undefined) throw new Error(`${keyOf(this.gvk)} converts many objects at a time, and later`);
    const items = this.#items(object);
    if (items === undefined) {
      return this.#conversion === undefined ? object : this.#conversion[direction](object, this.scheme.scope(context));
    }
    // Items of a list carry no apiVersion and kind.
    return { ...object, items: items.map((item) => unstamped(this.#itemKind()[direction](item, context), item)) };
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

/** Removes apiVersion and kind where the source had none. */
function unstamped(object: KubeObject, source: KubeObject): KubeObject {
  if (source.kind !== undefined) return object;
  const { apiVersion: _, kind: __, ...rest } = object;
  return rest;
}

/** Reads the kind from an object's apiVersion and kind. Throws when they are missing. */
export function kindStatedBy(object: KubeObject): GroupVersionKind {
  const { apiVersion = "", kind = "" } = object;
  if (kind === "") throw new NotRegisteredError("Object 'Kind' is missing");
  if (apiVersion === "") throw new NotRegisteredError("Object 'apiVersion' is missing");
  return { ...parseGroupVersion(apiVersion), kind };
}

/** The version of types that no client sees, as apimachinery calls it. */
export const INTERNAL_VERSION = "__internal";

/** As apimachinery says it, without the name of the scheme. */
function notRegistered(gvk: GroupVersionKind): string {
  const { group, version, kind } = gvk;
  if (kind === "") return `no version ${JSON.stringify(formatGroupVersion(gvk))} has been registered`;
  if (version === INTERNAL_VERSION) {
    return `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(group)}`;
  }
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(formatGroupVersion(gvk))}`;
}

/** "apps/v1, Kind=Deployment", as Go prints a kind. */
const describeKind = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

/** "v1.Deployment", as Go prints a type. */
const typeName = (schema: StructSchema | undefined, { version }: GroupVersionKind): string =>
  schema?.goType ?? `${version === "" ? "" : `${version}.`}${schema?.name ?? "undefined"}`;

const keyOf = (gvk: GroupVersionKind): string => `${formatGroupVersion(gvk)}/${gvk.kind}`;

/** Sets defaults in place. Idempotent; the caller owns the object. `now` is milliseconds since the epoch. */
export type Defaulter = (draft: KubeObject, now: number) => void;

/**
 * Converts between a version and its hub. Neither direction changes its argument; the result may share parts with it. The
 * scheme sets apiVersion and kind. Where Kubernetes keeps a field that the target lacks in an annotation, so does the
 * conversion, and it restores the field from there.
 */
export interface Conversion {
  readonly toHub: (object: KubeObject, scope: ConversionScope) => KubeObject;
  readonly fromHub: (object: KubeObject, scope: ConversionScope) => KubeObject;
}

/** The functions that a conversion function may call. */
export interface ConversionScope {
  /** What the caller of {@link Scheme.convert} gave; undefined for the conversions of a server. */
  readonly context: unknown;
  /** Converts another object by the functions of the scheme, with this context. As {@link Scheme.convert}. */
  convert(object: KubeObject, target: GroupVersion & Partial<GroupVersionKind>): KubeObject;
  /** Copies the fields of `value` that `target` has with the same name and type, at every depth. Asks no function of the scheme. */
  defaultConvert<T>(value: object, target: TypedStruct<T>): Partial<T>;
}

/** The direction of a conversion: to the hub, which is stored, or from it. */
export type ConversionDirection = "toHub" | "fromHub";

/** The caller of a conversion. When its signal aborts, the conversion may stop, because its result is no longer used. */
export interface ConversionCaller {
  readonly signal: AbortSignal;
}

/**
 * Converts many objects of a version to its hub or back, synchronously or by a request to another process. The objects are not
 * changed; the result has as many, in the same order. An error that it throws or rejects with becomes the answer to the request
 * that needed the conversion.
 */
export interface BatchConversion {
  readonly convertMany: (
    objects: readonly KubeObject[],
    direction: ConversionDirection,
    caller?: ConversionCaller,
  ) => readonly KubeObject[] | Promise<readonly KubeObject[]>;
}

/** The registration of a kind at a version. */
export interface KindRegistration {
  /** Called once, on first use of the kind. */
  readonly schema: () => StructSchema | undefined;
  /** The version that conversions go through and that is stored. Default: this version. */
  readonly hub?: GroupVersionKind | undefined;
  /** Sets the defaults that depend on other fields, in this version's shape, after the schema's static ones. */
  readonly applyDefaults?: Defaulter | undefined;
  /** Left out where this version has the hub's shape. */
  readonly conversion?: Conversion | BatchConversion | undefined;
}
