import { type OptionGroup, sectionOf } from "../option-group.js";

/** The option for how a server connects to the outside. */
export const egressOptions = {
  /** The path of an EgressSelectorConfiguration (apiserver.k8s.io/v1beta1). */
  egress: {
    name: "egress-selector-config-file",
    type: "string",
    usage: "A file that says by which proxies the server reaches nodes, etcd and the control plane.",
    isFile: true,
  },
} as const satisfies OptionGroup;

export const egressSelectorSection = sectionOf("egress selector", egressOptions, []);
