import type { KeyObject, SignKeyObjectInput } from "node:crypto";
import { constants } from "node:crypto";

/** The algorithms of RFC 7518 that kube-apiserver takes from an issuer of identities: keys are public, so none is symmetric. */
const ALGORITHMS = {
  RS256: { hash: "sha256", type: "rsa" },
  RS384: { hash: "sha384", type: "rsa" },
  RS512: { hash: "sha512", type: "rsa" },
  PS256: { hash: "sha256", type: "rsa", pss: true },
  PS384: { hash: "sha384", type: "rsa", pss: true },
  PS512: { hash: "sha512", type: "rsa", pss: true },
  ES256: { hash: "sha256", type: "ec", curve: "prime256v1" },
  ES384: { hash: "sha384", type: "ec", curve: "secp384r1" },
  ES512: { hash: "sha512", type: "ec", curve: "secp521r1" },
} as const satisfies Readonly<Record<string, AlgorithmFacts>>;

interface AlgorithmFacts {
  readonly hash: string;
  readonly type: "rsa" | "ec";
  readonly pss?: boolean;
  readonly curve?: string;
}

export type SignatureAlgorithm = keyof typeof ALGORITHMS;

/** In byte order, as kube-apiserver lists them. */
export const SIGNATURE_ALGORITHMS = Object.keys(ALGORITHMS).sort() as readonly SignatureAlgorithm[];

export const isSignatureAlgorithm = (name: unknown): name is SignatureAlgorithm =>
  typeof name === "string" && Object.hasOwn(ALGORITHMS, name);

export const hashOf = (algorithm: SignatureAlgorithm): string => ALGORITHMS[algorithm].hash;

/** Whether a key is of the algorithm's type, and of its curve. A key of another type never checks a signature. */
export function fitsAlgorithm(key: KeyObject, algorithm: SignatureAlgorithm): boolean {
  const facts: AlgorithmFacts = ALGORITHMS[algorithm];
  if (key.asymmetricKeyType !== facts.type) return false;
  return facts.curve === undefined || key.asymmetricKeyDetails?.namedCurve === facts.curve;
}

/** The key with the paddings and encodings that the algorithm's signatures have. */
export function keyInput(key: KeyObject, algorithm: SignatureAlgorithm): SignKeyObjectInput {
  const { pss }: AlgorithmFacts = ALGORITHMS[algorithm];
  if (pss !== true) return { key, dsaEncoding: "ieee-p1363" };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}
