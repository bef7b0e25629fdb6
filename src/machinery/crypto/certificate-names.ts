import { type DerElement, derElements, DerError, derObjectIdentifier, derText, derElement } from "./der.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { goUri } from "../text/go/go-uri.js";
import { textOfAddress } from "../text/go/ip-address.js";

/** The subject alternative names (RFC 5280, 4.2.1.6), in their order. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** In their normal form. */
  readonly ips: readonly string[];
}

export const NO_NAMES: AlternativeNames = { dns: [], emails: [], uris: [], ips: [] };

const SEQUENCE = 0x30;
/** Context-specific: the kinds of names that Go reads. */
const KINDS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** Parses the value of the extension subjectAltName, without names of other kinds. Throws a {@link DerError} in the words of Go's x509. */
export function readAlternativeNames(extension: Uint8Array): AlternativeNames {
  const all = derElement(extension);
  if (all.tag !== SEQUENCE) throw new DerError("x509: invalid subject alternative names");
  const names = { dns: [] as string[], emails: [] as string[], uris: [] as string[], ips: [] as string[] };
  for (const { tag, content } of derElements(all.content)) {
    if (tag === KINDS.email) names.emails.push(ascii(content, "rfc822Name"));
    if (tag === KINDS.dns) names.dns.push(ascii(content, "dNSName"));
    if (tag === KINDS.uri) names.uris.push(uriOf(ascii(content, "uniformResourceIdentifier")));
    if (tag === KINDS.ip) names.ips.push(addressOf(content));
  }
  return names;
}

function ascii(content: Uint8Array, what: string): string {
  if (content.some((byte) => byte >= 0x80)) throw new DerError(`x509: SAN ${what} is malformed`);
  return Buffer.from(content).toString("latin1");
}

function uriOf(uri: string): string {
  try {
    return goUri(uri);
  } catch (error) {
    throw new DerError(`x509: cannot parse URI ${goQuote(uri)}: ${errorMessage(error)}`);
  }
}

function addressOf(content: Uint8Array): string {
  if (content.length === 4 || content.length === 16) return textOfAddress(content);
  throw new DerError(`x509: cannot parse IP address of length ${content.length}`);
}

/** One attribute of an X.509 name. */
export interface NameAttribute {
  /** "2.5.4.3" is the common name, "2.5.4.10" an organization. */
  readonly type: string;
  readonly value: string;
}

const SET = 0x31;

/**
 * The attributes of a name, in the order in which they are written. Throws a {@link DerError} for a value of a type that Go's
 * parser does not support. OpenSSL supports more types: the server would accept names that the signer, which parses as Go does,
 * never saw.
 */
export function nameAttributes(name: DerElement | undefined): readonly NameAttribute[] {
  return items(name).flatMap((set) =>
    items(set, SET).map((attribute) => {
      const [type, value] = items(attribute);
      const text = derText(value);
      if (text === undefined) {
        throw new DerError(`invalid RDNSequence: invalid attribute value: unsupported string type: ${value?.tag}`);
      }
      return { type: derObjectIdentifier(type?.content ?? new Uint8Array()), value: text };
    }),
  );
}

function items(element: DerElement | undefined, tag = SEQUENCE): DerElement[] {
  if (element?.tag !== tag) throw new DerError("malformed certificate");
  return derElements(element.content);
}
