import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../base/time/clock.js";
import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Environment } from "../../client/surroundings.js";
import type { EgressDialers } from "../../client/transport/dial.js";
import { HttpConnectProxy } from "../../client/transport/http-connect.js";
import { tlsOptions } from "../../client/transport/tls-options.js";
import { readKeyPair } from "../../machinery/crypto/key-pair.js";
import { formatFieldErrors } from "../../machinery/errors/field-error.js";
import {
  decodeEgressSelections,
  type EgressConnection,
  egressErrors,
  type EgressSelection,
  type EgressTls,
} from "./egress-configuration.js";

/** The dialers for connections to the outside of a server. A destination without one is reached over the machine's network. */
export interface Egress extends EgressDialers {
  readonly etcd?: HttpConnectProxy;
}

/**
 * Opens the egress selections of a server: a list, or the path of an EgressSelectorConfiguration. Rejects in kube-apiserver's
 * words for invalid ones, and for files that cannot be read.
 */
export async function openEgress(
  egress: string | readonly EgressSelection[],
  surroundings: { readonly clock: Clock; readonly env: Environment },
): Promise<Egress> {
  const selections = typeof egress === "string" ? await selectionsOf(egress) : egress;
  const errors = egressErrors(selections);
  if (errors.length > 0) {
    throw new Error(`failed to validate egress selector configuration: ${formatFieldErrors(errors)}`);
  }
  const proxies = new Map<string, HttpConnectProxy>();
  for (const { name, connection } of selections) {
    const proxy = await proxyOf(name, connection, surroundings);
    if (proxy !== undefined) proxies.set(name.toLowerCase(), proxy);
  }
  const [cluster, controlplane, etcd] = ["cluster", "controlplane", "etcd"].map((name) => proxies.get(name));
  return {
    ...(cluster && { cluster: cluster.dial }),
    ...(controlplane && { controlplane: controlplane.dial }),
    ...(etcd && { etcd }),
  };
}

async function selectionsOf(file: string): Promise<readonly EgressSelection[]> {
  const failed = (message: string): Error => new Error(`failed to read egress selector config: ${message}`);
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    throw failed(`unable to read egress selector configuration from ${goQuote(file)} [${errorMessage(error)}]`);
  }
  try {
    const { readConfigurationDocument } = await import("../../machinery/text/yaml/configuration-document.js");
    return decodeEgressSelections(readConfigurationDocument(text));
  } catch (error) {
    throw failed(`${errorMessage(error)} (in ${goQuote(file)})`);
  }
}

/** Undefined for a direct connection. */
async function proxyOf(
  name: string,
  { proxyProtocol, transport = {} }: EgressConnection,
  { clock, env }: { readonly clock: Clock; readonly env: Environment },
): Promise<HttpConnectProxy | undefined> {
  if (proxyProtocol === "Direct") return undefined;
  const failed = (message: string): Error =>
    new Error(`failed to create dialer for egressSelection ${goQuote(name)}: ${message}`);
  if (proxyProtocol === "GRPC") {
    throw failed(
      "this server does not speak GRPC to a proxy; give proxyProtocol HTTPConnect, with a konnectivity-server of --mode=http-connect",
    );
  }
  const { tcp, uds } = transport;
  if (uds !== undefined) return new HttpConnectProxy({ path: uds.udsName ?? "" }, { clock });
  const { url = "", tlsConfig = {} } = tcp ?? {};
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw failed(`invalid proxy server url ${goQuote(url)}`);
  }
  const isSecure = parsed.protocol === "https:";
  const place = {
    host: parsed.hostname.replace(/^\[|\]$/g, ""),
    port: parsed.port === "" ? (isSecure ? 443 : 80) : Number(parsed.port),
  };
  if (!isSecure) return new HttpConnectProxy(place, { clock });
  try {
    return new HttpConnectProxy(place, { clock, tls: await tlsOf(tlsConfig, env) });
  } catch (error) {
    throw failed(errorMessage(error));
  }
}

async function tlsOf(
  { caBundle = "", clientCert = "", clientKey = "", tlsServerName = "" }: EgressTls,
  env: Environment,
): Promise<ConnectionOptions> {
  const pair = await keyPairOf(clientCert, clientKey).catch((error: unknown) => {
    throw new Error(`failed to read key pair ${clientCert} & ${clientKey}, got ${errorMessage(error)}`);
  });
  const ca = caBundle === "" ? undefined : await authoritiesIn(caBundle);
  const { ALPNProtocols: _, ...options } = tlsOptions(
    {
      insecureSkipVerify: false,
      certData: Buffer.from(pair.certificate),
      keyData: Buffer.from(pair.key),
      ...(ca !== undefined && { caData: Buffer.from(ca) }),
      ...(tlsServerName !== "" && { serverName: tlsServerName }),
    },
    env,
  );
  return options;
}

async function keyPairOf(
  certFile: string,
  keyFile: string,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const [certificate, key] = await Promise.all([readText(certFile), readText(keyFile)]);
  readKeyPair({ certificate, key });
  return { certificate, key };
}

async function authoritiesIn(file: string): Promise<string> {
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    throw new Error(`failed to read cert file ${file}, got ${errorMessage(error)}`, { cause: error });
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Error("failed to append CA cert to the cert pool");
  return text;
}
