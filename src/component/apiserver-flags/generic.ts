import type { FlagSection, ComponentFlag } from "../component-flag.js";
import { ipFault } from "./values.js";

/**
 * How --feature-gates is read: "NAME=true,kube:OTHER=false", given again for more. Keeps the entries as they stand; which features there are,
 * the component checks.
 */
const featureGatePairs: Pick<ComponentFlag & { type: "mapStringString" }, "type" | "parse"> = {
  type: "mapStringString",
  parse: (text, before) => [
    ...before,
    ...text
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  ],
};

const ONE_VERSION = "the server is Kubernetes 1.36 and emulates no other version";

export const genericSection = {
  name: "generic",
  flags: [
    {
      name: "advertise-address",
      type: "string",
      typeName: "ip",
      default: "<nil>",
      check: ipFault,
      usage:
        "The address that the endpoints of the Service kubernetes name. Without it, --bind-address; where that is every address, an address of this machine.",
    },
    {
      name: "cors-allowed-origins",
      type: "stringSlice",
      usage:
        "Regular expressions of the origins whose pages in a browser may read answers. Each is pinned to the start of the host by ^ or // and to its end by $ or a colon.",
    },
    {
      name: "default-not-ready-toleration-seconds",
      type: "int",
      default: "300",
      usage: "How long pods without a toleration of their own stay on a node that is not ready.",
    },
    {
      name: "default-unreachable-toleration-seconds",
      type: "int",
      default: "300",
      usage: "How long pods without a toleration of their own stay on a node that cannot be reached.",
    },
    {
      name: "emulated-version",
      type: "stringSlice",
      usage: "The version to behave like: 1.36, or kube=1.36.",
      refused: ONE_VERSION,
      alsoAccepted: ["1.36", "kube=1.36"],
    },
    {
      name: "emulation-forward-compatible",
      type: "bool",
      usage: "Serve later versions of APIs than the emulated version has. Only for an emulated version.",
    },
    {
      name: "external-hostname",
      type: "string",
      usage:
        "The host name in URLs that the server tells clients: /api, and the keys of service accounts. Without it, --advertise-address.",
    },
    {
      name: "feature-gates",
      ...featureGatePairs,
      typeName: "colonSeparatedMultimapStringString",
      usage:
        "Features to switch on or off, as NAME=true or kube:NAME=false, separated by commas. Every feature of 1.36 is known and stays as 1.36 has it by default; the server warns of each that should differ.",
    },
    {
      name: "goaway-chance",
      type: "float64",
      default: "0",
      usage: "The share of requests after which an HTTP/2 connection is asked to close, from 0 to 0.02.",
    },
    {
      name: "livez-grace-period",
      type: "duration",
      usage: "How long after the start /livez passes although the server is still starting.",
    },
    {
      name: "max-mutating-requests-inflight",
      type: "int",
      default: "200",
      usage: "How many writes run at once; more wait for a place. Zero is no limit.",
    },
    {
      name: "max-requests-inflight",
      type: "int",
      default: "400",
      usage: "How many reads run at once; more wait for a place. Zero is no limit.",
    },
    {
      name: "min-compatibility-version",
      type: "stringSlice",
      usage: "The oldest version of the control plane's other parts: 1.35, or kube=1.35.",
      refused: ONE_VERSION,
      alsoAccepted: ["1.35", "kube=1.35"],
    },
    {
      name: "min-request-timeout",
      type: "int",
      default: "1800",
      usage: "How many seconds a watch without a timeout of its own lasts at least.",
    },
    {
      name: "request-timeout",
      type: "duration",
      default: "1m0s",
      usage: "How long a request may take that is no watch and no connection into a pod.",
    },
    {
      name: "runtime-config-emulation-forward-compatible",
      type: "bool",
      usage:
        "Serve versions that --runtime-config names and the emulated version has not. Only for an emulated version.",
    },
    {
      name: "shutdown-delay-duration",
      type: "duration",
      usage: "How long the server serves on after it was asked to end, while /readyz already fails.",
    },
    {
      name: "shutdown-send-retry-after",
      type: "bool",
      usage: "While the server ends, answer new requests 429 with Retry-After until those under way are answered.",
    },
    {
      name: "shutdown-watch-termination-grace-period",
      type: "duration",
      usage: "How long watches may take to end when the server ends.",
    },
    {
      name: "storage-initialization-timeout",
      type: "duration",
      default: "1m0s",
      usage: "How long the server waits for its storage before it counts as ready.",
    },
    {
      name: "strict-transport-security-directives",
      type: "stringSlice",
      usage: "Directives of the header Strict-Transport-Security: max-age=SECONDS, includeSubDomains, preload.",
    },
  ],
} as const satisfies FlagSection;
