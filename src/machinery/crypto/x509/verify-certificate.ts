import { goQuote } from "../../../base/text/go-quote.js";
import { SUBJECT_PART_TYPES } from "../certificate-request.js";
import { bytesText, type Certificate } from "./certificate.js";
import { CertificateError } from "./certificate-error.js";
import type { CertificatePool } from "./certificate-pool.js";
import { checkConstraints, constrainedNames } from "./name-constraints.js";
import { hasKnownKey, signatureFault } from "./signature-check.js";
import { NO_NAMES } from "../certificate-names.js";
import { bytesOfAddress, textOfAddress } from "../../text/go/ip-address.js";

export interface Verification {
  /** Each is trusted by itself, a leaf too. */
  readonly roots: CertificatePool;
  /** What came with the certificate. */
  readonly intermediates: CertificatePool;
  /** What the certificate, and all above it, must be good for. */
  readonly usage: "server" | "client";
  /** The name or the address that a server must have; left out for a client. */
  readonly host?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const USAGES = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;
const ANY_USAGE = "2.5.29.37.0";
/** As many signatures Go looks at before it gives up. */
const MOST_CHECKS = 100;

type Chain = readonly Certificate[];

/**
 * Verifies a certificate as Verify of Go's crypto/x509: some chain leads from it through the intermediates to a root, and all of
 * it is valid now and for the usage. Throws a {@link CertificateError} in Go's words. It accepts what Go accepts, and checks no
 * revocations.
 */
export function verifyCertificate(leaf: Certificate, options: Verification): void {
  const { roots, host, usage } = options;
  checkOne(leaf, [], { kind: "leaf", now: options.now });
  if (host !== undefined) checkHostName(leaf, host);
  const chains = roots.has(leaf) ? [[leaf]] : new ChainBuilder(options).chainsOf([leaf]);
  let badPolicies = 0;
  let badUsages = 0;
  let badNames: unknown;
  for (const chain of chains) {
    if (!hasValidPolicies(chain)) badPolicies += 1;
    else if (!isGoodFor(chain, USAGES[usage])) badUsages += 1;
    else {
      const fault = constraintFault(chain);
      if (fault === undefined) return;
      badNames ??= fault;
    }
  }
  if (badNames !== undefined) throw badNames;
  if (badPolicies === 0) throw new CertificateError("certificate specifies an incompatible key usage");
  const counts = [
    [badUsages, "incompatible key usage"],
    [badPolicies, "invalid policies"],
  ] as const;
  const details = counts.filter(([count]) => count > 0).map(([count, why]) => `${count} candidate chains with ${why}`);
  throw new CertificateError(`no valid chains built: ${details.join(", ")}`);
}

/** Go builds all chains, and says what was wrong with the last issuer that it tried. */
class ChainBuilder {
  #checks = 0;

  constructor(private readonly options: Verification) {}

