import type { BatchConversion, Conversion, Defaulter } from "../../machinery/scheme/scheme.js";
import type { GroupVersionKind, GroupVersion } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { Removal } from "./api-registry.js";
import type { KeptResource } from "./installed-resource.js";

/**
 * A resource that is installed into a running server: what the API facts are to a built-in one, beside the same record. The
 * record's fields say how its objects behave and where they are kept.
 */
export interface ResourceDefinition extends ResourceRecord {
  readonly kind: string;
  /** Default: the kind with "List" behind it. */
  readonly listKind?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly namespaced: boolean;
  /** Described by a CustomResourceDefinition: discovery shows it in apiextensions' form. Default: false. */
  readonly isCustom?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Preferred first. */
  readonly versions: readonly ResourceVersion[];
  /** The version that objects are stored in and that the record's hooks see. Default: the first. */
  readonly storageVersion?: string;
  /**
   * The schema of the objects that the record's hooks see, where it is that of no version: an internal version, which no client
   * sees. Every version has a conversion to it then, and objects are stored in the storage version. Default: the storage version's.
   */
  readonly hub?: StructSchema;
}

export interface ResourceVersion {
  /** "v1", "v1beta1". */
  readonly version: string;
  /** The fields of an object beside apiVersion, kind and metadata: spec, status, data. */
  readonly schema: StructSchema;
  /** False for a version that objects may be stored in and that no client can ask for. Default true. */
  readonly served?: boolean;
  /** "status", "scale", and what the record has. Default: none. */
  readonly subresources?: readonly SubresourceDefinition[];
  /** The verbs that are served. Default: all that the storage can do. */
  readonly verbs?: readonly string[];
  /**
   * To and from the hub: the storage version, which has none itself, or the internal version. Needed where the schema is another one than that version's. One that asks
   * another process converts many objects at a time.
   */
  readonly conversion?: Conversion | BatchConversion | undefined;
  /** The `Warning:` of every answer of a deprecated version. */
  readonly deprecationWarning?: string | undefined;
  /** Sets the defaults that depend on other fields, after the schema's own. */
  readonly applyDefaults?: Defaulter;
}

export interface SubresourceDefinition {
  readonly name: string;
  /** What is read and written. Default: autoscaling/v1 Scale for "scale", else the resource's own kind. */
  readonly kind?: GroupVersionKind;
  /** Default: get, patch and update. */
  readonly verbs?: readonly string[];
}

export interface InstallerOptions {
  /** Messages name it: "customresourcedefinitions". */
  readonly owner: string;
  /**
   * True: the resources stand behind all others, as those of apiextensions-apiserver stand behind kube-apiserver's. They never hinder
   * the installation of another one, and of such a resource nothing is served in a group version that has built-in resources, nor where
   * its name, its kind or the keys of its objects are those of a built-in resource or of one that does not yield. Default false: a
   * resource that meets another one is refused.
   */
  readonly yields?: boolean;
}

/** A resource by its names. */
export interface NamedKind extends GroupResource {
  readonly kind: string;
}

/**
 * The handle by which one owner installs, replaces and removes its resources; no other handle can change them. Built-in resources
 * have no handle.
 */
export interface ResourceInstaller {
  /** Installs resources, all or none. Throws an InvalidResourceError that names the one that cannot be right. */
  install(...definitions: readonly ResourceDefinition[]): void;
  /**
   * Installs resources in place of those of the same names, in one change: watches of the replaced ones end, and objects stay.
   * `gone` are removed. A resource that cannot be right is left out, and `failed` is called for it.
   */
  replace(
    definitions: readonly ResourceDefinition[],
    gone: readonly GroupResource[],
    failed: (definition: ResourceDefinition, error: unknown) => void,
  ): void;
  /**
   * Discovery lists these verbs of the resources from now on. Requests are answered as before, and watches stay. Resources that are
   * not installed are left out.
   */
  listVerbs(resources: readonly GroupResource[], discoveryVerbs: readonly string[]): void;
  /**
   * Removes resources; their watches end. Objects stay in the storage. Returns false when there was nothing to remove. Throws an
   * InvalidResourceError when there is, and all of it is others'.
   */
  remove(removal: Removal): boolean;
  /** The storage of a resource, served or not. Undefined where it has none: its name or its keys are another resource's. */
  kept(resource: GroupResource): KeptResource | undefined;
  /** Whether a version of a resource is served once this owner has installed the resource. */
  mayServe(resource: NamedKind, version: string): boolean;
  /** True where nothing in front is served in the group version, so that its APIService is this owner's. Of those that yield. */
  mayRegister(groupVersion: GroupVersion): boolean;
}
