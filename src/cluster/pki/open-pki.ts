import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { ServerOptions } from "../options/server-options.js";
import { type ClusterPki, createClusterPki } from "./cluster-pki.js";
import { errorMessage } from "../../base/text/error-message.js";
import { findPemBlock } from "../../machinery/crypto/pem.js";
import { type Certificate, readX509 } from "../../machinery/crypto/x509/certificate.js";
import { CertificatePool } from "../../machinery/crypto/x509/certificate-pool.js";
import { verifyCertificate } from "../../machinery/crypto/x509/verify-certificate.js";

/** Opens the certificates of a server: those in its data folder, or new ones. Other processes verify them by `verifiers`. */
export async function openPki(
  options: Pick<ServerOptions, "storage" | "dataDir" | "port" | "onWarning">,
  clock: Clock,
  verifiers: Clock,
  random: Random,
): Promise<ClusterPki> {
  const { storage = "memory", dataDir, onWarning = () => {} } = options;
  // Where no process verifies a certificate, the cluster's clock is the only one.
  const verifier = options.port === false ? clock : verifiers;
  if (storage === "memory" || dataDir === undefined) return createClusterPki(clock, random, verifier);
  const { loadOrCreatePki } = await import("./stored-pki.js");
  const create = (kept?: Partial<ClusterPki>) => createClusterPki(clock, random, verifiers, kept);
  return loadOrCreatePki(dataDir, create, (kept) => {
    const fault = pkiFault(kept, { cluster: clock.now(), verifiers: verifiers.now() });
    // What earlier versions kept has no CA of front proxies.
    if (fault === undefined) return kept.frontProxyCa === undefined && isReadable(kept) ? create(kept) : undefined;
    onWarning(`the certificates in ${dataDir} are renewed: ${fault.reason}`);
    const { token, serviceAccountKey, ca, frontProxyCa } = kept;
    return create({ token, serviceAccountKey, ...(!fault.isOfAuthority && { ca, frontProxyCa }) });
  });
}

const isReadable = ({ ca, server, admin }: ClusterPki): boolean =>
  [ca, server, admin].every(({ certificate }) => certificateIn(certificate) !== undefined);

export interface PkiFault {
  /** Which certificate it is, and what is wrong in the words of Go's x509. */
  readonly reason: string;
  /** Whether the authority has to be made anew too, and all kubeconfigs with it. */
  readonly isOfAuthority: boolean;
}

/**
 * Why kept certificates would not be taken; undefined where they are good. Clients judge the server's by `verifiers`, the server that of
 * its administrator by its own time, both in milliseconds since the epoch.
 */
function pkiFault(
  { ca, server, admin }: Pick<ClusterPki, "ca" | "server" | "admin">,
  times: { readonly cluster: number; readonly verifiers: number },
): PkiFault | undefined {
  const [authority, ofServers, ofAdmins] = [ca, server, admin].map(({ certificate }) => certificateIn(certificate));
  // What cannot be read is damaged, and nothing that time has done.
  if (authority === undefined || ofServers === undefined || ofAdmins === undefined) return undefined;
  const roots = new CertificatePool([authority.raw]);
  const judge = (certificate: Certificate, usage: "server" | "client", now: number): string | undefined => {
    try {
      const host = usage === "server" ? { host: "127.0.0.1" } : {};
      verifyCertificate(certificate, { roots, intermediates: roots, usage, now, ...host });
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  };
  const ofAuthority = judge(authority, "client", times.cluster) ?? judge(authority, "client", times.verifiers);
  if (ofAuthority !== undefined) return { reason: `the authority's: ${ofAuthority}`, isOfAuthority: true };
  const ofServer = judge(ofServers, "server", times.verifiers);
  if (ofServer !== undefined) return { reason: `the server's: ${ofServer}`, isOfAuthority: false };
  const ofAdmin = judge(ofAdmins, "client", times.cluster);
  return ofAdmin === undefined ? undefined : { reason: `the administrator's: ${ofAdmin}`, isOfAuthority: false };
}

function certificateIn(pem: string): Certificate | undefined {
  try {
    return readX509(findPemBlock(pem)?.bytes ?? new Uint8Array());
  } catch {
    return undefined;
  }
}
