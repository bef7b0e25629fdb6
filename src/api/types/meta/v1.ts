// Made by tools/generate-api-types.mjs of the API facts.
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { ListMeta, ObjectMeta } from "../../../machinery/meta/object.js";
export type {
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  ShardInfo,
} from "../../../machinery/meta/object.js";

/** Bytes in base64 with padding. */
export type Base64 = string;

/** A length of time as Go writes it: "1h30m0s". */
export type Duration = string;

/** The fields that a manager owns, as server-side apply records them: `{"f:spec": {"f:replicas": {}}}`. */
export type FieldsV1 = JsonObject;

/**
 * A 64-bit integer. The client returns an integer beyond ±(2^53 - 1) as a bigint, so that no digit is lost, although the
 * type says number. No field of a built-in kind gets that far in practice.
 */
export type Int64 = number;

/** A number, or a string such as a percentage ("25%") or the name of a port. */
export type IntOrString = number | string;

/** A time in RFC 3339 with six digits of a second, in UTC: "2026-01-02T03:04:05.000006Z". */
export type MicroTime = string;

/** A number with a unit: "100m", "1.5Gi". A plain number is accepted too, and a server returns a string; quantityAsNumber of "kubets" reads both. */
export type Quantity = string | number;

/** An object of any kind, as JSON. */
export type RawExtension = unknown;

/** A time in RFC 3339 in whole seconds, in UTC: "2026-01-02T03:04:05Z". */
export type Time = string;

export type ConditionStatus = "False" | "True" | "Unknown";

export type DeletionPropagation = "Background" | "Foreground" | "Orphan";

export type FieldSelectorOperator = "DoesNotExist" | "Exists" | "In" | "NotIn";

export type LabelSelectorOperator = "DoesNotExist" | "Exists" | "In" | "NotIn";

export type ResourceVersionMatch = "Exact" | "NotOlderThan";

export interface APIGroup {
  kind?: "APIGroup";
  apiVersion?: "v1";
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

export interface APIGroupList {
  kind?: string;
  apiVersion?: string;
  groups: APIGroup[];
}

export interface APIResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}

export interface APIResourceList {
  kind?: string;
  apiVersion?: string;
  groupVersion: string;
  resources: APIResource[];
}

export interface APIVersions {
  kind?: "APIVersions";
  apiVersion?: "v1";
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

export interface ApplyOptions {
  kind?: "ApplyOptions";
  apiVersion?: "v1";
  dryRun?: string[];
  force: boolean;
  fieldManager: string;
}

export interface Condition {
  type: string;
  status: ConditionStatus;
  observedGeneration?: Int64;
  lastTransitionTime: Time;
  reason: string;
  message: string;
}

export interface CreateOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

export interface DeleteOptions {
  kind?: string;
  apiVersion?: string;
  gracePeriodSeconds?: Int64;
  preconditions?: Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: DeletionPropagation;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export interface FieldSelectorRequirement {
  key: string;
  operator: FieldSelectorOperator;
  values?: string[];
}

export interface GetOptions {
  kind?: string;
  apiVersion?: string;
  resourceVersion?: string;
}

export interface GroupResource {
  group: string;
  resource: string;
}

export interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key: string;
  operator: LabelSelectorOperator;
  values?: string[];
}

export interface List {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: RawExtension[];
}

export interface ListOptions {
  kind?: string;
  apiVersion?: string;
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: ResourceVersionMatch;
  timeoutSeconds?: Int64;
  limit?: Int64;
  continue?: string;
  sendInitialEvents?: boolean;
  shardSelector?: string;
}

export interface PartialObjectMetadata {
  kind?: "PartialObjectMetadata";
  apiVersion?: "meta.k8s.io/v1";
  metadata?: ObjectMeta;
}

export interface PartialObjectMetadataList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PartialObjectMetadata[];
}

export type Patch = Record<string, never>;

export interface PatchOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: string;
}

export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

export interface ServerAddressByClientCIDR {
  clientCIDR: string;
  serverAddress: string;
}

export interface Status {
  kind?: "Status";
  apiVersion?: "v1";
  metadata?: ListMeta;
  status?: string;
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface Table {
  kind?: "Table";
  apiVersion?: "meta.k8s.io/v1";
  metadata?: ListMeta;
  columnDefinitions?: TableColumnDefinition[] | null;
  rows?: TableRow[] | null;
}

export interface TableColumnDefinition {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
}

export interface TableOptions {
  kind?: "TableOptions";
  apiVersion?: "v1";
  includeObject?: string;
}

export interface TableRow {
  cells?: unknown[] | null;
  conditions?: TableRowCondition[];
  object?: RawExtension;
}

export interface TableRowCondition {
  type?: string;
  status?: ConditionStatus;
  reason?: string;
  message?: string;
}

export interface UpdateOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

export interface WatchEvent {
  type: string;
  object: unknown;
}
