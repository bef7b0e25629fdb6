import type { FieldsOf } from "../../machinery/meta/received.js";
import { unauthorized } from "../../machinery/errors/status-error.js";
import { authenticated, type User } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/**
 * The verified certificate's common name is the user, its organizations are the groups; `extra` says which certificate it was.
 * A certificate that no authority of clients signed is wrong, as is one whose uid cannot be told.
 */
export const clientCertificate: Authenticator = ({ clientCertificate: certificate, certificateFault }) => {
  if (certificateFault !== undefined) throw unauthorized();
  if (certificate === undefined) return undefined;
  let user = users.get(certificate);
  if (user === undefined) {
    const { commonName: name, organizations: groups, fingerprint, uid } = certificate;
    const extra = fingerprint === undefined ? undefined : { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] };
    user = authenticated({ name, groups, extra, ...(uid !== undefined && ({ uid } satisfies FieldsOf<User>)) });
    users.set(certificate, user);
  }
  return user;
};

/** A connection's requests show the same certificate. */
const users = new WeakMap<object, User>();

/** The user name of a server's client certificate for kubelets. */
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
