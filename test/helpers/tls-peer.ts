import { generateKeyPairSync } from "node:crypto";
import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { systemRandom } from "../../src/base/numbers/random.js";
import {
  issueCertificate,
  issuerOf,
  type KeyPair,
  signCertificate,
} from "../../src/machinery/crypto/issue-certificate.js";
import { distinguishedName } from "../../src/machinery/crypto/new-certificate-request.js";

const DAY = 86_400_000;
const validity = () => ({ notBefore: Date.now() - DAY, notAfter: Date.now() + DAY, serial: systemRandom.bytes(16) });

/** An authority of its own, by the name "kubernetes" that {@link servingCertificate} expects. */
export const newAuthority = (issuer?: KeyPair): KeyPair =>
  issueCertificate(
    { commonName: issuer === undefined ? "tls-root" : "tls-between", ...validity(), usage: "ca" },
    issuer && issuerOf(issuer, "tls-root"),
  );

/** A server's certificate: its common name says which one it is. */
export const servingCertificate = (ca: KeyPair, commonName: string, names: readonly string[] = []): KeyPair =>
  issueCertificate({ commonName, names, ...validity(), usage: "server" }, issuerOf(ca, "tls-root"));

/** The same with an RSA key. */
export function rsaServingCertificate(ca: KeyPair, commonName: string): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const subject = distinguishedName(commonName, []);
  const certificate = signCertificate(
    { ...validity(), usage: "server", subject, publicKey: publicKey.export({ type: "spki", format: "der" }) },
    issuerOf(ca, "tls-root"),
  );
  return { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** What a client sees of a server in a handshake. */
export interface Handshake {
  /** The common name of the certificate; "" where a session is resumed. */
  readonly shown: string;
  readonly protocol: string | null;
  readonly cipher: string;
  readonly resumed: boolean;
}

/** A connection after its handshake. Rejects with OpenSSL's error for a handshake that fails. */
export function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    );
    socket.on("error", reject);
  });
}

/** Node shows no certificate of a session that is resumed. */
const shownBy = (socket: TLSSocket): string => {
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  return String(subject?.CN ?? "");
};

export const seenOf = (socket: TLSSocket): Handshake => ({
  shown: shownBy(socket),
  protocol: socket.getProtocol(),
  cipher: socket.getCipher().standardName,
  resumed: socket.isSessionReused(),
});

export async function handshake(port: number, options: ConnectionOptions = {}): Promise<Handshake> {
  const socket = await openTls(port, options);
  const seen = seenOf(socket);
  socket.destroy();
  return seen;
}

/** Why a handshake fails: "EPROTO" and the like, in OpenSSL's words. */
export async function refusal(port: number, options: ConnectionOptions): Promise<string> {
  try {
    return JSON.stringify(await handshake(port, options));
  } catch (error) {
    return String(error);
  }
}

/** The text that answers a request on an open connection, or on a new one. */
export function askOver(socket: TLSSocket, path = "/"): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const [head, body = ""] = text.split("\r\n\r\n");
      const [, length] = /content-length: (\d+)/i.exec(head ?? "") ?? [];
      if (length === undefined || body.length < Number(length)) return;
      socket.off("data", read);
      resolve(body);
    };
    socket.on("data", read);
    socket.once("close", () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  });
}
