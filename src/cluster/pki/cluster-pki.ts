import type { Clock } from "../../base/time/clock.js";
import { forkRandom, type Random } from "../../base/numbers/random.js";
import { keyMaker } from "../../machinery/crypto/key-maker.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../machinery/crypto/issue-certificate.js";

/** All keys and certificates of a cluster. They are kept with its data, so that a restart changes no kubeconfig. */
export interface ClusterPki {
  readonly ca: KeyPair;
  /** Signs what the server shows to aggregated API servers; left out where files of the user's do. No client is trusted by it. */
  readonly frontProxyCa?: KeyPair | undefined;
  readonly server: KeyPair;
  /** CN=kubernetes-admin, O=system:masters. */
  readonly admin: KeyPair;
  /** PEM of the private key that tokens of service accounts are signed by. */
  readonly serviceAccountKey: string;
  /** Bearer token of the same user. */
  readonly token: string;
}

/** The subject of the CA. */
export const CA_NAME = "kubernetes";
/** The subject of the front proxies' CA, as kubeadm has it. */
export const FRONT_PROXY_CA_NAME = "front-proxy-ca";
const DAY = 86_400_000;
/** The names in every server's certificate. */
export const SERVER_NAMES = [
  "127.0.0.1",
  "::1",
  "10.96.0.1",
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

function frontProxyAuthority(
  validity: { readonly notBefore: number; readonly notAfter: number },
  random: Random,
): KeyPair {
  const subject = { commonName: FRONT_PROXY_CA_NAME, ...validity, serial: random.bytes(16) };
  return issueCertificate({ ...subject, usage: "ca" }, undefined, keyMaker(random));
}

/**
 * Makes all keys and certificates except those in `kept`. The certificates are valid by the cluster's clock and by that of the
 * processes that verify them.
 */
export function createClusterPki(
  clock: Clock,
  random: Random,
  verifierClock: Clock,
  kept: Partial<ClusterPki> = {},
): ClusterPki {
  const times = [clock.now(), verifierClock.now()];
  const validity = { notBefore: Math.min(...times) - DAY, notAfter: Math.max(...times) + 3650 * DAY };
  const serial = () => random.bytes(16);
  const keys = keyMaker(random);
  const ca =
    kept.ca ?? issueCertificate({ commonName: CA_NAME, ...validity, serial: serial(), usage: "ca" }, undefined, keys);
  const issuer = issuerOf(ca, CA_NAME, keys);
  const frontProxyCa = kept.frontProxyCa ?? frontProxyAuthority(validity, forkRandom(random, "front proxy"));
  const server =
    kept.server ??
    issueCertificate(
      { commonName: "kube-apiserver", ...validity, serial: serial(), usage: "server", names: SERVER_NAMES },
      issuer,
      keys,
    );
  const admin =
    kept.admin ??
    issueCertificate(
      {
        commonName: "kubernetes-admin",
        organizations: ["system:masters"],
        ...validity,
        serial: serial(),
        usage: "client",
      },
      issuer,
      keys,
    );
  const serviceAccountKey = kept.serviceAccountKey ?? keys.make().export({ type: "pkcs8", format: "pem" }).toString();
  const token = kept.token ?? Buffer.from(random.bytes(32)).toString("base64url");
  return { ca, frontProxyCa, server, admin, serviceAccountKey, token };
}
