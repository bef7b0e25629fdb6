import { createECDH, createHash, createHmac, createPrivateKey, type KeyObject } from "node:crypto";

/** The order of the group of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * A private key of P-256 that is the same for the same 32 bytes. Of clusters that repeat byte for byte; others make their keys with
 * OpenSSL.
 */
export function reproducibleKey(bytes: Uint8Array): KeyObject {
  const secret = bytesOf((numberOf(bytes) % (ORDER - 1n)) + 1n);
  const point = publicPoint(secret);
  const [d, x, y] = [secret, point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  return createPrivateKey({ format: "jwk", key: { kty: "EC", crv: "P-256", d: d ?? "", x: x ?? "", y: y ?? "" } });
}

/**
 * Signs data with ECDSA by RFC 6979 with SHA-256, by a key of P-256: the same key and data give the same signature, where
 * OpenSSL's differs each time. 64 bytes, r and s.
 */
export function reproducibleSignature(key: KeyObject, data: Uint8Array): Buffer {
  const secret = secretOf(key);
  const digest = createHash("sha256").update(data).digest();
  for (const nonce of nonces(secret, digest)) {
    const r = numberOf(publicPoint(nonce).subarray(1, 33)) % ORDER;
    const s = (inverse(numberOf(nonce)) * (numberOf(digest) + r * numberOf(secret))) % ORDER;
    if (r !== 0n && s !== 0n) return Buffer.concat([bytesOf(r), bytesOf(s)]);
  }
  throw new Error("unreachable: the nonces do not end");
}

/** To export a key takes longer than all else. */
const secrets = new WeakMap<KeyObject, Buffer>();

function secretOf(key: KeyObject): Buffer {
  const secret = secrets.get(key) ?? Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
  secrets.set(key, secret);
  return secret;
}

/** Section 3.2 of RFC 6979. */
function* nonces(secret: Buffer, digest: Buffer): Generator<Buffer> {
  const seed = Buffer.concat([secret, bytesOf(numberOf(digest) % ORDER)]);
  let k: Buffer = Buffer.alloc(32, 0);
  let v: Buffer = Buffer.alloc(32, 1);
  for (const step of [0, 1]) {
    k = hmac(k, v, Buffer.of(step), seed);
    v = hmac(k, v);
  }
  for (;;) {
    v = hmac(k, v);
    const nonce = numberOf(v);
    if (nonce > 0n && nonce < ORDER) yield v;
    k = hmac(k, v, Buffer.of(0));
    v = hmac(k, v);
  }
}

const hmac = (key: Buffer, ...parts: readonly Buffer[]): Buffer =>
  createHmac("sha256", key).update(Buffer.concat(parts)).digest();

/** The uncompressed point that belongs to a secret: 4, then x and y. */
function publicPoint(secret: Buffer): Buffer {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(secret);
  return curve.getPublicKey();
}

/** Modulo the order, by Euclid's algorithm. */
function inverse(value: bigint): bigint {
  let [left, right] = [value % ORDER, ORDER];
  let [factor, other] = [1n, 0n];
  while (left > 0n) {
    const quotient = right / left;
    [left, right] = [right % left, left];
    [factor, other] = [other - quotient * factor, factor];
  }
  return ((other % ORDER) + ORDER) % ORDER;
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
