import type { FlagSection } from "../component-flag.js";

export const egressSelectorSection = {
  name: "egress selector",
  flags: [
    {
      name: "egress-selector-config-file",
      type: "string",
      usage: "A file that says by which proxies the server reaches nodes, etcd and the control plane.",
      withoutEffect: "the server reaches nodes, etcd and the control plane without a proxy",
    },
  ],
} as const satisfies FlagSection;
