/** The descriptions of a group: by type and field name; "" is the type itself. */
export type DescriptionsFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The place of a definition's description: the group's file and the keys in it. */
export interface DescribedAt {
  /** The name of the group's file, without ".json". */
  readonly file: string;
  /** The keys of its type, the one of its version alone first: "v1beta1.DeviceRequest", "DeviceRequest". */
  readonly keys: readonly string[];
}

/** "io.k8s.api.apps.v1.Deployment" -> the type Deployment of the file "apps"; undefined for a package of no group. */
export function describedAt(definition: string): DescribedAt | undefined {
  const parts = definition.split(".");
  const [type = "", version = "", group = ""] = parts.toReversed();
  if (definition.startsWith("io.k8s.apimachinery.")) return { file: "meta", keys: [type] };
  const isOfGroup = definition.startsWith("io.k8s.api.") || definition.includes(".pkg.apis.");
  return isOfGroup ? { file: group, keys: [`${version}.${type}`, type] } : undefined;
}

/** The type of meta.json that has the fields of every object and every list: apiVersion, kind, metadata, items. */
export const EVERY_KIND = "EveryKind";
export const EVERY_LIST = "EveryList";
