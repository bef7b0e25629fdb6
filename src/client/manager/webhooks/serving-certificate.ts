import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import { readText } from "../../../base/files/read-file.js";
import { WatchedFile } from "../../../base/files/watched-file.js";
import type { Timers } from "../../../base/time/timers.js";
import { type PemPair, readKeyPair } from "../../../machinery/crypto/key-pair.js";
import type { SelfMade } from "./self-made-certificate.js";

/**
 * The certificate that webhooks show: files, which are followed (a Secret of cert-manager or a projected podCertificate is such a
 * folder), texts, or one that the manager makes, keeps in a Secret and announces in the webhook configurations.
 */
export type ServingCertificate =
  | { readonly folder: string }
  | { readonly certFile: string; readonly keyFile: string }
  | PemPair
  | { readonly selfMade: SelfMade };

/** controller-runtime's folder, and the names in it, which are those of a Secret of type kubernetes.io/tls. */
const DEFAULT_FOLDER = join(tmpdir(), "k8s-webhook-server", "serving-certs");

/** Makes this the certificate of all TLS handshakes from now on. */
export type ShowPair = (pair: PemPair) => void;

/**
 * Shows what the files hold, now and whenever they change. Rejects with an Error that names the file for files that are missing or hold
 * no certificate and its key; later, such files are reported, and the pair before is shown on. Answers what stops it.
 */
export async function followFiles(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  {
    timers,
    show,
    report,
  }: { readonly timers: Timers; readonly show: ShowPair; readonly report: (error: unknown) => void },
): Promise<() => void> {
  let [last, stopped] = ["", false];
  const look = async (): Promise<void> => {
    const pair = { certificate: await readText(certFile), key: await readText(keyFile) };
    const text = `${pair.certificate}\n${pair.key}`;
    if (stopped || text === last) return;
    last = text;
    try {
      readKeyPair(pair);
    } catch (error) {
      throw new Error(`${certFile} and ${keyFile}: ${errorMessage(error)}`, { cause: error });
    }
    show(pair);
  };
  await look();
  const watched = [certFile, keyFile].map(
    (file) => new WatchedFile({ file, timers, look: () => look().catch(report) }),
  );
  return () => {
    stopped = true;
    for (const one of watched) void one.close();
  };
}

/** The files of a certificate; undefined for one that is no file. */
export function filesOf(
  given: ServingCertificate = { folder: DEFAULT_FOLDER },
): { readonly certFile: string; readonly keyFile: string } | undefined {
  if ("certFile" in given) return given;
  if (!("folder" in given)) return undefined;
  return { certFile: join(given.folder, "tls.crt"), keyFile: join(given.folder, "tls.key") };
}
