import { unauthorized } from "../../machinery/errors/status-error.js";
import type { Authenticator } from "./authenticator.js";

/** Whom a server says it is to kubelets. */
export const KUBELET_CLIENT = "kube-apiserver-kubelet-client";

/**
 * `certificates`, but for the certificate that servers of this cluster show to kubelets. A client that comes with it is a server's own
 * proxy: a node names the server's address as its agent's, and a user of nodes/proxy would act with all rights of the server. The name
 * counts and not the certificate, because several servers share an authority.
 */
export const withoutOwnCertificate =
  (certificates: Authenticator): Authenticator =>
  (exchange) => {
    if (exchange.clientCertificate?.commonName === KUBELET_CLIENT) throw unauthorized();
    return certificates(exchange);
  };
