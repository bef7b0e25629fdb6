import type { Authenticator } from "./authenticator.js";

/** The verified certificate's common name is the user, its organizations are the groups. */
export const clientCertificate: Authenticator = (exchange) => {
  const certificate = exchange.clientCertificate;
  if (certificate === undefined) return Promise.resolve(undefined);
  return Promise.resolve({ name: certificate.commonName, groups: certificate.organizations });
};
