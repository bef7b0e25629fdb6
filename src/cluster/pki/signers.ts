import { createPrivateKey } from "node:crypto";
import { inOrder } from "../../base/async/turns.js";
import { isReproducible, type Random } from "../../base/numbers/random.js";
import type { SignClient } from "../../controllers/certificates/certificate-signer.js";
import { signingKey } from "../../machinery/crypto/jwt/jws.js";
import type { TokenIssuer } from "../../server/request/token-issuer.js";
import { CA_NAME, type ClusterPki } from "./cluster-pki.js";
import { keyMaker } from "../../machinery/crypto/key-maker.js";

/** Signs certificates of clients with the cluster's authority. */
export function clientSigner({ ca }: ClusterPki, random: Random): SignClient {
  return async (request, validity) => {
    const [{ signClientRequest }, { issuerOf }] = await inOrder(
      Promise.all([import("./sign-request.js"), import("../../machinery/crypto/issue-certificate.js")]),
    );
    return signClientRequest(
      request,
      { ...validity, serial: random.bytes(16) },
      issuerOf(ca, CA_NAME, keyMaker(random)),
    );
  };
}

const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** Issues the tokens of service accounts with the cluster's key. */
export function tokenIssuer({ serviceAccountKey }: ClusterPki, random: Random | undefined): TokenIssuer {
  const reproducible = random !== undefined && isReproducible(random);
  const key = { ...signingKey(createPrivateKey(serviceAccountKey)), reproducible };
  return { url: ISSUER, audiences: [ISSUER], key };
}
