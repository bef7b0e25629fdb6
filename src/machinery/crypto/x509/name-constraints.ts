import { goQuote } from "../../../base/text/go-quote.js";
import type { AlternativeNames } from "../certificate-names.js";
import { derElement, derElements, DerError } from "../der.js";
import { bytesOfAddress, textOfAddress } from "../../text/go/ip-address.js";
import { CertificateError } from "./certificate-error.js";

/** The names for which an authority may sign certificates (RFC 5280, 4.2.1.10). A kind of names without permitted subtrees is unrestricted. */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
}

interface Subtrees {
  readonly dns: string[];
  readonly emails: string[];
  readonly uris: string[];
  readonly ips: IpRange[];
}

interface IpRange {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
}

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;

/** Parses the extension's value. `isWhole` is false if it also constrains other kinds of names, which are ignored here. */
export function readNameConstraints(value: Uint8Array): {
  readonly constraints: NameConstraints;
  readonly isWhole: boolean;
} {
  const outer = derElement(value);
  if (outer.tag !== 0x30) throw new DerError("x509: invalid NameConstraints extension");
  const lists = derElements(outer.content);
  if (lists.every(({ content }) => content.length === 0)) {
    throw new DerError("x509: empty name constraints extension");
  }
  const constraints = { permitted: noSubtrees(), excluded: noSubtrees() };
  let isWhole = true;
  for (const { tag, content } of lists) {
    const into = tag === PERMITTED ? constraints.permitted : tag === EXCLUDED ? constraints.excluded : undefined;
    if (into === undefined) throw new DerError("x509: invalid NameConstraints extension");
    for (const subtree of derElements(content)) {
      const [base] = derElements(subtree.content);
      if (base === undefined) throw new DerError("x509: invalid NameConstraints extension");
      isWhole = readSubtree(base.tag, base.content, into) && isWhole;
    }
  }
  return { constraints, isWhole };
}

const noSubtrees = (): Subtrees => ({ dns: [], emails: [], uris: [], ips: [] });

function readSubtree(tag: number, content: Uint8Array, into: Subtrees): boolean {
  const text = (): string => {
    if (content.some((byte) => byte >= 0x80)) throw new DerError("x509: invalid constraint value: not an IA5String");
    return Buffer.from(content).toString("latin1");
  };
  switch (tag) {
    case DNS:
      into.dns.push(checkedDomain(text(), "dnsName"));
      return true;
    case EMAIL:
      into.emails.push(text().includes("@") ? text() : checkedDomain(text(), "rfc822Name"));
      return true;
    case URI:
      if (bytesOfAddress(text()) !== undefined) {
        throw new DerError(`x509: failed to parse URI constraint ${goQuote(text())}: cannot be IP address`);
      }
      into.uris.push(checkedDomain(text(), "URI"));
      return true;
    case IP:
      into.ips.push(rangeOf(content));
      return true;
    default:
      return false;
  }
}

function checkedDomain(domain: string, kind: string): string {
  if (isDomain(domain.replace(/^\./, ""))) return domain;
  throw new DerError(`x509: failed to parse ${kind} constraint ${goQuote(domain)}`);
}

const isDomain = (domain: string): boolean =>
  domain === "" || domain.split(".").every((label) => label !== "" && /^[\x21-\x7e]+$/.test(label));

function rangeOf(content: Uint8Array): IpRange {
  const half = content.length / 2;
  if (half !== 4 && half !== 16) {
    throw new DerError(`x509: IP constraint contained value of length ${content.length}`);
  }
  const mask = content.subarray(half);
  if (!/^1*0*$/.test(Array.from(mask, (byte) => byte.toString(2).padStart(8, "0")).join(""))) {
    throw new DerError(`x509: IP constraint contained invalid mask ${Buffer.from(mask).toString("hex")}`);
  }
  return { address: content.subarray(0, half), mask };
}

/** Names in the form in which constraints look at them. */
export interface ConstrainedNames {
  readonly ips: readonly Uint8Array[];
  readonly dns: readonly string[];
  readonly uris: readonly { readonly uri: string; readonly host: string }[];
  readonly emails: readonly Mailbox[];
}

interface Mailbox {
  readonly local: string;
  readonly domain: string;
}

/** Throws a {@link CertificateError} for a name that no constraint could be applied to. */
export function constrainedNames({ ips, dns, uris, emails }: AlternativeNames): ConstrainedNames {
  return {
    uris: uris.map((uri) => ({ uri, host: hostOf(uri) })),
    emails: emails.map(mailboxOf),
    dns,
    ips: ips.map((ip) => bytesOfAddress(ip) ?? new Uint8Array()),
  };
}

