import { type OptionGroup, sectionOf } from "../option-group.js";
import { int32sFault, ipFault, ipOf } from "./values.js";
import { readSniCertKeys, sniCertKeyFault, writeSniCertKeys } from "./sni-cert-key.js";

const TLS_VERSIONS = ["VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"] as const;

/** The options for the address and the port of a server. */
export const listeningOptions = {
  /** The address of {@link port}. Default "127.0.0.1". */
  host: {
    name: "bind-address",
    type: "string",
    typeName: "ip",
    default: "0.0.0.0",
    check: ipFault,
    usage: "The address to listen on; 0.0.0.0 and :: are every address of this machine.",
    read: ipOf,
  },
} as const satisfies OptionGroup;

/** The options for how kube-apiserver serves. */
export const servingOptions = {
  /** The port with TLS. */
  securePort: {
    name: "secure-port",
    type: "int",
    default: "6443",
    usage: "The port to listen on, with TLS.",
    faults: (port: number) =>
      port >= 1 && port <= 65_535
        ? []
        : [`--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`],
  },
  /** The folder of the certificate that is made where there is none. */
  certDir: {
    name: "cert-dir",
    type: "string",
    default: "/var/run/kubernetes",
    usage: "The folder of apiserver.crt and apiserver.key, which are made where they are missing.",
    isFile: true,
  },
} as const satisfies OptionGroup;

/** The options for connections over HTTP/2. */
export const http2Options = {
  /** Serve HTTP/1.1 alone. Default false. */
  disabled: { name: "disable-http2-serving", type: "bool", usage: "Serve HTTP/1.1 alone." },
  /** How many requests a connection may have at once. Default 100. */
  streams: {
    name: "http2-max-streams-per-connection",
    type: "int",
    default: "0",
    usage: "How many requests an HTTP/2 connection may have at once; 0 is 100.",
    read: (streams: number): number | undefined => (streams === 0 ? undefined : streams),
  },
} as const satisfies OptionGroup;

/** A certificate and its key, both files of PEM. */
const certificateOptions = {
  /** The certificate, and behind it those between it and its authority. */
  certFile: {
    name: "tls-cert-file",
    type: "string",
    usage: "The certificate to serve with, a PEM file.",
    isFile: true,
    isNeeded: true,
  },
  keyFile: {
    name: "tls-private-key-file",
    type: "string",
    usage: "The key of the certificate to serve with.",
    isFile: true,
    isNeeded: true,
  },
} as const satisfies OptionGroup;

/** The options for the TLS versions, suites and certificates of a server's port. */
export const tlsOptions = {
  /** Shown in place of the server's own certificate. */
  certificate: certificateOptions,
  /** Suites by Go's names, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"; their order means nothing, and those of TLS 1.3 are always on. Default: Go's own. */
  cipherSuites: {
    name: "tls-cipher-suites",
    type: "stringSlice",
    usage: "The suites of TLS before 1.3, by Go's names; without it, those that Go has by default.",
  },
  /** The oldest version of TLS. Default VersionTLS12. */
  minVersion: {
    name: "tls-min-version",
    type: "string",
    usage:
      "The oldest version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13; without it, VersionTLS12.",
    oneOf: TLS_VERSIONS,
  },
  /** Pairs for clients that ask for a server by name. */
  named: {
    name: "tls-sni-cert-key",
    type: "stringArray",
    typeName: "namedCertKey",
    check: sniCertKeyFault,
    usage:
      "A certificate and its key for clients that ask for a name, as cert,key or cert,key:name,*.domain; given again for more.",
    read: readSniCertKeys,
    write: writeSniCertKeys,
  },
} as const satisfies OptionGroup;

export const secureServingSection = sectionOf(
  "secure serving",
  { listeningOptions, servingOptions, http2Options, tlsOptions },
  [
    {
      name: "permit-address-sharing",
      type: "bool",
      usage: "Open the port with SO_REUSEADDR.",
      withoutEffect: "Node opens every port with SO_REUSEADDR",
    },
    {
      name: "permit-port-sharing",
      type: "bool",
      usage: "Open the port with SO_REUSEPORT, so that several servers may have it.",
      refused: "the port is opened without SO_REUSEPORT",
    },
    {
      name: "tls-curve-preferences",
      type: "stringSlice",
      typeName: "int32Slice",
      default: "[]",
      check: int32sFault,
      usage: "The key exchanges of TLS, by the numbers of Go's CurveID.",
      refused: "the key exchanges are those of OpenSSL",
    },
  ],
);
