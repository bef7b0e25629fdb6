import type { Clock } from "../../base/time/clock.js";
import { once } from "../../base/async/once.js";
import type { Random } from "../../base/numbers/random.js";
import type { FrontProxyInfo } from "../../controllers/authentication-trust/authentication-trust.js";
import { KUBELET_CLIENT } from "../../server/authn/client-certificate.js";
import { STANDARD_HEADERS } from "../../server/authn/request-header.js";
import type { ClientIdentity } from "../../server/kubelet/cluster-network.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../machinery/crypto/issue-certificate.js";
import { CA_NAME, type ClusterPki, FRONT_PROXY_CA_NAME } from "./cluster-pki.js";
import { keyMaker } from "../../machinery/crypto/key-maker.js";

const DAY = 86_400_000;

/** Makes the server's client certificate for kubelets, on its first use, valid by each of the clocks. */
export function kubeletClient({ ca }: ClusterPki, clocks: readonly Clock[], random: Random): () => ClientIdentity {
  const times = clocks.map((clock) => clock.now());
  return once(() =>
    issueCertificate(
      {
        commonName: KUBELET_CLIENT,
        organizations: ["system:masters"],
        notBefore: Math.min(...times) - DAY,
        notAfter: Math.max(...times) + 3650 * DAY,
        serial: random.bytes(16),
        usage: "client",
      },
      issuerOf(ca, CA_NAME),
    ),
  );
}

/** The name in the certificate that the server shows to aggregated API servers, as kubeadm has it. */
export const FRONT_PROXY_CLIENT = "front-proxy-client";

/** What aggregated API servers must know about this server as their front proxy. `ca` (PEM) signs its client certificate. */
export const frontProxyInfo = (ca: string): FrontProxyInfo => ({
  ca,
  allowedNames: [FRONT_PROXY_CLIENT],
  ...STANDARD_HEADERS,
});

/** Makes the server's client certificate for aggregated API servers, on its first use, valid by each of the clocks. */
export function frontProxyClient(ca: KeyPair, clocks: readonly Clock[], random: Random): () => ClientIdentity {
  const times = clocks.map((clock) => clock.now());
  return once(() =>
    issueCertificate(
      {
        commonName: FRONT_PROXY_CLIENT,
        notBefore: Math.min(...times) - DAY,
        notAfter: Math.max(...times) + 3650 * DAY,
        serial: random.bytes(16),
        usage: "client",
      },
      issuerOf(ca, FRONT_PROXY_CA_NAME),
    ),
  );
}

/** The user that a client certificate is for. */
export interface UserIdentity {
  readonly user: string;
  /** Beside system:authenticated, which every user with credentials is in. */
  readonly groups?: readonly string[];
}

const YEAR = 365 * 86_400_000;

/**
 * Makes a client certificate of a user with its key, valid for a year by the first clock and by the second. Throws where the
 * server does not have its CA's key.
 */
export function userCertificate(
  { ca }: Pick<ClusterPki, "ca">,
  { user, groups = [] }: UserIdentity,
  clocks: readonly Clock[],
  random: Random,
): KeyPair {
  if (user === "") throw new Error("the user has no name: set the option user");
  if (ca.key === "")
    throw new Error(
      `no certificate can be made for user ${JSON.stringify(user)}: the server does not have the key of its clients' CA`,
    );
  const times = clocks.map((clock) => clock.now());
  const validity = { notBefore: Math.min(...times) - 60_000, notAfter: Math.max(...times) + YEAR };
  const keys = keyMaker(random);
  return issueCertificate(
    { commonName: user, organizations: groups, ...validity, serial: random.bytes(16), usage: "client" },
    issuerOf(ca, CA_NAME, keys),
    keys,
  );
}
