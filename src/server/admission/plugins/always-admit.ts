import type { AdmissionPlugin } from "../plugin.js";

/** Lets everything pass. Kubernetes keeps the name for old configurations. */
export const alwaysAdmit: AdmissionPlugin = {
  name: "AlwaysAdmit",
  handles: () => false,
};
