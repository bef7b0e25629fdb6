import { existsSync } from "node:fs";
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../machinery/errors/field-error.js";
import { list, string, struct } from "../../machinery/schema/build-schema.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../machinery/wire/configuration-document.js";

/** One of kube-apiserver's egress selections: how the server connects to one kind of destinations. */
export interface EgressSelection {
  /** "cluster": kubelets, nodes, pods and services. "controlplane": webhooks outside of the cluster. "etcd". */
  readonly name: string;
  readonly connection: EgressConnection;
}

export interface EgressConnection {
  /** "Direct", or "HTTPConnect" through a proxy; "GRPC" is refused. */
  readonly proxyProtocol?: string;
  /** Where the proxy listens. */
  readonly transport?: EgressTransport;
}

export interface EgressTransport {
  readonly tcp?: TcpTransport;
  readonly uds?: { readonly udsName?: string };
}

interface TcpTransport {
  /** "https://127.0.0.1:8131", or "http://..." without {@link tlsConfig}. */
  readonly url?: string;
  readonly tlsConfig?: EgressTls;
}

/** The TLS settings of a connection. The paths of PEM files are relative to the process's folder. */
export interface EgressTls {
  /** Left out: the system's authorities. */
  readonly caBundle?: string;
  readonly clientKey?: string;
  readonly clientCert?: string;
  /** Left out: the host of the URL. */
  readonly tlsServerName?: string;
}

const tlsConfig = struct("TLSConfig", {
  caBundle: string,
  clientKey: string,
  clientCert: string,
  tlsServerName: string,
});

const schema = struct("EgressSelectorConfiguration", {
  kind: string,
  apiVersion: string,
  egressSelections: list(
    struct("EgressSelection", {
      name: string,
      connection: struct("Connection", {
        proxyProtocol: string,
        transport: struct("Transport", {
          tcp: struct("TCPTransport", { url: string, tlsConfig }),
          uds: struct("UDSTransport", { udsName: string }),
        }),
      }),
    }),
  ),
});

/** The versions have the same fields. */
const EGRESS_SELECTOR_CONFIGURATION: ConfigurationFormat = {
  group: "apiserver.k8s.io",
  kind: "EgressSelectorConfiguration",
  versions: new Map([
    ["v1beta1", schema],
    ["v1alpha1", schema],
  ]),
  scheme: "k8s.io/apiserver/pkg/server/egressselector/config.go:33",
};

/** Decodes an EgressSelectorConfiguration, strictly. Throws in kube-apiserver's words; the values of the fields are validated later. */
export function decodeEgressSelections(document: ConfigurationDocument): readonly EgressSelection[] {
  const { object } = decodeConfigurationStrictly<{ readonly egressSelections?: readonly Partial<EgressSelection>[] }>(
    document,
    EGRESS_SELECTOR_CONFIGURATION,
  );
  return (object.egressSelections ?? []).map(({ name = "", connection = {} }) => ({
    // The name that both versions had for it once.
    name: name === "master" ? "controlplane" : name,
    connection,
  }));
}

const NAMES = ["cluster", "controlplane", "etcd"];
const PROTOCOLS = ["Direct", "HTTPConnect", "GRPC"];
/** The path that kube-apiserver's errors name, whichever selection it is. */
const PATH = "service.connection";

/** Finds all faults of egress selections, in kube-apiserver's words and order. */
export function egressErrors(selections: readonly EgressSelection[]): readonly FieldError[] {
  const seen = new Set<string>();
  const ofNames = selections.flatMap(({ name }, index) => {
    const canonical = name.toLowerCase();
    if (seen.has(canonical)) return [duplicate(`${PATH}[${index}]`, canonical)];
    seen.add(canonical);
    return NAMES.includes(canonical) ? [] : [notSupported(PATH, canonical, NAMES)];
  });
  return [...selections.flatMap(({ connection }) => connectionErrors(connection)), ...ofNames];
}

function connectionErrors({ proxyProtocol = "", transport }: EgressConnection): readonly FieldError[] {
  switch (proxyProtocol) {
    case "Direct":
      if (transport === undefined) return [];
      return [invalidValue(`${PATH}.transport`, "direct", "config must be absent for direct connect")];
    case "HTTPConnect":
      if (transport === undefined) return [required(`${PATH}.transport`, "transport must be set for HTTPConnect")];
      return httpConnectErrors(transport);
    case "GRPC":
      if (transport === undefined) return [required(`${PATH}.transport`, "transport must be set for GRPC")];
      return transport.uds === undefined
        ? [required(`${PATH}.uds`, "UDS must be set with GRPC")]
        : udsErrors(transport.uds.udsName);
    default:
      return [notSupported(`${PATH}.protocol`, proxyProtocol, PROTOCOLS)];
  }
}

function httpConnectErrors({ tcp, uds }: EgressTransport): readonly FieldError[] {
  if (tcp !== undefined && uds !== undefined) {
    return [invalidValue(`${PATH}.tcp`, shown(tcp), "TCP and UDS cannot both be set")];
  }
  if (tcp !== undefined) return tcpErrors(tcp);
  if (uds !== undefined) return udsErrors(uds.udsName);
  return [required(`${PATH}.tcp`, "One of TCP or UDS must be set")];
}

/** As Go prints the type, whose fields have other names there. */
const shown = ({ url = "", tlsConfig: tls }: TcpTransport): object => ({
  URL: url,
  TLSConfig:
    tls === undefined
      ? null
      : {
          CABundle: tls.caBundle ?? "",
          ClientKey: tls.clientKey ?? "",
          ClientCert: tls.clientCert ?? "",
          TLSServerName: tls.tlsServerName ?? "",
        },
});

const udsErrors = (name = ""): readonly FieldError[] =>
  name === "" ? [invalidValue(`${PATH}.udsName`, "nil", "must be present for UDS connections")] : [];

function tcpErrors({ url = "", tlsConfig: tls }: TcpTransport): readonly FieldError[] {
  if (url.startsWith("http://")) {
    if (tls === undefined) return [];
    return [invalidValue(`${PATH}.tlsConfig`, "nil", "config must not be present when using HTTP")];
  }
  if (url.startsWith("https://")) return tlsErrors(tls);
  return [invalidValue(`${PATH}.url`, url, "supported connection protocols are http:// and https://")];
}

function tlsErrors(tls: EgressTls | undefined): readonly FieldError[] {
  const path = `${PATH}.tlsConfig`;
  if (tls === undefined) return [required(path, "TLSConfig must be present when using HTTPS")];
  const { caBundle = "", clientCert = "", clientKey = "" } = tls;
  const file = (field: string, name: string, missing: string, absent: string): readonly FieldError[] => {
    if (name === "") return missing === "" ? [] : [invalidValue(`${path}.${field}`, "nil", missing)];
    return existsSync(name) ? [] : [invalidValue(`${path}.${field}`, name, absent)];
  };
  return [
    ...file("caBundle", caBundle, "", "TLS config ca bundle does not exist"),
    ...file("clientCert", clientCert, "Using TLS requires clientCert", "TLS client cert does not exist"),
    // Kubernetes has the word twice.
    ...file("clientKey", clientKey, "Using TLS requires requires clientKey", "TLS client key does not exist"),
  ];
}
