import { servedResources } from "../../api/facts/index.js";
import { allScheme } from "../../api/scheme/all.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { OTHER_KEYS } from "../../server/api-registry/built-in-names.js";
import { keyPrefix } from "../../server/api-registry/key-prefix.js";
import { builtinRecord } from "../../server/builtin/index.js";

/** What the keys of each built-in kind begin with, by "GROUP/KIND". */
let prefixes: ReadonlyMap<string, string> | undefined;

function builtInPrefixes(): ReadonlyMap<string, string> {
  prefixes ??= new Map(
    servedResources({ "api/all": true })
      .filter(({ storageVersionHash }) => storageVersionHash !== undefined)
      .map((resource) => {
        const { group, kind, name } = resource;
        return [`${group}/${kind}`, keyPrefix(resource, builtinRecord(group, name)?.storage)];
      }),
  );
  return prefixes;
}

/** Whether the key is one of a server's own records, which belong to no resource and may lack a name. */
export const isInternalKey = (key: string): boolean => OTHER_KEYS.some((prefix) => key.startsWith(prefix));

/** Returns why `key` is not the key at which a server looks for the object; undefined where it is. */
export function misplacement(key: string, { apiVersion = "", kind = "", metadata }: KubeObject): string | undefined {
  const { name = "", namespace = "" } = metadata ?? {};
  if (name === "") return "the object has no name";
  const stated = { ...parseGroupVersion(apiVersion), kind };
  const { group } = stated;
  const scheme = allScheme();
  // A retired version is of the group that has the kind now.
  const hub = scheme.isRegistered(stated) ? scheme.kind(stated).hub : stated;
  const end = namespace === "" ? name : `${namespace}/${name}`;
  const prefix = builtInPrefixes().get(`${hub.group}/${hub.kind}`);
  if (prefix !== undefined) return key === prefix + end ? undefined : `the object belongs under ${prefix}${end}`;
  // The plural of another kind stands in its definition alone.
  const parts = key.slice("/registry/".length).split("/");
  const rest = parts.slice(2).join("/");
  if (parts[0] === group && rest === end) return undefined;
  return `the object belongs under /registry/${group || "GROUP"}/PLURAL/${end}`;
}
