import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";

/** A PKCS #10 request and its key, both PEM. `subject`: "CN=jane,O=developers". */
export async function certificateRequest(subject: string): Promise<{ request: string; key: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const generated = await Pkcs10CertificateRequestGenerator.create(
    { name: subject, keys, signingAlgorithm: algorithm },
    webcrypto as never,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const lines = pkcs8.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    request: generated.toString("pem"),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
