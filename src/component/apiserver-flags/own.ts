import type { FlagSection } from "../component-flag.js";

/** Flags that kube-apiserver has not. */
export const ownSection = {
  name: "kubets",
  flags: [
    {
      name: "advertise-port",
      type: "int",
      default: "0",
      hidden: true,
      usage: "The port that the endpoints of the Service kubernetes name, a flag of k3s; 0 is --secure-port.",
    },
    {
      name: "max-object-bytes",
      type: "int",
      default: "0",
      usage:
        "How many bytes etcd would have to take for an object. Zero is no limit. Without it, what the etcd takes: --max-request-bytes.",
    },
  ],
} as const satisfies FlagSection;