/** Throws a {@link CertificateError} for the first name that the constraints forbid, in Go's order. */
export function checkConstraints(names: ConstrainedNames, { permitted, excluded }: NameConstraints): void {
  check(names.ips, permitted.ips, excluded.ips, {
    kind: "IP address",
    show: textOfAddress,
    isWithin: isInRange,
    width: ({ mask }) => onesIn(mask),
    showConstraint: rangeText,
  });
  check(names.dns, permitted.dns, excluded.dns, {
    kind: "DNS name",
    show: (name) => {
      if (isDomain(name)) return name;
      throw forbidden(`x509: cannot parse dnsName ${goQuote(name)}`);
    },
    isWithin,
    standsFor,
    width: lengthOf,
    showConstraint: String,
  });
  check(names.uris, permitted.uris, excluded.uris, {
    kind: "URI",
    show: ({ uri }) => uri,
    isWithin: ({ host }, domain) => isWithin(host, domain),
    width: lengthOf,
    showConstraint: String,
  });
  check(names.emails, permitted.emails, excluded.emails, {
    kind: "email address",
    show: ({ local, domain }) => `${local}@${domain}`,
    isWithin: isMailWithin,
    width: (constraint) => (constraint.includes("@") ? -1 : constraint.length),
    showConstraint: String,
  });
}

const lengthOf = ({ length }: string): number => length;

interface Matching<Name, Constraint> {
  readonly kind: string;
  /** Throws for a name that is none. */
  readonly show: (name: Name) => string;
  readonly isWithin: (name: Name, constraint: Constraint) => boolean;
  /** Whether a wildcard may be used as an excluded name. */
  readonly standsFor?: (name: Name, constraint: Constraint) => boolean;
  /** The smaller the wider: of several constraints that exclude a name Go names the widest. */
  readonly width: (constraint: Constraint) => number;
  readonly showConstraint: (constraint: Constraint) => string;
}

function check<Name, Constraint>(
  names: readonly Name[],
  permitted: readonly Constraint[],
  excluded: readonly Constraint[],
  { kind, show, isWithin: matches, standsFor: covers, width, showConstraint }: Matching<Name, Constraint>,
): void {
  for (const name of names) {
    const shown = goQuote(show(name));
    if (permitted.length > 0 && !permitted.some((constraint) => matches(name, constraint))) {
      throw forbidden(`${kind} ${shown} is not permitted by any constraint`);
    }
    const [widest] = excluded.filter((ban) => matches(name, ban)).toSorted((one, other) => width(one) - width(other));
    const covered = excluded.filter((constraint) => covers?.(name, constraint));
    const [last] = covered.toSorted((one, other) => (showConstraint(one) > showConstraint(other) ? -1 : 1));
    const ban = widest ?? last;
    if (ban !== undefined) {
      throw forbidden(`${kind} ${shown} is excluded by constraint ${goQuote(showConstraint(ban))}`);
    }
  }
}

const forbidden = (detail: string): CertificateError =>
  new CertificateError(`a root or intermediate certificate is not authorized to sign for this name: ${detail}`);

/** Whether a name is the domain or in it; of ".domain", only in it. */
function isWithin(name: string, domain: string): boolean {
  const [own, other] = [name.toLowerCase(), domain.toLowerCase()];
  if (other === "") return true;
  if (other.startsWith(".")) return own.length > other.length && own.endsWith(other);
  return own === other || own.endsWith(`.${other}`);
}

function standsFor(pattern: string, name: string): boolean {
  if (!pattern.startsWith("*.")) return false;
  const dot = name.indexOf(".");
  return dot > 0 && name.slice(dot).toLowerCase() === pattern.slice(1).toLowerCase();
}

function isMailWithin({ local, domain }: Mailbox, constraint: string): boolean {
  if (!constraint.includes("@")) return isWithin(domain, constraint);
  const limit = mailboxOf(constraint);
  return domain === limit.domain && local === limit.local;
}

function mailboxOf(address: string): Mailbox {
  const [, quoted, plain = "", domain = ""] = /^(?:"((?:[^"\\]|\\.)*)"|([^"@\s]+))@([^@]+)$/.exec(address) ?? [];
  if (domain === "" || !isDomain(domain)) throw forbidden(`cannot parse rfc822Name ${goQuote(address)}`);
  return { local: quoted?.replaceAll(/\\(.)/g, "$1") ?? plain, domain: domain.toLowerCase() };
}

function hostOf(uri: string): string {
  const [, authority = ""] = /^[^:]*:\/\/([^/?#]*)/.exec(uri) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  if (host === "") throw forbidden(`URI with empty host (${goQuote(uri)}) cannot be matched against constraints`);
  if (host.startsWith("[") || bytesOfAddress(host) !== undefined) {
    throw forbidden(`URI with IP (${goQuote(uri)}) cannot be matched against constraints`);
  }
  return host;
}

function isInRange(ip: Uint8Array, { address, mask }: IpRange): boolean {
  return ip.length === address.length && ip.every((byte, at) => ((byte ^ (address[at] ?? 0)) & (mask[at] ?? 0)) === 0);
}

const rangeText = ({ address, mask }: IpRange): string => `${textOfAddress(address)}/${onesIn(mask)}`;

const onesIn = (mask: Uint8Array): number =>
  Array.from(mask, (byte) => byte.toString(2).replaceAll("0", "").length).reduce((sum, each) => sum + each, 0);
