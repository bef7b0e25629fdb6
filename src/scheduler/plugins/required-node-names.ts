import type { Pod } from "../../api/types/core/v1.js";

/**
 * The names of the nodes that required affinity names by `metadata.name`; undefined where a term names none, so that any node may fit. Empty
 * where no node can fit.
 */
export function requiredNodeNames({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    const [first, ...others] = named.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}
