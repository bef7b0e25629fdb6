import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  SIGNATURE_ALGORITHMS,
  readToken,
  untrustedIssuer,
  verifies,
  isSignedBy,
  signingKey,
  signToken,
  verificationKey,
} from "../../../../src/machinery/crypto/jwt/jws.js";
import { compactToken, newKey } from "../../../helpers/oidc-issuer.js";

const key = newKey("k");
const publicKey = createPublicKey(key.privateKey);
const claims = { iss: "https://issuer", sub: "alice" };
const good = compactToken({ alg: "ES256", kid: "k" }, claims, key);
const [head = "", body = "", signature = ""] = good.split(".");
const part = (text: string): string => Buffer.from(text).toString("base64url");

test("a JSON Web Token is parsed, and verified by the key that signed it", () => {
  const token = readToken(good);
  expect(token?.claims).toEqual(claims);
  expect(token && verifies(publicKey, token)).toBe(true);
  expect(untrustedIssuer(good)).toBe("https://issuer");
});

describe("parsing a JSON Web Token refuses", () => {
  test.each([
    ["nothing", ""],
    ["one part", head],
    ["two parts", `${head}.${body}`],
    ["four parts", `${good}.x`],
    ["no signature", `${head}.${body}.`],
    ["no header", `.${body}.${signature}`],
    ["no claims", `${head}..${signature}`],
    ["white space before it", ` ${good}`],
    ["white space behind it", `${good} `],
    ["a line's end within it", `${head}.${body}\n.${signature}`],
    ["padding in the header", `${head}=.${body}.${signature}`],
    ["padding in the signature", `${head}.${body}.${signature}==`],
    ["the other alphabet of base64", `${head}.${body}.${"+/".repeat(43)}`],
    ["an asterisk in the claims", `${head}.${body.slice(0, -1)}*.${signature}`],
    ["a part whose length no bytes have", `${head}.${body}A.${signature.slice(0, 85)}`],
    ["bits behind the last byte", `${head}.${body}.${signature.slice(0, -1)}${signature.endsWith("A") ? "B" : "f"}x`],
    ["a header that is no JSON", `${part("alg")}.${body}.${signature}`],
    ["a header that is a list", `${part("[]")}.${body}.${signature}`],
    ["a header that is null", `${part("null")}.${body}.${signature}`],
    ["claims that are text", `${head}.${part('"x"')}.${signature}`],
    ["claims that are a number", `${head}.${part("1")}.${signature}`],
    ["claims with something behind them", `${head}.${part("{} {}")}.${signature}`],
    ["a header with alg twice", `${part('{"alg":"ES256","alg":"none"}')}.${body}.${signature}`],
    ["claims with iss twice", `${head}.${part('{"iss":"a","iss":"b"}')}.${signature}`],
    ["claims with a member twice deep within", `${head}.${part('{"a":{"b":{"c":1,"c":2}}}')}.${signature}`],
    ["a critical extension", `${part('{"alg":"ES256","crit":["exp"],"exp":1}')}.${body}.${signature}`],
    ["an empty list of critical extensions", `${part('{"alg":"ES256","crit":[]}')}.${body}.${signature}`],
    ["a token of a megabyte", `${head}.${part(JSON.stringify({ x: "y".repeat(1_000_000) }))}.${signature}`],
    ["claims nested a thousand deep", `${head}.${part(`{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`)}.${signature}`],
    ["JSON in place of the compact form", JSON.stringify({ payload: body, protected: head, signature })],
  ])("%s", (_, token) => {
    expect(readToken(token)).toBeUndefined();
  });
});

const symmetric = (alg: string, secret: string | Buffer): string => {
  const text = `${part(JSON.stringify({ alg, kid: "k" }))}.${body}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
};
const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
const der = publicKey.export({ type: "spki", format: "der" });

describe("verifying a JSON Web Token refuses", () => {
  test.each([
    ["alg none", `${part('{"alg":"none","kid":"k"}')}.${body}.${signature}`],
    ["alg None", `${part('{"alg":"None"}')}.${body}.${signature}`],
    ["alg nONE with a signature of one byte", `${part('{"alg":"nONE"}')}.${body}.AA`],
    ["no alg", `${part('{"kid":"k"}')}.${body}.${signature}`],
    ["an alg that is a list", `${part('{"alg":["ES256"]}')}.${body}.${signature}`],
    ["an alg in small letters", `${part('{"alg":"es256"}')}.${body}.${signature}`],
    ["an alg named as a member of every object", `${part('{"alg":"constructor"}')}.${body}.${signature}`],
    ["an HMAC by the public key as PEM", symmetric("HS256", pem)],
    ["an HMAC by the public key as DER", symmetric("HS256", der)],
    ["an HMAC by an empty secret", symmetric("HS256", "")],
    ["RSA's algorithm for a key on a curve", `${part('{"alg":"RS256","kid":"k"}')}.${body}.${signature}`],
    ["another curve's algorithm", `${part('{"alg":"ES384","kid":"k"}')}.${body}.${signature}`],
    ["Edwards' algorithm", `${part('{"alg":"EdDSA","kid":"k"}')}.${body}.${signature}`],
    ["another token's signature", `${head}.${part('{"iss":"https://issuer","sub":"root"}')}.${signature}`],
    ["all zeros", `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`],
    [
      "the signature's beginning",
      `${head}.${body}.${Buffer.from(signature, "base64url").subarray(0, 32).toString("base64url")}`,
    ],
    ["a signature in DER", `${head}.${body}.${Buffer.from("3006020101020101", "hex").toString("base64url")}`],
    ["another key's signature", compactToken({ alg: "ES256", kid: "k" }, claims, newKey("other"))],
  ])("%s", (_, token) => {
    const read = readToken(token);
    expect(read !== undefined && verifies(publicKey, read)).toBe(false);
  });

  test("an Ed25519 key verifies no JSON Web Token", () => {
    const { publicKey: edwards } = generateKeyPairSync("ed25519");
    const read = readToken(good);
    expect(read && verifies(edwards, read)).toBe(false);
  });
});

describe("the signature algorithms that issuers may use", () => {
  test.each(SIGNATURE_ALGORITHMS.map((algorithm) => [algorithm]))("verify a token signed by %s", (algorithm) => {
    const own = newKey("k", algorithm);
    const read = readToken(compactToken({ alg: algorithm, kid: "k" }, claims, own));
    expect(read && verifies(createPublicKey(own.privateKey), read)).toBe(true);
  });

  test("are nine, sorted by bytes", () => {
    expect(SIGNATURE_ALGORITHMS.join(" ")).toBe("ES256 ES384 ES512 PS256 PS384 PS512 RS256 RS384 RS512");
  });
});

describe("the key of service account tokens", () => {
  const rsa = signingKey(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
  const signed = (header: object): ReturnType<typeof readToken> =>
    readToken(
      compactToken(header as Record<string, string>, claims, {
        id: "",
        algorithm: "RS256",
        privateKey: rsa.privateKey,
      }),
    );

  test("accepts its own tokens", () => {
    const token = readToken(signToken(claims, rsa));
    expect(token && isSignedBy(token, rsa)).toBe(true);
  });
  test("accepts a token that names no key", () => {
    const token = signed({ alg: "RS256" });
    expect(token && isSignedBy(token, rsa)).toBe(true);
  });
  test.each([
    ["names another key", { alg: "RS256", kid: "other" }],
    ["names a path as its key", { alg: "RS256", kid: "../../dev/null" }],
    ["names an empty key", { alg: "RS256", kid: "" }],
    ["names a list of keys", { alg: "RS256", kid: [rsa.id] }],
    ["brings its own key", { alg: "RS256", kid: "x", jwk: { kty: "RSA" } }],
  ])("refuses a token that %s", (_, header) => {
    const token = signed(header);
    expect(token && isSignedBy(token, rsa)).toBe(false);
  });
  test("refuses another algorithm of the same key type", () => {
    const token = readToken(
      compactToken({ alg: "PS256", kid: rsa.id }, claims, { id: "", algorithm: "PS256", privateKey: rsa.privateKey }),
    );
    expect(token && isSignedBy(token, rsa)).toBe(false);
  });
  test("may not be of another key type", () => {
    expect(() => verificationKey(generateKeyPairSync("ed25519").publicKey)).toThrow(
      "unknown key type ed25519, must be RSA or ECDSA",
    );
  });
});
