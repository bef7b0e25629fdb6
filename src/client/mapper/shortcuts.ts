import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import { formatGroupResource } from "../../machinery/errors/status-error.js";
import { goQuote } from "../../base/text/go-quote.js";
import { groupOf } from "./resource-index.js";
import type { WireResourceList } from "../discovery/wire.js";

/**
 * Expands a short name ("po", "deploy.apps") to the resource's full name. A plural or singular name takes precedence. When
 * two groups have the short name, the first one wins and `warn` names the other.
 */
export function expandShortcut(
  wanted: GroupVersionResource,
  lists: Iterable<WireResourceList>,
  warn: (text: string) => void,
): GroupVersionResource {
  const all = [...lists];
  for (const list of all) {
    if (wanted.group !== "" && wanted.group !== groupOf(list)) continue;
    const exact = list.resources.some(
      ({ name, singularName }) => name === wanted.resource || singularName === wanted.resource,
    );
    if (exact) return wanted;
  }
  let found: { readonly group: string; readonly resource: string } | undefined;
  const warned = new Set<string>();
  for (const long of shortcutsOf(wanted.resource, all)) {
    if (wanted.group !== "" && wanted.group !== long.group) continue;
    if (!found) {
      found = long;
      continue;
    }
    const shown = formatGroupResource(long);
    if ((long.group === found.group && long.resource === found.resource) || warned.has(shown)) continue;
    warned.add(shown);
    warn(`short name ${goQuote(wanted.resource)} could also match lower priority resource ${shown}`);
  }
  if (found) return { group: found.group, version: "", resource: found.resource };
  if (wanted.group === "") return wanted;
  for (const long of shortcutsOf(wanted.resource, all)) {
    if (long.group.startsWith(wanted.group)) return { ...wanted, ...long };
  }
  return wanted;
}

function* shortcutsOf(
  shortName: string,
  lists: readonly WireResourceList[],
): Generator<{ readonly group: string; readonly resource: string }> {
  for (const list of lists) {
    for (const entry of list.resources) {
      if (entry.shortNames?.includes(shortName)) yield { group: groupOf(list), resource: entry.name };
    }
  }
}
