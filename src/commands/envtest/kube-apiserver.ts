import { resolve } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { klogError, klogLine } from "../../client/klog.js";
import { kubernetesRelease } from "../../cli/connect/client-version.js";
import type { Command } from "../../cli/command.js";
import { ExitError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { FlagError } from "../../component/flags/flag-errors.js";
import { FlagTable } from "../../component/flags/flag-table.js";
import { parseFlags } from "../../component/flags/parse-flags.js";
import { readRuntimeConfig } from "../../component/flags/pairs.js";
import { kubeApiserverFlags } from "./kube-apiserver-flags.js";
import { roleHelp } from "./role-help.js";

const NAME = "kube-apiserver";

export const kubeApiserverHelp = (): string =>
  roleHelp(
    NAME,
    "kubets in the place of kube-apiserver: the Kubernetes API of 1.36 for tests, without controllers.",
    kubeApiserverFlags,
  );

/** What the folder of {@link envtestCommand} starts as kube-apiserver. Flags are read, and errors said, as kube-apiserver does. */
export function kubeApiserverCommand(run = serve): Command {
  return {
    use: `${NAME} [flags]`,
    description: "Serve the API in the place of kube-apiserver, with its flags.",
    examples: "  {{program}} envtest kube-apiserver --help",
    flags: [],
    disableFlagParsing: true,
    handlesSignals: true,
    ownExitCode: true,
    execute: async (factory, { args, signal }) => {
      const flags = flagsOf(args);
      if (flags.bool("help")) factory.streams.out.write(kubeApiserverHelp());
      else if (flags.bool("version")) factory.streams.out.write(`Kubernetes ${kubernetesRelease.gitVersion}\n`);
      else await run(complete(flags, factory), factory, signal);
    },
  };
}

function flagsOf(args: readonly string[]): Flags {
  try {
    const { flags, args: operands } = parseFlags(new FlagTable(kubeApiserverFlags), args);
    const stray = operands.find((operand) => operand !== "");
    if (stray === undefined) return flags;
    throw new FlagError(`${goQuote(NAME)} does not take any arguments, got [${operands.map(goQuote).join(" ")}]`);
  } catch (error) {
    throw error instanceof FlagError ? plainError(error.message) : error;
  }
}

type ServeOptions = Omit<import("../../cluster/envtest/api-server.js").ApiServerOptions, "reportError" | "signal">;

function complete(flags: Flags, { cwd }: Factory): ServeOptions {
  const file = (name: string): string => (flags.string(name) === "" ? "" : resolve(cwd, flags.string(name)));
  const bindAddress = flags.string("bind-address");
  const everywhere = bindAddress === "0.0.0.0" || bindAddress === "::";
  return {
    bindAddress,
    advertiseAddress: flags.string("advertise-address") || (everywhere ? "127.0.0.1" : bindAddress),
    securePort: flags.number("secure-port"),
    certDir: file("cert-dir"),
    tlsCertFile: file("tls-cert-file"),
    tlsPrivateKeyFile: file("tls-private-key-file"),
    tlsMinVersion: flags.string("tls-min-version"),
    tlsCipherSuites: flags.strings("tls-cipher-suites"),
    tlsSniCertKeys: flags.strings("tls-sni-cert-key").map((value) => sniCertKeyOf(value, cwd)),
    clientCaFile: file("client-ca-file"),
    serviceAccountIssuers: flags.strings("service-account-issuer"),
    serviceAccountKeyFiles: flags.strings("service-account-key-file").map((one) => resolve(cwd, one)),
    serviceAccountSigningKeyFile: file("service-account-signing-key-file"),
    apiAudiences: flags.strings("api-audiences"),
    serviceAccountMaxTokenExpiration: flags.duration("service-account-max-token-expiration"),
    serviceAccountExtendTokenExpiration: flags.bool("service-account-extend-token-expiration"),
    serviceAccountJwksUri: flags.string("service-account-jwks-uri"),
    authentication: authenticationOf(flags, file),
    serviceClusterIpRange: flags.strings("service-cluster-ip-range"),
    etcd: {
      servers: flags.strings("etcd-servers"),
      prefix: flags.string("etcd-prefix"),
      ...(flags.changed("etcd-cafile") && { caFile: file("etcd-cafile") }),
      ...(flags.changed("etcd-certfile") && { certFile: file("etcd-certfile") }),
      ...(flags.changed("etcd-keyfile") && { keyFile: file("etcd-keyfile") }),
    },
    storageMediaType: storageMediaTypeOf(flags),
    watchCache: flags.bool("watch-cache"),
    maxObjectBytes: flags.changed("max-object-bytes") ? flags.number("max-object-bytes") : undefined,
    inFlight: {
      readOnly: flags.number("max-requests-inflight"),
      mutating: flags.number("max-mutating-requests-inflight"),
    },
    runtimeConfig: runtimeConfigOf(flags),
    authorization: authorizationOf(flags, file),
    enableAdmissionPlugins: flags.strings("enable-admission-plugins"),
    disableAdmissionPlugins: flags.strings("disable-admission-plugins"),
    admissionControlConfigFile: file("admission-control-config-file"),
  };
}

function sniCertKeyOf(value: string, cwd: string): ServeOptions["tlsSniCertKeys"][number] {
  try {
    const { certFile, keyFile, ...names } = parseSniCertKey(value);
    const path = (name: string): string => (name === "" ? "" : resolve(cwd, name));
    return { certFile: path(certFile), keyFile: path(keyFile), ...names };
  } catch (error) {
    throw plainError(`invalid argument ${goQuote(value)} for "--tls-sni-cert-key" flag: ${errorMessage(error)}`);
  }
}

const MEDIA_TYPES = ["application/json", "application/vnd.kubernetes.protobuf"] as const;

function storageMediaTypeOf(flags: Flags): (typeof MEDIA_TYPES)[number] {
  const given = flags.string("storage-media-type");
  const known = MEDIA_TYPES.find((one) => one === given);
  if (known !== undefined) return known;
  throw plainError(`--storage-media-type ${goQuote(given)} invalid, allowed values: ${MEDIA_TYPES.join(", ")}`);
}

function runtimeConfigOf(flags: Flags): Readonly<Record<string, boolean>> {
  try {
    return readRuntimeConfig(flags.strings("runtime-config"));
  } catch (error) {
    throw plainError(errorMessage(error));
  }
}

/** What is wrong with the command line. */
const plainError = (message: string): ExitError => new ExitError(1, `Error: ${message}\n`);

async function serve(options: ServeOptions, { streams, clock }: Factory, signal: AbortSignal): Promise<void> {
  const [{ serveApi }, { untilParentEnds }] = await Promise.all([
    import("../../cluster/envtest/api-server.js"),
    import("../../cluster/envtest/until-parent-ends.js"),
  ]);
  const ended = untilParentEnds(signal);
  const failed = (message: string, error: unknown): string =>
    klogError("run.go:72", message, errorMessage(error), new Date(clock.now()), process.pid);
  const reportError = (error: unknown): void => void streams.err.write(failed("Unhandled Error", error));
  const server = await serveApi({ ...options, reportError, signal: ended }).catch((error: unknown) => {
    if (ended.aborted) return undefined;
    throw new ExitError(1, failed("command failed", error));
  });
  // As kube-apiserver, which a signal during its start ends well.
  if (server === undefined) return;
  const serving = `Serving securely on ${new URL(server.url).host}`;
  streams.err.write(klogLine("I", "secure_serving.go:211", serving, new Date(clock.now()), process.pid));
  if (!ended.aborted) {
    await new Promise<void>((done) => ended.addEventListener("abort", () => done(), { once: true }));
  }
  await server.close();
}

type NamedCertificateFiles = import("../../cluster/options/tls-options.js").NamedCertificateFiles;

/** A value of --tls-sni-cert-key, "cert,key" or "cert,key:domain,domain". Throws in kube-apiserver's words. */
export function parseSniCertKey(value: string): NamedCertificateFiles {
  const colon = value.indexOf(":");
  const [files, names] = colon < 0 ? [value, undefined] : [value.slice(0, colon), value.slice(colon + 1).trim()];
  if (names === "") throw new Error("empty names list is not allowed");
  const [certFile, keyFile, ...more] = files.split(",").map((file) => file.trim());
  if (certFile === undefined || keyFile === undefined || more.length > 0) {
    throw new Error("expected comma separated certificate and key file paths");
  }
  return { certFile, keyFile, ...(names !== undefined && { names: names.split(",").map((name) => name.trim()) }) };
}

type AuthenticationOptions = import("../../cluster/options/authentication-options.js").AuthenticationOptions;

/** What kube-apiserver's flags say about authentication. `file` makes a path that the process can open, "" of "". */
export function authenticationOf(flags: Flags, file: (name: string) => string): AuthenticationOptions {
  const [tokenFile, configFile, webhook, proxyCa] = [
    file("token-auth-file"),
    file("authentication-config"),
    file("authentication-token-webhook-config-file"),
    file("requestheader-client-ca-file"),
  ];
  const hasOidc = OIDC_FLAGS.some((name) => flags.changed(name));
  return {
    ...(tokenFile !== "" && { tokenFile }),
    ...(configFile !== "" && { configFile }),
    ...(flags.changed("anonymous-auth") && { anonymous: flags.bool("anonymous-auth") }),
    bootstrapTokens: flags.bool("enable-bootstrap-token-auth"),
    ...(hasOidc && { oidc: oidcOf(flags, file("oidc-ca-file")) }),
    ...(webhook !== "" && {
      webhook: {
        configFile: webhook,
        version: flags.string("authentication-token-webhook-version"),
        cacheTtl: flags.duration("authentication-token-webhook-cache-ttl"),
      },
    }),
    ...(proxyCa !== "" && {
      requestHeader: {
        clientCaFile: proxyCa,
        allowedNames: flags.strings("requestheader-allowed-names"),
        usernameHeaders: flags.strings("requestheader-username-headers"),
        uidHeaders: flags.strings("requestheader-uid-headers"),
        groupHeaders: flags.strings("requestheader-group-headers"),
        extraHeadersPrefixes: flags.strings("requestheader-extra-headers-prefix"),
      },
    }),
  };
}

const OIDC_FLAGS = [
  "oidc-ca-file",
  "oidc-client-id",
  "oidc-groups-claim",
  "oidc-groups-prefix",
  "oidc-issuer-url",
  "oidc-required-claim",
  "oidc-signing-algs",
  "oidc-username-claim",
  "oidc-username-prefix",
];

function oidcOf(flags: Flags, caFile: string): NonNullable<AuthenticationOptions["oidc"]> {
  const claims = flags.strings("oidc-required-claim").map((pair): [string, string] => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  return {
    issuerUrl: flags.string("oidc-issuer-url"),
    clientId: flags.string("oidc-client-id"),
    ...(caFile !== "" && { caFile }),
    usernameClaim: flags.string("oidc-username-claim"),
    usernamePrefix: flags.string("oidc-username-prefix"),
    groupsClaim: flags.string("oidc-groups-claim"),
    groupsPrefix: flags.string("oidc-groups-prefix"),
    signingAlgorithms: flags.strings("oidc-signing-algs"),
    requiredClaims: Object.fromEntries(claims),
  };
}

type AuthorizationOptions = import("../../cluster/envtest/api-server.js").ApiServerOptions["authorization"];

const WEBHOOK_FLAGS = [
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
];

/**
 * What the flags of kube-apiserver say about authorization. Whether they fit together, and which modes there are, the server says. `file`
 * gives the file that a flag names, "" for none.
 */
export function authorizationOf(flags: Flags, file: (flag: string) => string): AuthorizationOptions {
  const configFile = file("authorization-config");
  const policyFile = file("authorization-policy-file");
  const modes = flags.strings("authorization-mode") as NonNullable<AuthorizationOptions["modes"]>;
  const hasWebhook = WEBHOOK_FLAGS.some((flag) => flags.changed(flag));
  return {
    ...(configFile !== "" && { configFile }),
    ...(policyFile !== "" && { policyFile }),
    ...(modes.length > 0 && { modes }),
    ...(modes.length === 0 && configFile === "" && { modes: ["AlwaysAllow"] }),
    ...(hasWebhook && { webhook: webhookOf(flags, file) }),
  };
}

const webhookOf = (flags: Flags, file: (flag: string) => string): NonNullable<AuthorizationOptions["webhook"]> => ({
  kubeconfig: file("authorization-webhook-config-file"),
  version: flags.string("authorization-webhook-version") as "v1" | "v1beta1",
  authorizedTtl: flags.duration("authorization-webhook-cache-authorized-ttl"),
  unauthorizedTtl: flags.duration("authorization-webhook-cache-unauthorized-ttl"),
});
