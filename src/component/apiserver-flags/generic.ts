import type { ComponentFlag } from "../component-flag.js";
import { type OptionGroup, sectionOf } from "../option-group.js";
import { emulationOptions } from "./emulation.js";
import { storageOptions } from "./etcd.js";
import { ipFault, ipOf, notNegative } from "./values.js";

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

/** The options for how a server answers and stops. */
export const conductOptions = {
  /** Patterns in Go's syntax of origins whose pages may use the API. Default: none. */
  corsAllowedOrigins: {
    name: "cors-allowed-origins",
    type: "stringSlice",
    usage:
      "Regular expressions of the origins whose pages in a browser may read answers. Each is pinned to the start of the host by ^ or // and to its end by $ or a colon.",
  },
  /** The chance, from 0 to 0.02, that a request ends its HTTP/2 connection, so that clients spread over several servers. Default 0. */
  goawayChance: {
    name: "goaway-chance",
    type: "float64",
    default: "0",
    usage: "The share of requests after which an HTTP/2 connection is asked to close, from 0 to 0.02.",
    faults: (chance: number) =>
      chance < 0 || chance > 0.02 ? ["--goaway-chance can not be less than 0 or greater than 0.02"] : [],
  },
  /** How long after the start unfinished steps do not fail /livez, in milliseconds. Default 0. */
  livezGracePeriod: {
    name: "livez-grace-period",
    type: "duration",
    usage: "How long after the start /livez passes although the server is still starting.",
    faults: notNegative("--livez-grace-period can not be a negative value"),
  },
  /** How long a watch lasts at least, in milliseconds; the end is spread up to twice of it. Default 1,800,000. */
  minRequestTimeout: {
    name: "min-request-timeout",
    type: "int",
    default: "1800",
    usage: "How many seconds a watch without a timeout of its own lasts at least.",
    read: (seconds: number): number => seconds * 1000,
    write: (milliseconds: number) => [String(Math.round(milliseconds / 1000))],
    faults: notNegative("--min-request-timeout can not be negative value"),
  },
  /** How long a request may take, but for watches and connections into pods, in milliseconds. Default 60,000. */
  requestTimeout: {
    name: "request-timeout",
    type: "duration",
    default: "1m0s",
    usage: "How long a request may take that is no watch and no connection into a pod.",
    faults: notNegative("--request-timeout can not be negative value"),
  },
  /** How long the server serves on after it was told to stop, while /readyz fails already, in milliseconds. Default 0. */
  shutdownDelay: {
    name: "shutdown-delay-duration",
    type: "duration",
    usage: "How long the server serves on after it was asked to end, while /readyz already fails.",
    faults: notNegative("--shutdown-delay-duration can not be negative value"),
  },
  /** Whether requests that arrive while the server stops are answered 429 with Retry-After, in place of 503. Default false. */
  shutdownSendRetryAfter: {
    name: "shutdown-send-retry-after",
    type: "bool",
    usage: "While the server ends, answer new requests 429 with Retry-After until those under way are answered.",
  },
  /** Over how long open watches are ended one after the other when the server stops, in milliseconds; 0 ends all at once. Default 0. */
  shutdownWatchTerminationGracePeriod: {
    name: "shutdown-watch-termination-grace-period",
    type: "duration",
    usage: "How long watches may take to end when the server ends.",
    faults: notNegative("shutdown-watch-termination-grace-period, if provided, can not be a negative value"),
  },
  /** "max-age=31536000", "includeSubDomains", "preload". Default: no header Strict-Transport-Security. */
  strictTransportSecurity: {
    name: "strict-transport-security-directives",
    type: "stringSlice",
    usage: "Directives of the header Strict-Transport-Security: max-age=SECONDS, includeSubDomains, preload.",
  },
} as const satisfies OptionGroup;

/** The options for how many requests run at once. */
export const inFlightOptions = {
  /** Of the verbs get and list. 0 is no limit. */
  readOnly: {
    name: "max-requests-inflight",
    type: "int",
    default: "400",
    usage: "How many reads run at once; more wait for a place. Zero is no limit.",
    isNeeded: true,
    faults: notNegative("--max-requests-inflight can not be negative value"),
  },
  /** Of every verb but get and list. 0 is no limit. */
  mutating: {
    name: "max-mutating-requests-inflight",
    type: "int",
    default: "200",
    usage: "How many writes run at once; more wait for a place. Zero is no limit.",
    isNeeded: true,
    faults: notNegative("--max-mutating-requests-inflight can not be negative value"),
  },
} as const satisfies OptionGroup;

/** The options for how others reach a server, and in which ways it behaves as Kubernetes. */
export const identityOptions = {
  /** The address that the endpoints of the Service kubernetes name. */
  advertiseAddress: {
    name: "advertise-address",
    type: "string",
    typeName: "ip",
    default: "<nil>",
    check: ipFault,
    usage:
      "The address that the endpoints of the Service kubernetes name. Without it, --bind-address; where that is every address, an address of this machine.",
    read: ipOf,
  },
  /** The host name in URLs that the server tells clients. */
  externalHost: {
    name: "external-hostname",
    type: "string",
    usage:
      "The host name in URLs that the server tells clients: /api, and the keys of service accounts. Without it, --advertise-address.",
  },
  /** "NAME=true", "kube:NAME=false". */
  featureGates: {
    name: "feature-gates",
    ...featureGatePairs,
    typeName: "colonSeparatedMultimapStringString",
    usage:
      "Features to switch on or off, as NAME=true or kube:NAME=false, separated by commas. Every feature of 1.36 is known and stays as 1.36 has it by default; the server warns of each that should differ.",
  },
} as const satisfies OptionGroup;

/** The options for how long pods without a toleration of their own stay on a node that fails. */
export const tolerationOptions = {
  /** In seconds. */
  defaultNotReadyTolerationSeconds: {
    name: "default-not-ready-toleration-seconds",
    type: "int",
    default: "300",
    usage: "How long pods without a toleration of their own stay on a node that is not ready.",
  },
  /** In seconds. */
  defaultUnreachableTolerationSeconds: {
    name: "default-unreachable-toleration-seconds",
    type: "int",
    default: "300",
    usage: "How long pods without a toleration of their own stay on a node that cannot be reached.",
  },
} as const satisfies OptionGroup;

const initialization = storageOptions.initializationTimeout;

export const genericSection = sectionOf(
  "generic",
  { initialization, conductOptions, inFlightOptions, identityOptions, tolerationOptions, emulationOptions },
  [],
);
