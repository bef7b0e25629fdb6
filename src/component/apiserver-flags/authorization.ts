import { type OptionGroup, sectionOf } from "../option-group.js";

/** The modes of --authorization-mode, with kube-apiserver's names. */
export const AUTHORIZATION_MODES = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;

/** The options for how a server authorizes requests. Members of system:masters may do everything, whatever the authorizers answer. */
export const authorizationOptions = {
  /** A file with an AuthorizationConfiguration of apiserver.config.k8s.io, in place of `modes` and `webhook`. The server follows it: a change that is right
   * is used at once. While it is at fault the authorizers stay, `onError` has what is wrong, and the health check "authorization-config" fails. */
  configFile: {
    name: "authorization-config",
    type: "string",
    usage:
      "A file with an AuthorizationConfiguration, which also knows webhooks, in place of --authorization-mode. The server follows its changes.",
    isFile: true,
  },
  /** The authorizers, in the order in which they are asked. The first that allows or denies decides. Default: Node, RBAC. */
  modes: {
    name: "authorization-mode",
    type: "stringSlice",
    usage:
      "Who may do what: a list of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node, asked in that order. AlwaysAllow without this flag and --authorization-config.",
    oneOf: AUTHORIZATION_MODES,
  },
  /** The policy file of ABAC, a JSON object a line. */
  policyFile: {
    name: "authorization-policy-file",
    type: "string",
    usage: "The policies of the mode ABAC, a JSON object a line.",
    isFile: true,
  },
  /** The server that the mode Webhook asks. */
  webhook: {
    /** How long an answer that allows is kept, in milliseconds; 0 keeps none. Default: 5 minutes. */
    authorizedTtl: {
      name: "authorization-webhook-cache-authorized-ttl",
      type: "duration",
      default: "5m0s",
      usage: "How long the webhook's answers that allow are kept.",
    },
    /** How long any other answer is kept, in milliseconds. Default: 30 seconds. */
    unauthorizedTtl: {
      name: "authorization-webhook-cache-unauthorized-ttl",
      type: "duration",
      default: "30s",
      usage: "How long the webhook's other answers are kept.",
    },
    /** A kubeconfig file: the server to ask, and the credentials to show to it. */
    kubeconfig: {
      name: "authorization-webhook-config-file",
      type: "string",
      usage: "A kubeconfig of the server that the mode Webhook asks, with the credentials to show to it.",
      isFile: true,
      isNeeded: true,
    },
    /** Of authorization.k8s.io. Default, as kube-apiserver's: "v1beta1". */
    version: {
      name: "authorization-webhook-version",
      type: "string",
      default: "v1beta1",
      usage: "The version of the SubjectAccessReviews that the webhook is sent: v1 or v1beta1.",
      oneOf: ["v1", "v1beta1"],
    },
  },
} as const satisfies OptionGroup;

export const authorizationSection = sectionOf("authorization", { authorizationOptions }, []);