  /** Throws a {@link CertificateError} where no chain leads to a root. */
  chainsOf(chain: Chain): readonly Chain[] {
    const certificate = chain.at(-1) as Certificate;
    const chains: Chain[] = [];
    let fault: unknown;
    let hint: string | undefined;
    const consider = (kind: "root" | "intermediate", issuer: Certificate): void => {
      if (!hasKnownKey(issuer) || chain.some((each) => isSameEntity(each, issuer))) return;
      this.#checks += 1;
      if (this.#checks > MOST_CHECKS) {
        fault = new CertificateError("signature check attempts limit reached while verifying certificate chain");
        return;
      }
      const unsigned = signatureFault(certificate, issuer);
      if (unsigned !== undefined) {
        hint ??= hintOf(unsigned, issuer);
        return;
      }
      try {
        fault = undefined;
        checkOne(issuer, chain, { kind, now: this.options.now });
        const longer = [...chain, issuer];
        if (kind === "root") chains.push(longer);
        else chains.push(...this.chainsOf(longer));
      } catch (error) {
        fault = error;
        hint ??= hintOf(String((error as Error).message), issuer);
      }
    };
    for (const root of this.options.roots.issuersOf(certificate)) consider("root", root);
    for (const each of this.options.intermediates.issuersOf(certificate)) consider("intermediate", each);
    if (chains.length > 0) return chains;
    throw fault ?? new CertificateError(`certificate signed by unknown authority${hint ?? ""}`);
  }
}

/** A certificate that stands for another with the same subject, key and names leads to no new chain. */
function isSameEntity(one: Certificate, other: Certificate): boolean {
  return (
    one.subject === other.subject &&
    bytesText(one.publicKey) === bytesText(other.publicKey) &&
    one.extensions.alternativeNamesValue === other.extensions.alternativeNamesValue
  );
}

/** Checks a certificate for itself, and as the next above `below`. */
function checkOne(
  certificate: Certificate,
  below: Chain,
  { kind, now }: { readonly kind: "leaf" | "intermediate" | "root"; readonly now: number },
): void {
  const { notBefore, notAfter, extensions } = certificate;
  if (extensions.hasUnknownCritical) throw new CertificateError("unhandled critical extension");
  const invalid = "certificate has expired or is not yet valid: current time";
  if (now < notBefore) throw new CertificateError(`${invalid} ${localTime(now)} is before ${utcTime(notBefore)}`);
  if (now > notAfter) throw new CertificateError(`${invalid} ${localTime(now)} is after ${utcTime(notAfter)}`);
  const { basicConstraints } = extensions;
  if (kind === "intermediate" && basicConstraints?.isAuthority !== true) {
    throw new CertificateError("certificate is not authorized to sign other certificates");
  }
  const longest = basicConstraints?.longestPath;
  if (longest !== undefined && below.length - 1 > longest) {
    throw new CertificateError("too many intermediates for path length constraint");
  }
}

/** A certificate without extended key usages is good for all. */
function isGoodFor(chain: Chain, usage: string): boolean {
  return chain.every(({ extensions: { extendedKeyUsages } }) => {
    return extendedKeyUsages.length === 0 || [usage, ANY_USAGE].some((one) => extendedKeyUsages.includes(one));
  });
}

function constraintFault(chain: Chain): unknown {
  try {
    for (const [at, { extensions }] of chain.entries()) {
      const { nameConstraints } = extensions;
      if (nameConstraints === undefined) continue;
      for (const { extensions: own } of chain.slice(0, at)) {
        if (own.alternativeNames !== undefined)
          checkConstraints(constrainedNames(own.alternativeNames), nameConstraints);
      }
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

function hintOf(why: string, { subjectAttributes, serial }: Certificate): string {
  const { commonName, organization } = SUBJECT_PART_TYPES;
  const common = subjectAttributes.findLast(({ type }) => type === commonName)?.value;
  const shown = common || (subjectAttributes.find(({ type }) => type === organization)?.value ?? `serial:${serial}`);
  return ` (possibly because of ${goQuote(why)} while trying to verify candidate authority certificate ${goQuote(shown)})`;
}

const utcTime = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

/** RFC 3339 in the zone of the process, as Go shows the time of day. */
function localTime(time: number): string {
  const minutes = -new Date(time).getTimezoneOffset();
  if (minutes === 0) return utcTime(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return utcTime(time + minutes * 60_000).replace("Z", `${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`);
}

const ANY = "2.5.29.32.0";

/**
 * Whether the policies of a chain, the leaf first, are as its authorities require (RFC 5280, 6.1, for a user who takes any policy).
 * The root's own do not count.
 */
function hasValidPolicies(chain: readonly Certificate[]): boolean {
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

const MOST_NAMES_SHOWN = 100;

/** Throws a {@link CertificateError} for a certificate that is not for the host, which is a name or an IP address. */
function checkHostName(certificate: Certificate, host: string): void {
  const { dns, ips } = certificate.extensions.alternativeNames ?? NO_NAMES;
  const address = bytesOfAddress(host.replace(/^\[(.*)]$/, "$1"));
  if (address !== undefined) {
    const text = textOfAddress(address);
    if (ips.includes(text)) return;
    throw new CertificateError(mismatch(certificate, host.replace(/^\[(.*)]$/, "$1")));
  }
  const name = host.toLowerCase();
  const isName = isHostName(name);
  if (dns.some((pattern) => (isName && isHostPattern(pattern) ? covers(pattern, name) : isSame(pattern, name)))) return;
  throw new CertificateError(mismatch(certificate, host));
}

function mismatch({ extensions, subjectAttributes }: Certificate, host: string): string {
  const common = subjectAttributes.findLast(({ type }) => type === SUBJECT_PART_TYPES.commonName)?.value ?? "";
  if (extensions.alternativeNamesValue === undefined && covers(common, host.toLowerCase())) {
    return "certificate relies on legacy Common Name field, use SANs instead";
  }
  const { dns, ips } = extensions.alternativeNames ?? NO_NAMES;
  const isAddress = bytesOfAddress(host) !== undefined;
  const names = isAddress ? ips : dns;
  if (isAddress && names.length === 0) {
    return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  }
  if (names.length >= MOST_NAMES_SHOWN) {
    return `certificate is valid for ${names.length} ${isAddress ? "IP SANs" : "names"}, but none matched ${host}`;
  }
  const shown = names.join(", ");
  if (shown === "") return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${shown}, not ${host}`;
}

const LABEL = /^[a-z0-9_][a-z0-9_-]*$/i;

const isHostName = (host: string): boolean => host !== "*" && labelsOf(withoutDot(host)).every(isLabel);

/** A star may stand for the whole first label. A dot at the end makes it none. */
function isHostPattern(pattern: string): boolean {
  if (pattern === "*") return false;
  const [first = "", ...rest] = labelsOf(pattern);
  return (first === "*" || isLabel(first)) && rest.every(isLabel);
}

const labelsOf = (name: string): readonly string[] => name.split(".");
const isLabel = (label: string): boolean => LABEL.test(label);
const withoutDot = (host: string): string => (host.endsWith(".") ? host.slice(0, -1) : host);

function covers(pattern: string, name: string): boolean {
  const [wanted, given] = [labelsOf(withoutDot(pattern.toLowerCase())), labelsOf(withoutDot(name))];
  if (pattern === "" || name === "" || wanted.length !== given.length) return false;
  return wanted.every((label, index) => (index === 0 && label === "*") || label === given[index]);
}

function isSame(one: string, other: string): boolean {
  return one !== "" && one !== "." && one.toLowerCase() === other;
}
