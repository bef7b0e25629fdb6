import { type ComponentFlag, type FlagSection, withoutEffect } from "../../component/component-flag.js";
import { isIP } from "node:net";

const SHARING = "Node decides how the port is bound";

/** The flags of the HTTPS port of a controller manager or a scheduler. `port` is its default of --secure-port. */
export const secureServingSection = (port: number): FlagSection => ({
  name: "secure serving",
  flags: [
    {
      name: "bind-address",
      type: "string",
      typeName: "ip",
      default: "127.0.0.1",
      usage:
        "The IP address on which --secure-port listens. Kubernetes' default is 0.0.0.0; here only programs of this machine reach the port unless the flag says otherwise.",
      check: (text) => (isIP(text) === 0 ? `failed to parse IP: ${JSON.stringify(text)}` : undefined),
    },
    {
      name: "secure-port",
      type: "int",
      default: String(port),
      usage: "The port that serves health checks over HTTPS. If 0, there is none.",
    },
    {
      name: "disable-http2-serving",
      type: "bool",
      usage: "Serve HTTP/1.1 alone.",
    },
    {
      name: "cert-dir",
      type: "string",
      usage:
        "The folder of the port's certificate and key, which are made and kept there where they are missing. Without it, and without --tls-cert-file, they are made anew at each start.",
    },
    { name: "tls-cert-file", type: "string", usage: "A file with the port's certificate, PEM." },
    { name: "tls-private-key-file", type: "string", usage: "A file with the private key of --tls-cert-file, PEM." },
    { name: "tls-cipher-suites", type: "stringSlice", usage: "Cipher suites of the port by Go's names." },
    {
      name: "tls-curve-preferences",
      type: "stringSlice",
      typeName: "int32Slice",
      usage: "Key exchanges of the port, as Go's numbers of curves.",
      refused: "the port offers the key exchanges of Node; use --tls-min-version and --tls-cipher-suites",
    },
    {
      name: "tls-min-version",
      type: "string",
      usage: "The oldest version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.",
    },
    {
      name: "tls-sni-cert-key",
      type: "stringArray",
      typeName: "namedCertKey",
      usage: "A certificate and its key for clients that ask for a name.",
      refused: "the port shows one certificate; give it by --tls-cert-file",
    },
    {
      name: "http2-max-streams-per-connection",
      type: "int",
      usage: "How many streams an HTTP/2 connection to the port may have; 0 is 100.",
    },
    withoutEffect("permit-port-sharing", "bool", "", "Share the port with other processes (SO_REUSEPORT).", SHARING),
    withoutEffect("permit-address-sharing", "bool", "", "Set SO_REUSEADDR on the port.", SHARING),
  ] satisfies ComponentFlag[],
});
