import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { makeOwnFolder } from "../../base/files/private-files.js";
import { errorCode } from "../../base/files/path-error.js";
import { readText } from "../../base/files/read-file.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import { pemBlocks } from "../../machinery/crypto/pem.js";
import { readX509 } from "../../machinery/crypto/x509/certificate.js";
import { issueCertificate } from "../../machinery/crypto/issue-certificate.js";
import type { CertificateFiles } from "../options/tls-options.js";

/** The certificates that clients' certificates must be signed by, as PEM. */
export async function clientAuthorities(path: string): Promise<string> {
  try {
    const text = await readText(path);
    // Throws for what is no certificate.
    return new X509Certificate(text).raw.length > 0 ? text : "";
  } catch (error) {
    throw new Error(`unable to load client CA provider: ${errorMessage(error)}`);
  }
}

export async function signingKeyIn(path: string): Promise<KeyObject> {
  try {
    return createPrivateKey(await readText(path));
  } catch (error) {
    throw new Error(`failed to parse service-account-issuer-key-file: ${errorMessage(error)}`);
  }
}

/** The public key of a certificate, a public key or a private key. */
export async function verificationKeyIn(path: string): Promise<KeyObject> {
  try {
    return createPublicKey(await readText(path));
  } catch (error) {
    throw new Error(`failed to parse service-account-key-file: ${errorMessage(error)}`);
  }
}

export interface ServingFiles {
  /** Both or neither; without them the pair is in {@link certDir}. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly certDir: string;
  /** What the files in {@link certDir} are called, without ".crt" and ".key". Default "apiserver". */
  readonly pairName?: string;
  /** What a certificate is made for. */
  readonly host: string;
  /** Names and addresses that the certificate is good for beside the host and this machine. */
  readonly names?: readonly string[];
}

const DAY = 86_400_000;

/**
 * Loads the serving certificate. As in kube-apiserver, a missing one is created in the folder. When such a certificate has
 * expired, the server creates another one and calls `report`.
 */
export async function servingFiles(
  files: ServingFiles,
  clock: Clock,
  random: Random,
  report: (error: unknown) => void,
): Promise<CertificateFiles> {
  if (files.certFile !== "" || files.keyFile !== "") return { certFile: files.certFile, keyFile: files.keyFile };
  const { certDir, pairName = "apiserver" } = files;
  const [certFile, keyFile] = [join(certDir, `${pairName}.crt`), join(certDir, `${pairName}.key`)];
  const kept = await Promise.all([readText(certFile), readText(keyFile)]).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  const now = clock.now();
  if (kept !== undefined) {
    const { isOwn, notAfter } = keptCertificate(kept[0]);
    if (!isOwn || now <= notAfter) return { certFile, keyFile };
    report(new Error(`${certFile} has expired on ${new Date(notAfter).toISOString()} and is made anew, with its key`));
  }
  const pair = issueCertificate({
    commonName: files.host,
    notBefore: now - DAY,
    notAfter: now + 365 * DAY,
    serial: random.bytes(16),
    usage: "server",
    names: [...new Set([files.host, "127.0.0.1", "localhost", ...(files.names ?? [])])],
  });
  makeOwnFolder(certDir);
  await writeFile(certFile, pair.certificate, { mode: 0o644 });
  await writeFile(keyFile, pair.key, { mode: 0o600 });
  return { certFile, keyFile };
}

/** Whether a certificate is as {@link servingFiles} makes it, and when it ends in milliseconds since the epoch. */
function keptCertificate(text: string): { readonly isOwn: boolean; readonly notAfter: number } {
  const [block] = pemBlocks(text);
  try {
    const { subject, issuer, subjectAttributes, notAfter, extensions } = readX509(block?.bytes ?? new Uint8Array());
    const { dns = [], ips = [] } = extensions.alternativeNames ?? {};
    const hasNames = dns.includes("localhost") && ips.includes("127.0.0.1");
    return { isOwn: subject === issuer && subjectAttributes.length === 1 && hasNames, notAfter };
  } catch {
    // What is wrong with it is said when it is served.
    return { isOwn: false, notAfter: 0 };
  }
}
