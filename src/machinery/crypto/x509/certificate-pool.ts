import { type Certificate, readX509, subjectOf } from "./certificate.js";

/** A pool of certificates by subject. Each is parsed when a chain may contain it. */
export class CertificatePool {
  readonly #bySubject = new Map<string, (Uint8Array | Certificate | undefined)[]>();

  /** DER. What is no certificate is passed over, as is one that is there already. */
  constructor(certificates: Iterable<Uint8Array>) {
    for (const raw of certificates) {
      const subject = subjectOf(raw);
      if (subject === undefined) continue;
      const namesakes = this.#bySubject.get(subject);
      if (namesakes === undefined) this.#bySubject.set(subject, [raw]);
      else if (!namesakes.some((each) => isSame(each, raw))) namesakes.push(raw);
    }
  }

  has({ subject, raw }: Certificate): boolean {
    return this.#bySubject.get(subject)?.some((each) => isSame(each, raw)) ?? false;
  }

  /** Those that may have signed a certificate, the likeliest first: by the identifiers of their keys. */
  issuersOf({ issuer, extensions: { authorityKeyId } }: Certificate): readonly Certificate[] {
    const namesakes = this.#named(issuer);
    if (namesakes.length < 2) return namesakes;
    const rank = ({ extensions: { subjectKeyId } }: Certificate): number => {
      if (subjectKeyId === authorityKeyId) return 0;
      return subjectKeyId === "" || authorityKeyId === "" ? 1 : 2;
    };
    return namesakes.toSorted((one, other) => rank(one) - rank(other));
  }

  #named(subject: string): readonly Certificate[] {
    const kept = this.#bySubject.get(subject) ?? [];
    for (const [at, each] of kept.entries()) if (each instanceof Uint8Array) kept[at] = tryRead(each);
    return kept.filter((each): each is Certificate => each !== undefined);
  }
}

function isSame(one: Uint8Array | Certificate | undefined, raw: Uint8Array): boolean {
  const bytes = one instanceof Uint8Array ? one : one?.raw;
  return bytes !== undefined && Buffer.compare(bytes, raw) === 0;
}

function tryRead(raw: Uint8Array): Certificate | undefined {
  try {
    return readX509(raw);
  } catch {
    return undefined;
  }
}
