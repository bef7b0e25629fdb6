import { authenticated, type User } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";

/** The verified certificate's common name is the user, its organizations are the groups. */
export const clientCertificate: Authenticator = ({ clientCertificate: certificate }) => {
  if (certificate === undefined) return undefined;
  let user = users.get(certificate);
  if (user === undefined) {
    user = authenticated({ name: certificate.commonName, groups: certificate.organizations });
    users.set(certificate, user);
  }
  return user;
};

/** A connection's requests show the same certificate. */
const users = new WeakMap<object, User>();
