import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import { isDeepStrictEqual } from "node:util";
import type { X509Certificate } from "node:crypto";
import type { ConfigMap } from "../../api/types/core/v1.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { ensure, unlessChanged } from "../writes.js";
import { pemText } from "../../machinery/crypto/pem.js";
import { certificatesIn } from "../../machinery/crypto/certificates.js";

/** The namespace in which a main server publishes how it authenticates clients. */
export const NAMESPACE = "kube-system";
export const NAME = "extension-apiserver-authentication";

/** Publishes how the server authenticates clients, so that extension servers can do the same. */
export function authenticationTrust({ client, manager, clock, cluster }: ControllerContext): OwnWork {
  const { authentication } = cluster;
  if (authentication === undefined) return {};
  const configMaps = client.of("v1", "ConfigMap");
  const create = async (): Promise<void> => {
    const data = combinedData({}, authentication.info(), clock.now());
    const metadata = { name: NAME, namespace: NAMESPACE } satisfies FieldsOf<ObjectMeta>;
    if (Object.keys(data).length > 0) await ensure(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  };
  const controller = manager
    .controllerFor("v1", "ConfigMap", { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` })
    .named("cluster_authentication_trust_controller")
    .reconcile(async ({ object: configMap }) => {
      if (configMap === undefined) return create();
      const changed: ConfigMap = {
        ...configMap,
        data: combinedData(configMap.data ?? {}, authentication.info(), clock.now()),
      };
      if (isDeepStrictEqual(changed.data, configMap.data)) return;
      await unlessChanged(configMaps.namespace(NAMESPACE).update(changed));
    });
  authentication.onChange(() => controller.enqueue(`${NAMESPACE}/${NAME}`));
  return { prepare: create };
}

/** How a server authenticates clients, as it publishes this to extension servers. */
export interface AuthenticationInfo {
  /** The authorities of clients, PEM; "" for none. */
  readonly clientCa: string;
  readonly frontProxy?: FrontProxyInfo | undefined;
}

export interface FrontProxyInfo {
  /** The authorities of front proxies, PEM. */
  readonly ca: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefixes: readonly string[];
}

export type AuthenticationData = Readonly<Record<string, string>>;

/** Clocks may differ by as much. */
const SLACK_MS = 5 * 60_000;

/**
 * What the ConfigMap says with the server's own: each of several servers adds what it knows, and authorities that have expired are
 * left out. Throws for data that cannot be read.
 */
function combinedData(existing: AuthenticationData, own: AuthenticationInfo, now: number): AuthenticationData {
  const clientCa = combinedAuthorities([existing["client-ca-file"], own.clientCa], now);
  const proxyCa = combinedAuthorities([existing["requestheader-client-ca-file"], own.frontProxy?.ca], now);
  const names = (key: string, added: readonly string[] | undefined): string =>
    JSON.stringify([...new Set([...namesIn(existing[key]), ...(added ?? [])])]);
  return {
    ...(clientCa !== "" && { "client-ca-file": clientCa }),
    ...(proxyCa !== "" && {
      "requestheader-allowed-names": names("requestheader-allowed-names", own.frontProxy?.allowedNames),
      "requestheader-client-ca-file": proxyCa,
      "requestheader-extra-headers-prefix": names(
        "requestheader-extra-headers-prefix",
        own.frontProxy?.extraHeadersPrefixes,
      ),
      "requestheader-group-headers": names("requestheader-group-headers", own.frontProxy?.groupHeaders),
      "requestheader-uid-headers": names("requestheader-uid-headers", own.frontProxy?.uidHeaders),
      "requestheader-username-headers": names("requestheader-username-headers", own.frontProxy?.usernameHeaders),
    }),
  };
}

function combinedAuthorities(pems: readonly (string | undefined)[], now: number): string {
  const all = pems.filter((pem) => pem !== undefined && pem !== "").flatMap((pem) => certificatesIn(pem ?? ""));
  const valid = all.filter((certificate) => expiryOf(certificate) > now - SLACK_MS);
  const distinct = new Map(valid.map((certificate) => [certificate.fingerprint256, certificate]));
  return [...distinct.values()].map(({ raw }) => pemText("CERTIFICATE", raw)).join("");
}

const expiryOf = ({ validTo }: X509Certificate): number => Date.parse(validTo);

/** Reads a JSON list of texts; a missing one is empty. Throws for anything else. */
export function namesIn(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const names: unknown = JSON.parse(text);
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  throw new Error("json: cannot unmarshal into Go value of type []string");
}
