import type { Certificate } from "./certificate.js";

const ANY = "2.5.29.32.0";

/**
 * Whether the policies of a chain, the leaf first, are as its authorities require (RFC 5280, 6.1, for a user who takes any policy).
 * The root's own do not count.
 */
export function hasValidPolicies(chain: readonly Certificate[]): boolean {
  const last = chain.length - 1;
  /** After how many more certificates a policy must be there, none may be mapped, and `any` stands for none. */
  let explicit = last + 1;
  let mapping = last + 1;
  let any = last + 1;
  /** The policies that the next certificate may name. */
  let expected: ReadonlySet<string> = new Set([ANY]);
  for (let at = last - 1; at >= 0; at -= 1) {
    const certificate = chain[at] as Certificate;
    const { policies } = certificate.extensions;
    const isSelfIssued = certificate.subject === certificate.issuer;
    expected = namedPolicies(policies.ids, expected, any > 0 || (at > 0 && isSelfIssued));
    if (explicit === 0 && expected.size === 0) return false;
    if (at > 0) {
      if (policies.mappings.some((pair) => pair.includes(ANY))) return false;
      expected = mappedPolicies(policies.mappings, expected, mapping > 0);
      if (!isSelfIssued) [explicit, mapping, any] = [lower(explicit), lower(mapping), lower(any)];
      explicit = Math.min(explicit, policies.requireExplicit ?? explicit);
      mapping = Math.min(mapping, policies.inhibitMapping ?? mapping);
      any = Math.min(any, policies.inhibitAny ?? any);
    } else {
      explicit = policies.requireExplicit === 0 ? 0 : lower(explicit);
    }
  }
  return explicit > 0 || expected.size > 0;
}

const lower = (count: number): number => Math.max(0, count - 1);

function namedPolicies(ids: readonly string[], expected: ReadonlySet<string>, takesAny: boolean): ReadonlySet<string> {
  const named = ids.filter((id) => id !== ANY && (expected.has(id) || expected.has(ANY)));
  return new Set(takesAny && ids.includes(ANY) ? [...named, ...expected] : named);
}

function mappedPolicies(
  mappings: readonly (readonly [from: string, to: string])[],
  expected: ReadonlySet<string>,
  mayMap: boolean,
): ReadonlySet<string> {
  if (mappings.length === 0) return expected;
  const from = new Set(mappings.map(([issuers]) => issuers));
  const kept = [...expected].filter((id) => !from.has(id));
  const applied = mayMap ? mappings.filter(([issuers]) => expected.has(issuers) || expected.has(ANY)) : [];
  return new Set([...kept, ...applied.map(([, subjects]) => subjects)]);
}
