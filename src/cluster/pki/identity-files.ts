import { readKeyPair, type PemPair } from "../../machinery/crypto/key-pair.js";
import type { Timers } from "../../base/time/timers.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { ClientIdentity } from "../../server/kubelet/cluster-network.js";
import type { CertificateFiles } from "../options/tls-options.js";
import { FileFaults, readTexts, watchFiles } from "../reload/watch-files.js";

/** A certificate and its key in files, as they are now. */
export interface IdentityFiles {
  /** The same object until the files change. */
  identity(): ClientIdentity;
  /** Follows the files. What is wrong with them later is reported, and what was right before stays. */
  watch(timers: Timers, report: (error: unknown) => void): void;
  close(): void;
}

/** Reads the certificate and the key. Rejects with an Error that names the faulty file and its fault. */
export async function openIdentityFiles({ certFile, keyFile }: CertificateFiles): Promise<IdentityFiles> {
  const paths = [certFile, keyFile];
  const texts = await readTexts(paths);
  let identity = pairOf(texts);
  let stop = (): void => {};
  return {
    identity: () => identity,
    watch(timers, report) {
      const tell = new FileFaults("aggregator-proxy-cert", report).of(`${certFile} and ${keyFile}`);
      const take = (changed: readonly string[]): void => {
        identity = pairOf(changed);
      };
      stop = watchFiles({ paths, timers, take, tell }, texts);
    },
    close: () => stop(),
  };

  function pairOf([certificate = "", key = ""]: readonly string[]): PemPair {
    try {
      readKeyPair({ certificate, key });
    } catch (error) {
      throw new Error(`${certFile} and ${keyFile}: ${errorMessage(error)}`, { cause: error });
    }
    return { certificate, key };
  }
}
