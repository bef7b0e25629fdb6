import { defaulterOf } from "../../api/defaults/index.js";
import { resources } from "../../api/facts/index.js";
import type { Strategy } from "../registry/strategy.js";
import { resetFieldsOf } from "./reset-fields.js";
import { STRATEGIES } from "./strategies.js";
import { tableColumns } from "./tables/index.js";

const built = new Map<string, Strategy | undefined>();
let kinds: ReadonlyMap<string, string> | undefined;

/** What a built-in resource does beyond its schema: strategy, dynamic defaults and table columns. One object per resource. */
export function builtinStrategy(group: string, resource: string): Strategy | undefined {
  const key = group === "" ? resource : `${group}/${resource}`;
  if (!built.has(key)) built.set(key, build(group, resource, key));
  return built.get(key);
}

function build(group: string, resource: string, key: string): Strategy | undefined {
  const strategy = Object.hasOwn(STRATEGIES, key) ? STRATEGIES[key] : undefined;
  const defaults = defaulterOf(group, kindOf(key));
  const columns = tableColumns(group, resource);
  const resetFields = resetFieldsOf(key);
  const parts: Strategy = {
    ...(defaults && { applyDefaults: defaults }),
    ...(columns && { columns }),
    ...(resetFields && { resetFields }),
    ...strategy,
  };
  return Object.keys(parts).length === 0 ? undefined : parts;
}

function kindOf(key: string): string {
  kinds ??= new Map(
    resources().map(({ group, name, kind }) => [group === "" ? name : `${group}/${name}`, kind] as const),
  );
  return kinds.get(key) ?? "";
}
