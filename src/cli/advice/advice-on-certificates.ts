import { readText } from "../../base/files/read-file.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { findPemBlock } from "../../machinery/crypto/pem.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { type Certificate, readX509 } from "../../machinery/crypto/x509/certificate.js";
import type { Factory } from "../connect/factory.js";

/** Alerts by which a server ends the handshake with a client whose certificate it does not take. */
const REFUSED_IN_HANDSHAKE = /remote error: tls: (?:expired|bad|unknown) certificate/;

/** For a person whose request was refused: says so where the kubeconfig's own certificate is not valid now. */
export async function adviceOnCertificates(
  errors: readonly unknown[],
  factory: Pick<Factory, "clientConfig" | "rawConfig" | "clock">,
): Promise<string | undefined> {
  if (!errors.some(isRefusal)) return undefined;
  const own = await ownCertificate(factory);
  if (own === undefined) return undefined;
  const { place, certificate } = own;
  const now = factory.clock.now();
  if (now > certificate.notAfter) return `${place} expired on ${dateOf(certificate.notAfter)}. Get a new one.`;
  if (now < certificate.notBefore) {
    return `${place} is not valid before ${dateOf(certificate.notBefore)}. Check the clock of this machine.`;
  }
  return undefined;
}

const isRefusal = (error: unknown): boolean =>
  isStatusError(error)
    ? error.reason === "Unauthorized"
    : isTransportError(error) && REFUSED_IN_HANDSHAKE.test(error.reason);

interface OwnCertificate {
  /** "Your client certificate in /home/me/client.crt". */
  readonly place: string;
  readonly certificate: Certificate;
}

async function ownCertificate({
  clientConfig,
  rawConfig,
}: Pick<Factory, "clientConfig" | "rawConfig">): Promise<OwnCertificate | undefined> {
  const { certFile, certData } = (await clientConfig()).tls;
  if (certData !== undefined) {
    const text = Buffer.from(certData).toString("latin1");
    return ownIn(text, `Your client certificate (client-certificate-data${await kubeconfigOf(certData, rawConfig)})`);
  }
  return certFile === undefined ? undefined : ownIn(await readText(certFile), `Your client certificate in ${certFile}`);
}

function ownIn(text: string, place: string): OwnCertificate | undefined {
  const block = findPemBlock(text);
  return block && { place, certificate: readX509(block.bytes) };
}

/** ` of user "me" in /home/me/.kube/config`; "" where no user of the kubeconfig has the certificate. */
async function kubeconfigOf(data: Uint8Array, rawConfig: Factory["rawConfig"]): Promise<string> {
  for (const [name, { "client-certificate-data": own, origin }] of (await rawConfig()).users) {
    if (own === undefined || Buffer.compare(own, data) !== 0) continue;
    return ` of user ${JSON.stringify(name)}${origin === "" ? "" : ` in ${origin}`}`;
  }
  return "";
}

const dateOf = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
