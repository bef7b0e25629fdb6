import type { FieldsOf } from "../../machinery/meta/received.js";
import type { OwnerReference } from "../../machinery/meta/object.js";
import type * as v1 from "../../api/types/core/v1.js";
import { dictionary } from "../../base/collections/dictionary.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { Field, MapSchema, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import { parseQuantity, type Quantity } from "../../machinery/text/quantity/quantity.js";

type Value = unknown;

/**
 * Prints a value of an API type as Go's k8s.io/utils/dump.ForHash prints its struct: every field with its Go name and type, absent
 * ones with their zero values. Empty lists and maps count as absent, as for a client that reads protobuf. Times are supported only
 * if they are absent, because a pod's template has no others.
 */
export function goDump(schema: Schema, value: Value): string {
  return `(${typeName(schema)})${body(schema, value)}`;
}

/** The value without its type. */
function body(schema: Schema, value: Value): string {
  switch (schema.type) {
    case "struct":
      return struct(schema, (value ?? {}) as Readonly<Record<string, Value>>);
    case "list": {
      const items = (value ?? []) as readonly Value[];
      return items.length === 0 ? "<nil>" : `[${items.map((item) => body(schema.items, item)).join(" ")}]`;
    }
    case "map":
      return map(schema, (value ?? {}) as Readonly<Record<string, Value>>);
    case "scalar":
      return scalar(schema, value);
  }
}

function struct({ name, fields }: StructSchema, value: Readonly<Record<string, Value>>): string {
  const parts: string[] = [];
  for (let index = 0; index < fields.length; index++) {
    const first = fields[index] as Field;
    const { inlinedIn } = first;
    if (inlinedIn === undefined) {
      parts.push(field(name, first, value));
      continue;
    }
    const embedded: string[] = [];
    for (; fields[index]?.inlinedIn === inlinedIn; index++) {
      embedded.push(field(inlinedIn, fields[index] as Field, value));
    }
    index--;
    parts.push(`${inlinedIn}:(v1.${inlinedIn}){${embedded.join(" ")}}`);
  }
  return `{${parts.join(" ")}}`;
}

function field(struct: string, { name, schema, pointer }: Field, value: Readonly<Record<string, Value>>): string {
  const held = Object.hasOwn(value, name) ? value[name] : undefined;
  if (!pointer) return `${goFieldName(struct, name)}:${goDump(schema, held)}`;
  const text = held === undefined || held === null ? "<nil>" : body(schema, held);
  return `${goFieldName(struct, name)}:(*${typeName(schema)})${text}`;
}

function map({ values }: MapSchema, value: Readonly<Record<string, Value>>): string {
  const keys = Object.keys(value).sort(compareKeys);
  return keys.length === 0 ? "<nil>" : `map[${keys.map((key) => `${key}:${body(values, value[key])}`).join(" ")}]`;
}

const ZERO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";

function scalar({ scalar: type }: ScalarSchema, held: Value): string {
  const value = held as string | number | bigint | boolean | null | undefined;
  if (type === "quantity") return dumpQuantity(String(value ?? 0));
  if (type === "time") return ZERO_TIME;
  if (type === "string") return String(value ?? "");
  if (type === "bool") return String(value ?? false);
  if (type !== "intOrString") return String(value ?? 0);
  return typeof value === "string"
    ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
    : `{Type:(intstr.Type)0 IntVal:(int32)${String(value ?? 0)} StrVal:(string)}`;
}

const SCALAR_TYPES: Readonly<Partial<Record<ScalarSchema["scalar"], string>>> = {
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  time: "v1.Time",
};

/** As Go's reflection prints the type. */
function typeName(schema: Schema): string {
  switch (schema.type) {
    case "struct":
      return schema.goType ?? schema.name;
    case "list":
      return schema.goType ?? `[]${typeName(schema.items)}`;
    case "map":
      return schema.goType ?? `map[string]${typeName(schema.values)}`;
    case "scalar":
      return schema.goType ?? SCALAR_TYPES[schema.scalar] ?? schema.scalar;
  }
}

