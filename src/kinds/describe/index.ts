import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { Describer } from "./describer.js";

export type { DescribeContext, Describer, DescribeReader, ListWhat } from "./describer.js";
export { Description } from "./description.js";

/** By "Kind.group", "Kind" for the core group; each is loaded when an object of the kind is described. */
const DESCRIBERS: Readonly<Record<string, () => Promise<Describer>>> = {
  ConfigMap: async () => (await import("./config-map.js")).describeConfigMap,
};

/** Undefined for a kind that has no description of its own. */
export async function describerOf({ group, kind }: GroupKind): Promise<Describer | undefined> {
  const key = group === "" ? kind : `${kind}.${group}`;
  return Object.hasOwn(DESCRIBERS, key) ? DESCRIBERS[key]?.() : undefined;
}
