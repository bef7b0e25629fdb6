import { authenticated, type User } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** The verified certificate's common name is the user, its organizations are the groups; `extra` says which certificate it was. */
export const clientCertificate: Authenticator = ({ clientCertificate: certificate }) => {
  if (certificate === undefined) return undefined;
  let user = users.get(certificate);
  if (user === undefined) {
    const { commonName: name, organizations: groups, fingerprint } = certificate;
    const extra = fingerprint === undefined ? undefined : { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] };
    user = authenticated({ name, groups, extra });
    users.set(certificate, user);
  }
  return user;
};

/** A connection's requests show the same certificate. */
const users = new WeakMap<object, User>();