/** The names of fields of structs that a pod template is made of. */
type FieldName = KeyOf<
  | v1.Volume
  | v1.ISCSIVolumeSource
  | v1.PodSecurityContext
  | v1.PodSpec
  | v1.Probe
  | v1.WindowsSecurityContextOptions
  | v1.AzureDiskVolumeSource
  | v1.Container
  | v1.FCVolumeSource
  | v1.GCEPersistentDiskVolumeSource
  | v1.HTTPGetAction
  | v1.HostAlias
  | v1.ScaleIOVolumeSource
  | v1.TypedLocalObjectReference
  | v1.PodTemplateSpec
  | OwnerReference
>;
type KeyOf<Struct> = Struct extends unknown ? keyof Struct : never;

/** Go's names of fields whose JSON name is not theirs with a small first letter, in the structs that a pod template is made of. */
const NAMES: Readonly<Record<string, string>> = dictionary<string, string>({
  apiGroup: "APIGroup",
  apiVersion: "APIVersion",
  awsElasticBlockStore: "AWSElasticBlockStore",
  cephfs: "CephFS",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
  csi: "CSI",
  diskURI: "DataDiskURI",
  dnsConfig: "DNSConfig",
  dnsPolicy: "DNSPolicy",
  fc: "FC",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  gcePersistentDisk: "GCEPersistentDisk",
  gmsaCredentialSpec: "GMSACredentialSpec",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  grpc: "GRPC",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  ip: "IP",
  iqn: "IQN",
  iscsi: "ISCSI",
  iscsiInterface: "ISCSIInterface",
  metadata: "ObjectMeta",
  nfs: "NFS",
  os: "OS",
  pdName: "PDName",
  rbd: "RBD",
  seLinuxChangePolicy: "SELinuxChangePolicy",
  seLinuxOptions: "SELinuxOptions",
  serviceAccount: "DeprecatedServiceAccount",
  sslEnabled: "SSLEnabled",
  storageos: "StorageOS",
  tcpSocket: "TCPSocket",
  tty: "TTY",
  uid: "UID",
  wwids: "WWIDs",
} satisfies Partial<Record<FieldName, string>>);

/** Names that hold for one struct only. */
const NAMES_OF_STRUCTS: Readonly<Record<string, Readonly<Record<string, string>>>> = dictionary({
  GlusterfsVolumeSource: { endpoints: "EndpointsName" } satisfies FieldsOf<v1.GlusterfsVolumeSource>,
  RBDVolumeSource: {
    image: "RBDImage",
    monitors: "CephMonitors",
    pool: "RBDPool",
    user: "RadosUser",
  } satisfies FieldsOf<v1.RBDVolumeSource>,
});

/** The Go name of a struct's field that has this name in JSON. */
function goFieldName(struct: string, field: string): string {
  return NAMES_OF_STRUCTS[struct]?.[field] ?? NAMES[field] ?? `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;
}

const NO_INT = "{value:(int64)0 scale:(resource.Scale)0}";
const NO_DECIMAL = "{Dec:(*inf.Dec)<nil>}";

/** A resource.Quantity that was read from this text, without its type: as an int64 and a scale, or as a decimal of any length. */
function dumpQuantity(text: string): string {
  const quantity = parseQuantity(text);
  const { unscaled, scale, format, text: kept = "", wide = false } = quantity;
  const int = wide ? NO_INT : `{value:(int64)${unscaled} scale:(resource.Scale)${scale}}`;
  const decimal = wide ? dumpDecimal(quantity) : NO_DECIMAL;
  return `{i:(resource.int64Amount)${int} d:(resource.infDecAmount)${decimal} s:(string)${kept} Format:(resource.Format)${format}}`;
}

function dumpDecimal({ unscaled, scale }: Quantity): string {
  const abs = words(unscaled < 0n ? -unscaled : unscaled).join(" ");
  const integer = `{neg:(bool)${unscaled < 0n} abs:(big.nat)[${abs}]}`;
  // inf.Dec counts the digits behind the point, a Quantity the zeros before it.
  return `{Dec:(*inf.Dec){unscaled:(big.Int)${integer} scale:(inf.Scale)${scale === 0 ? 0 : -scale}}}`;
}

/** The number's words of 64 bits, the lowest first, as big.Int holds them. */
function words(number: bigint): bigint[] {
  const found: bigint[] = [];
  for (let rest = number; rest > 0n; rest >>= 64n) found.push(BigInt.asUintN(64, rest));
  return found;
}
