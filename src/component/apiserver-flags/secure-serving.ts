import type { FlagSection } from "../component-flag.js";
import { int32sFault, ipFault } from "./values.js";
import { sniCertKeyFault } from "./sni-cert-key.js";

export const secureServingSection = {
  name: "secure serving",
  flags: [
    {
      name: "bind-address",
      type: "string",
      typeName: "ip",
      default: "0.0.0.0",
      check: ipFault,
      usage: "The address to listen on; 0.0.0.0 and :: are every address of this machine.",
    },
    {
      name: "cert-dir",
      type: "string",
      default: "/var/run/kubernetes",
      usage: "The folder of apiserver.crt and apiserver.key, which are made where they are missing.",
    },
    { name: "disable-http2-serving", type: "bool", usage: "Serve HTTP/1.1 alone." },
    {
      name: "http2-max-streams-per-connection",
      type: "int",
      default: "0",
      usage: "How many requests an HTTP/2 connection may have at once; 0 is 100.",
    },
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
    { name: "secure-port", type: "int", default: "6443", usage: "The port to listen on, with TLS." },
    { name: "tls-cert-file", type: "string", usage: "The certificate to serve with, a PEM file." },
    {
      name: "tls-cipher-suites",
      type: "stringSlice",
      usage: "The suites of TLS before 1.3, by Go's names; without it, those that Go has by default.",
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
    {
      name: "tls-min-version",
      type: "string",
      usage:
        "The oldest version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13; without it, VersionTLS12.",
    },
    { name: "tls-private-key-file", type: "string", usage: "The key of the certificate to serve with." },
    {
      name: "tls-sni-cert-key",
      type: "stringArray",
      typeName: "namedCertKey",
      check: sniCertKeyFault,
      usage:
        "A certificate and its key for clients that ask for a name, as cert,key or cert,key:name,*.domain; given again for more.",
    },
  ],
} as const satisfies FlagSection;
