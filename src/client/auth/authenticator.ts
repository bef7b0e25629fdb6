import { dictionary } from "../../base/collections/dictionary.js";
import { readFileSync } from "node:fs";
import { goQuote } from "../../base/text/go-quote.js";
import type { ClientConfig, ImpersonationConfig } from "../config/client-config.js";
import type { Surroundings } from "../surroundings.js";
import type { ExecCluster, ExecPlugin } from "./exec-plugin.js";
import type { PluginPolicy } from "./plugin-policy.js";
import type { Clock } from "../../base/time/clock.js";

/** The credentials of one request. */
export interface Credentials {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly repeatedHeaders: Readonly<Record<string, readonly string[]>>;
  /** A client certificate from a credential plugin. The client replaces a transport made for another one. */
  readonly certificate?: { readonly certData: Uint8Array; readonly keyData: Uint8Array };
  /** Drops cached credentials after the server answered 401. */
  refused(): void;
}

export type Authenticator = () => Promise<Credentials>;

export interface AuthenticatorOptions {
  readonly stdinIsTerminal?: boolean;
  /** The credential plugins that may run. Default: all. */
  readonly pluginPolicy?: PluginPolicy | undefined;
}

/**
 * Creates the authenticator of a config. Throws for ways of authentication that exclude each other or that client-go has
 * removed.
 */
export function createAuthenticator(
  config: ClientConfig,
  { clock, env }: Pick<Surroundings, "clock" | "env">,
  options: AuthenticatorOptions = {},
): Authenticator {
  const { auth } = config;
  const impersonation = impersonationHeaders(auth.impersonate);
  if (auth.authProvider !== undefined) {
    throw new Error(
      REMOVED_PROVIDERS[auth.authProvider] ?? `no Auth Provider found for name ${goQuote(auth.authProvider)}`,
    );
  }
  if (auth.username && auth.token) {
    throw new Error("username/password or bearer token may be set, but not both");
  }
  const fixed = (authorization: string | undefined): Credentials => ({
    headers: { ...(authorization !== undefined && { authorization }), ...impersonation.headers },
    repeatedHeaders: impersonation.repeated,
    refused: () => undefined,
  });
  if (auth.tokenFile) {
    const file = new BearerTokenFile(auth.tokenFile, auth.token ?? "", clock);
    return () => Promise.resolve(fixed(`Bearer ${file.token()}`));
  }
  if (auth.token) return always(fixed(`Bearer ${auth.token}`));
  if (auth.username || auth.password) {
    const pair = Buffer.from(`${auth.username ?? ""}:${auth.password ?? ""}`).toString("base64");
    return always(fixed(`Basic ${pair}`));
  }
  const { exec } = auth;
  if (exec === undefined) return always(fixed(undefined));
  if (!EXEC_VERSIONS.has(exec.apiVersion))
    throw new Error(`exec plugin: invalid apiVersion ${goQuote(exec.apiVersion)}`);

  let plugin: Promise<ExecPlugin> | undefined;
  const load = async (): Promise<ExecPlugin> => {
    const { ExecPlugin } = await import("./exec-plugin.js");
    return new ExecPlugin({
      config: exec,
      cluster: execCluster(config),
      env,
      clock,
      stdinIsTerminal: options.stdinIsTerminal ?? Boolean(process.stdin.isTTY),
      policy: options.pluginPolicy,
    });
  };
  return async () => {
    const source = await (plugin ??= load());
    const got = await source.credentials();
    return {
      ...fixed(got.token === undefined ? undefined : `Bearer ${got.token}`),
      ...(got.certData && got.keyData && { certificate: { certData: got.certData, keyData: got.keyData } }),
      refused: () => source.refused(got),
    };
  };
}

function always(credentials: Credentials): Authenticator {
  return () => Promise.resolve(credentials);
}

function impersonationHeaders(as: ImpersonationConfig | undefined): {
  readonly headers: Readonly<Record<string, string>>;
  readonly repeated: Readonly<Record<string, readonly string[]>>;
} {
  if (!as) return { headers: {}, repeated: {} };
  const headers = { "impersonate-user": as.user, ...(as.uid && { "impersonate-uid": as.uid }) };
  const repeated: Record<string, readonly string[]> = {};
  if (as.groups.length > 0) repeated["impersonate-group"] = as.groups;
  for (const [key, values] of Object.entries(as.extra)) repeated[`impersonate-extra-${escapeKey(key)}`] = values;
  return { headers, repeated };
}

/** Percent-encodes the characters that a header name may not contain. The server decodes them. */
function escapeKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+\-.^_`|~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("")
    .toLowerCase();
}

function execCluster({ server, tls, auth, proxyUrl, disableCompression }: ClientConfig): ExecCluster {
  const ca = tls.caData ?? (tls.caFile === undefined ? undefined : readFileSync(tls.caFile));
  return {
    server,
    ...(tls.serverName && { "tls-server-name": tls.serverName }),
    ...(tls.insecureSkipVerify && { "insecure-skip-tls-verify": true }),
    ...(ca && { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(proxyUrl && { "proxy-url": proxyUrl }),
    ...(disableCompression && { "disable-compression": true }),
    ...(auth.exec?.clusterConfig !== undefined && { config: auth.exec.clusterConfig }),
  };
}

const EXEC_VERSIONS = new Set(["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]);

const REMOVED_PROVIDERS: Readonly<Record<string, string>> = dictionary({
  gcp: `The gcp auth plugin has been removed.
Please use the "gke-gcloud-auth-plugin" kubectl/client-go credential plugin instead.
See https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for further details`,
  azure: `The azure auth plugin has been removed.
Please use the https://github.com/Azure/kubelogin kubectl/client-go credential plugin instead.
See https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins for further details`,
});

const MAX_AGE = 60_000;

/**
 * A bearer token in a file that another process renews. It is read again after a minute. While the file cannot be read, the
 * last token stays valid.
 */
class BearerTokenFile {
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly file: string,
    private current: string,
    private readonly clock: Clock,
  ) {}

  token(): string {
    if (this.clock.now() - this.readAt >= MAX_AGE) {
      this.readAt = this.clock.now();
      try {
        const fresh = readFileSync(this.file, "utf8").trim();
        if (fresh !== "") this.current = fresh;
      } catch {
        // The file is being replaced. The last token stays in use.
      }
    }
    return this.current;
  }
}
