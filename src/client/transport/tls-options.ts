import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { errorMessage } from "../../base/text/error-message.js";
import { PathError } from "../../base/files/path-error.js";
import { pemText, certificateBlocks } from "../../machinery/crypto/pem.js";
import { rootCertificatesIn } from "../../machinery/crypto/certificates.js";
import { readKeyPair } from "../../machinery/crypto/key-pair.js";
import type { ClientConfig } from "../config/client-config.js";
import type { Environment } from "../surroundings.js";
import { TransportError } from "./transport-error.js";

/** The options for node:tls, with all files read. Throws in client-go's words when the certificates cannot be used. */
export function tlsOptions(tls: ClientConfig["tls"], env: Environment): ConnectionOptions {
  const ca = tls.caData ?? (tls.caFile === undefined ? undefined : read(tls.caFile));
  if (ca && tls.insecureSkipVerify) {
    throw new Error("specifying a root certificates file with the insecure flag is not allowed");
  }
  const cert = tls.certData ?? (tls.certFile === undefined ? undefined : read(tls.certFile));
  const key = tls.keyData ?? (tls.keyFile === undefined ? undefined : read(tls.keyFile));
  // An empty file is valid and contains no authority: no server is trusted then.
  const given = ca && (ca.length === 0 ? [] : certificatesText(rootCertificatesIn(latin1(ca))));
  const roots = given ?? (tls.insecureSkipVerify ? undefined : systemRoots(env));
  return {
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    ...(roots && { ca: roots }),
    ...(cert && key && pairOf(cert, key)),
    ...(tls.serverName && { servername: tls.serverName }),
  };
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new PathError("open", file, error);
  }
}

/** Go reads the pair before it connects, and fails the request with what is wrong with it. */
function pairOf(cert: Uint8Array, key: Uint8Array): Pick<ConnectionOptions, "cert" | "key"> {
  try {
    const pair = readKeyPair({ certificate: latin1(cert), key: latin1(key) });
    return { cert: certificatesText(pair.chain), key: pair.key.export({ type: "pkcs8", format: "pem" }) };
  } catch (error) {
    throw new TransportError(errorMessage(error), { method: "GET" });
  }
}

const certificatesText = (all: readonly Uint8Array[]): string => all.map((der) => pemText("CERTIFICATE", der)).join("");

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

const BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** By SSL_CERT_FILE and SSL_CERT_DIR. */
const rootsRead = new Map<string, string[] | undefined>();

/**
 * The system's trusted authorities, which kubectl uses, where Node has its own list: SSL_CERT_FILE and SSL_CERT_DIR, else
 * the distribution's bundle, each certificate once. Undefined where there is none; Node's list then applies. They are read once in a
 * process, as by Go, so that all connections share one list.
 */
export function systemRoots(env: Environment): string[] | undefined {
  const key = JSON.stringify([env["SSL_CERT_FILE"], env["SSL_CERT_DIR"]]);
  if (!rootsRead.has(key)) rootsRead.set(key, readSystemRoots(env));
  return rootsRead.get(key);
}

function readSystemRoots(env: Environment): string[] | undefined {
  const bundle = bundles(env)
    .map(tryRead)
    .find((text) => text !== undefined);
  const folders = env["SSL_CERT_DIR"]?.split(":") ?? [];
  const fromFolders = folders.flatMap((folder) => listFolder(folder).map((name) => tryRead(join(folder, name)) ?? ""));
  // A folder of certificates often has each of them under two names, and the bundle of them all.
  const roots = new Set([bundle ?? "", ...fromFolders].flatMap(certificateBlocks));
  return roots.size > 0 ? [[...roots].join("\n")] : undefined;
}

const bundles = ({ SSL_CERT_FILE: file }: Environment): readonly string[] => (file ? [file] : BUNDLES);

/** Whether {@link systemRoots} finds any, as far as can be said without reading them. */
function hasSystemRoots(env: Environment): boolean {
  return bundles(env).some((file) => existsSync(file));
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY"];

/** Since Node 22.19. */
type SetAuthorities = ((certificates: readonly string[]) => void) | undefined;

/**
 * Replaces the process's default list of CAs by an empty one. Node reads its whole list for the first TLS connection, used or not,
 * and needs 10 ms for it. Every connection must name its CAs afterwards, as `tlsOptions` does where the system has some; where the
 * system has none, and where a proxy may be verified by the default list, nothing is done.
 */
export function giveUpDefaultAuthorities(env: Environment, proxyUrl: string | undefined): void {
  // Bun reads its list for a connection that names none, and takes long to load node:tls.
  if (process.versions["bun"] !== undefined) return;
  const hasProxy = proxyUrl || PROXIES.some((name) => env[name] || env[name.toLowerCase()]);
  if (hasProxy || !hasSystemRoots(env)) return;
  // A static import would take the names that the Node of the build has.
  const tls = process.getBuiltinModule("node:tls") as { setDefaultCACertificates?: SetAuthorities };
  tls.setDefaultCACertificates?.([]);
}
