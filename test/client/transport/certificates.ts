import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  type JsonGeneralNames,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export interface Authority {
  readonly pem: string;
  issue(names: JsonGeneralNames, days?: number): Promise<{ readonly cert: string; readonly key: string }>;
}

/** A certificate authority of its own keys, valid for so many `days` more; two of one name differ in them. */
export async function authority(name: string, days = 30): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const root = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name}`,
      keys,
      signingAlgorithm: algorithm,
      notBefore: daysFromNow(-60),
      notAfter: daysFromNow(days),
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    },
    webcrypto as never,
  );
  return {
    pem: root.toString("pem"),
    async issue(names, days = 30) {
      const own = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const leaf = await X509CertificateGenerator.create(
        {
          subject: "CN=leaf",
          issuer: root.subject,
          publicKey: own.publicKey,
          signingKey: keys.privateKey,
          signingAlgorithm: algorithm,
          notBefore: daysFromNow(-60),
          notAfter: daysFromNow(days),
          extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)],
        },
        webcrypto as never,
      );
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", own.privateKey)).toString("base64");
      return { cert: leaf.toString("pem"), key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n` };
    },
  };
}

const daysFromNow = (days: number): Date => new Date(Date.now() + days * 86_400_000);
