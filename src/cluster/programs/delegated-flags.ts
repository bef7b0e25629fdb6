import { type FlagSection, withoutEffect } from "../../component/component-flag.js";
import type { FlagType } from "../../component/flags/flag-set.js";

/** Nobody is authenticated, so that nobody gets more than what --authorization-always-allow-paths opens to everybody. */
const ONLY_HEALTH = "the port serves health checks and metrics alone, and authenticates nobody";

const unasked = (name: string, type: FlagType, value: string, usage: string) =>
  withoutEffect(name, type, value, usage, ONLY_HEALTH);

/** `tolerates` is the program's default of --authentication-tolerate-lookup-failure. */
export const authenticationSection = (tolerates: boolean): FlagSection => ({
  name: "authentication",
  flags: [
    unasked("authentication-kubeconfig", "string", "", "A kubeconfig of the server that reviews tokens of callers."),
    unasked("authentication-skip-lookup", "bool", "", "Do not look authorities of clients up in the cluster."),
    unasked("authentication-token-webhook-cache-ttl", "duration", "10s", "How long reviews of tokens are kept."),
    unasked(
      "authentication-tolerate-lookup-failure",
      "bool",
      tolerates ? "true" : "",
      "Start although authorities of clients cannot be looked up.",
    ),
    unasked("client-ca-file", "string", "", "The authorities of clients' certificates."),
    unasked("requestheader-allowed-names", "stringSlice", "", "The names of proxies that name users in headers."),
    unasked("requestheader-client-ca-file", "string", "", "The authorities of such proxies."),
    unasked(
      "requestheader-extra-headers-prefix",
      "stringSlice",
      "[x-remote-extra-]",
      "What headers with more about a user begin with.",
    ),
    unasked("requestheader-group-headers", "stringSlice", "[x-remote-group]", "Headers that name groups."),
    unasked("requestheader-uid-headers", "stringSlice", "", "Headers that name the uid of a user."),
    unasked("requestheader-username-headers", "stringSlice", "[x-remote-user]", "Headers that name users."),
  ],
});

export const authorizationSection: FlagSection = {
  name: "authorization",
  flags: [
    {
      name: "authorization-always-allow-paths",
      type: "stringSlice",
      default: "[/healthz,/readyz,/livez]",
      usage: "The paths that everybody may get; a * at the end stands for any rest. All other paths are forbidden.",
    },
    unasked("authorization-kubeconfig", "string", "", "A kubeconfig of the server that reviews what callers may do."),
    unasked("authorization-webhook-cache-authorized-ttl", "duration", "10s", "How long its answers that allow count."),
    unasked("authorization-webhook-cache-unauthorized-ttl", "duration", "10s", "How long its other answers count."),
  ],
};
