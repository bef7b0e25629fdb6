import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Timers } from "../../base/time/timers.js";
import { certificatesIn } from "../../machinery/crypto/certificates.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import { readKeyPair, type PemPair } from "../../machinery/crypto/key-pair.js";
import type { NamedPair } from "../../server/generic/transport/named-certificates.js";
import type { ShownPairs } from "../../server/generic/transport/serving-contexts.js";
import { readTlsProtocol, type TlsProtocol } from "../../server/generic/transport/tls-protocol.js";
import { servingFault } from "../certificate-faults.js";
import { FileFaults, readTexts, watchFiles } from "./watch-files.js";
import type { CertificateFiles, TlsOptions } from "../options/tls-options.js";
import { readText } from "../../base/files/read-file.js";

/** The certificates and protocol settings of a server's port. */
export interface ServingCertificates {
  readonly protocol: TlsProtocol;
  /** As the files are now; `own` is shown where the options have no certificate. */
  pairs(own: PemPair): ShownPairs;
  /** Authorities of the certificate beside the cluster's own, PEM; "" for none. */
  readonly authorities: string;
  readonly healthChecks: readonly HealthCheck[];
  /** Reloads the files when they change. `show` gets what they hold; it may throw for what cannot be served. `own` is as with {@link pairs}. */
  watch(own: () => PemPair, show: (pairs: ShownPairs) => void): void;
  close(): void;
}

export interface ServingSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly report: (error: unknown) => void;
}

/**
 * Reads the certificate files of the options. Rejects with an Error in kube-apiserver's words, which names the files, for
 * certificates that cannot be served, and reports those that Go clients reject.
 */
export async function openServingCertificates(
  options: TlsOptions,
  { clock, timers, report }: ServingSurroundings,
): Promise<ServingCertificates> {
  const protocol = readTlsProtocol(options.minVersion ?? "", options.cipherSuites ?? []);
  const faults = new FileFaults("serving-certificates", report);
  const { certificate: files, named: namedFiles = [] } = options;
  const main = files && (await openPair("serving-cert", files));
  const named = await Promise.all(namedFiles.map((each) => openPair("sni-serving-cert", each))).catch(notForNames);
  const authorities = await authoritiesOf(options);
  for (const { name, pair } of [...(main === undefined ? [] : [main]), ...named]) {
    const isMain = name === main?.name && options.caFile !== undefined;
    const fault = servingFault(pair.certificate, isMain ? authorities : "", clock.now());
    if (fault !== undefined) report(new Error(`${name}: ${fault}`));
  }
  let shown: PemPair | undefined = main?.pair;
  let shownByName: readonly NamedPair[] = named.map(({ pair }, index) => ({
    ...pair,
    names: namedFiles[index]?.names ?? [],
  }));
  let stops: readonly (() => void)[] = [];
  return {
    protocol,
    pairs: (own) => ({ ...(shown ?? own), named: shownByName }),
    authorities,
    healthChecks: [faults.check],
    watch(own, show) {
      const follow = ({ name, paths, pair }: OpenedPair, take: (pair: PemPair) => void): (() => void) =>
        watchFiles({ paths, timers, tell: faults.of(name), take: (texts) => take(pairOf(notEmpty(name, texts))) }, [
          pair.certificate,
          pair.key,
        ]);
      const takeMain = (pair: PemPair): void => {
        show({ ...pair, named: shownByName });
        shown = pair;
      };
      const takeNamed = (at: number, pair: PemPair): void => {
        const next = shownByName.map((each, index) => (index === at ? { ...pair, names: each.names } : each));
        show({ ...(shown ?? own()), named: next });
        shownByName = next;
      };
      stops = [
        ...(main === undefined ? [] : [follow(main, takeMain)]),
        ...named.map((each, index) => follow(each, (pair) => takeNamed(index, pair))),
      ];
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

interface OpenedPair {
  /** kube-apiserver's name of the pair, which has both paths. */
  readonly name: string;
  readonly paths: readonly [string, string];
  readonly pair: PemPair;
}

async function openPair(purpose: string, { certFile, keyFile }: CertificateFiles): Promise<OpenedPair> {
  if (certFile === "" || keyFile === "") throw new Error("missing filename for serving cert");
  const name = `${purpose}::${certFile}::${keyFile}`;
  const paths = [certFile, keyFile] as const;
  const texts = notEmpty(name, await readTexts(paths));
  try {
    return { name, paths, pair: pairOf(texts) };
  } catch (error) {
    throw new Error(`${name}: ${errorMessage(error)}`, { cause: error });
  }
}

function notEmpty(name: string, texts: readonly string[]): readonly string[] {
  if (texts.every((text) => text !== "")) return texts;
  throw new Error(`missing content for serving cert ${JSON.stringify(name)}`);
}

/** Throws for a certificate and a key that are no pair. */
function pairOf([certificate = "", key = ""]: readonly string[]): PemPair {
  readKeyPair({ certificate, key });
  return { certificate, key };
}

function notForNames(error: unknown): never {
  throw new Error(`failed to load SNI cert and key: ${errorMessage(error)}`, { cause: error });
}

async function authoritiesOf({ certificate, caFile }: TlsOptions): Promise<string> {
  const path = caFile ?? certificate?.certFile;
  if (path === undefined) return "";
  const text = await readText(path);
  try {
    return certificatesIn(text)
      .map((each) => each.toString())
      .join("");
  } catch (error) {
    throw new Error(`error loading CA file ${JSON.stringify(path)}: ${errorMessage(error)}`, { cause: error });
  }
}
