import {
  formatGroupVersion,
  type GroupVersionKind,
  parseGroupVersion,
  compareVersions,
} from "../../machinery/meta/gvk.js";
import { Scheme } from "../../machinery/scheme/scheme.js";
import type { VersionRules, VersionTable } from "../conversion/version-table.js";
import { defaulterOf } from "../defaults/index.js";
import type { Definitions } from "../facts/definitions.js";
import type { GroupFacts } from "../facts/resources.js";

/**
 * Makes a scheme of all kinds of `definitions`. `groups` lists each group's versions, the preferred one first; `tables` has the
 * special rules of versions.
 */
export function schemeOf(
  definitions: Definitions,
  groups: readonly GroupFacts[],
  tables: readonly VersionTable[],
): Scheme {
  const scheme = new Scheme("kubernetes");
  const priorities = new Map(groups.map(({ name, versions }) => [name, versions]));
  for (const [group, versions] of priorities) scheme.setVersionPriority(group, versions);
  const kinds = definitions.kinds();
  const preferred = preferredVersions(kinds, priorities);
  const rules: VersionTable = Object.assign({}, ...tables);
  for (const gvk of kinds) {
    if (scheme.isRegistered(gvk)) continue;
    const { conversion, applyDefaults } = ruleOf(rules, gvk);
    const hub = isOfNoGroup(gvk, definitions) ? gvk : hubOf(gvk, rules, preferred);
    scheme.register(gvk, {
      schema: () => definitions.schemaFor(gvk),
      hub,
      conversion,
      applyDefaults: applyDefaults ?? (conversion === undefined ? defaulterOf(hub.group, hub.kind) : undefined),
    });
  }
  return scheme;
}

/** DeleteOptions and WatchEvent: one type under the name of every group version. */
function isOfNoGroup(gvk: GroupVersionKind, definitions: Definitions): boolean {
  const kinds = definitions.kindsOf(definitions.definitionOf(gvk) ?? "");
  return kinds.some(({ group }) => group !== gvk.group);
}

function ruleOf(rules: VersionTable, gvk: GroupVersionKind): VersionRules {
  const key = `${formatGroupVersion(gvk)}/${gvk.kind}`;
  return (Object.hasOwn(rules, key) ? rules[key] : undefined) ?? {};
}

function hubOf(
  gvk: GroupVersionKind,
  rules: VersionTable,
  preferred: ReadonlyMap<string, GroupVersionKind>,
): GroupVersionKind {
  const stated = ruleOf(rules, gvk).hub;
  if (stated !== undefined) return parseKind(stated);
  const item = { ...gvk, kind: gvk.kind.replace(/List$/, "") };
  // A list goes where its items go.
  if (item.kind !== gvk.kind && preferred.has(`${item.group}/${item.kind}`)) {
    const hub = hubOf(item, rules, preferred);
    return { ...hub, kind: `${hub.kind}List` };
  }
  return preferred.get(`${gvk.group}/${gvk.kind}`) ?? gvk;
}

/** The version of the highest priority of each "<group>/<Kind>": its version of the highest priority. */
function preferredVersions(
  kinds: readonly GroupVersionKind[],
  priorities: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, GroupVersionKind> {
  const preferred = new Map<string, GroupVersionKind>();
  for (const gvk of kinds) {
    const key = `${gvk.group}/${gvk.kind}`;
    const known = preferred.get(key);
    if (known === undefined || comesFirst(gvk.version, known.version, priorities.get(gvk.group) ?? [])) {
      preferred.set(key, gvk);
    }
  }
  return preferred;
}

function comesFirst(version: string, other: string, order: readonly string[]): boolean {
  const [place, otherPlace] = [order.indexOf(version), order.indexOf(other)];
  if (place >= 0 && otherPlace >= 0) return place < otherPlace;
  if (place >= 0 || otherPlace >= 0) return place >= 0;
  return compareVersions(version, other) < 0;
}

/** "apps/v1/Deployment", "v1/Event". */
function parseKind(text: string): GroupVersionKind {
  const slash = text.lastIndexOf("/");
  return { ...parseGroupVersion(text.slice(0, slash)), kind: text.slice(slash + 1) };
}
