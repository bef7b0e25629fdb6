import type { FlagSection } from "../component-flag.js";

export const authorizationSection = {
  name: "authorization",
  flags: [
    {
      name: "authorization-config",
      type: "string",
      usage:
        "A file with an AuthorizationConfiguration, which also knows webhooks, in place of --authorization-mode. The server follows its changes.",
    },
    {
      name: "authorization-mode",
      type: "stringSlice",
      usage:
        "Who may do what: a list of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node, asked in that order. AlwaysAllow without this flag and --authorization-config.",
    },
    {
      name: "authorization-policy-file",
      type: "string",
      usage: "The policies of the mode ABAC, a JSON object a line.",
    },
    {
      name: "authorization-webhook-cache-authorized-ttl",
      type: "duration",
      default: "5m0s",
      usage: "How long the webhook's answers that allow are kept.",
    },
    {
      name: "authorization-webhook-cache-unauthorized-ttl",
      type: "duration",
      default: "30s",
      usage: "How long the webhook's other answers are kept.",
    },
    {
      name: "authorization-webhook-config-file",
      type: "string",
      usage: "A kubeconfig of the server that the mode Webhook asks, with the credentials to show to it.",
    },
    {
      name: "authorization-webhook-version",
      type: "string",
      default: "v1beta1",
      usage: "The version of the SubjectAccessReviews that the webhook is sent: v1 or v1beta1.",
    },
  ],
} as const satisfies FlagSection;
