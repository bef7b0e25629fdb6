import type { Clock } from "../../base/time/clock.js";
import { once } from "../../base/async/once.js";
import type { Random } from "../../base/numbers/random.js";
import { KUBELET_CLIENT } from "../../server/authn/client-certificate.js";
import type { ClientIdentity } from "../../server/kubelet/cluster-network.js";
import { issueCertificate, issuerOf } from "./certificate.js";
import { CA_NAME, type ClusterPki } from "./cluster-pki.js";

const DAY = 86_400_000;

/** The certificate that the server shows to kubelets, made for the first of them and valid by each of the clocks. */
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
