import { derElement, type DerElement, derElements, DerError, derObjectIdentifier } from "./der.js";
import { derText } from "./der-text.js";

/** One part of an X.509 name. */
export interface NameAttribute {
  /** "2.5.4.3" is the common name, "2.5.4.10" an organization. */
  readonly type: string;
  readonly value: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
/** Context-specific: the version, which comes first where it is not 1. */
const VERSION = 0xa0;

/**
 * The subject of a certificate in DER, in the order in which it is written. Throws a {@link DerError} for a value of a type that Go's
 * reader does not have. OpenSSL reads more types: the server would take names from it that the signer, who reads as Go does, never saw.
 */
export function certificateSubject(der: Uint8Array): readonly NameAttribute[] {
  const [body] = items(derElement(der));
  const fields = items(body);
  // Serial number, algorithm, issuer and validity are before it.
  return nameAttributes(fields[fields[0]?.tag === VERSION ? 5 : 4]);
}

/** The parts of a name, as {@link certificateSubject} has them. */
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
