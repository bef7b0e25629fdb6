import { type DerElement, derElements, DerError, derObjectIdentifier, derText } from "./der.js";

/** One part of an X.509 name. */
export interface NameAttribute {
  /** "2.5.4.3" is the common name, "2.5.4.10" an organization. */
  readonly type: string;
  readonly value: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;

/**
 * The parts of a name, in the order in which they are written. Throws a {@link DerError} for a value of a type that Go's reader does not
 * have. OpenSSL reads more types: the server would take names from it that the signer, who reads as Go does, never saw.
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
