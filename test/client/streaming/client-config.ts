import type { ClientConfig } from "../../../src/client/config/client-config.js";

/** A configuration without credentials. */
export const clientConfig = (server: string): ClientConfig => ({
  server,
  tls: { insecureSkipVerify: false },
  auth: {},
  disableCompression: false,
  timeout: 0,
  userAgent: "kubets-test",
  namespace: "default",
  namespaceEnforced: false,
  cacheDir: "",
});
