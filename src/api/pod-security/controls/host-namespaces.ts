import type { Control } from "../control.js";

/** No part of the node's network, processes and memory is shared. */
export const hostNamespaces: Control = {
  id: "hostNamespaces",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check({ spec }) {
        const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field] === true);
        if (shared.length === 0) return undefined;
        return { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
      },
    },
  ],
};
