import type { AdmissionPlugin } from "../plugin.js";
import { type AdmissionAttributes, refused } from "../attributes.js";

/** Lets everything pass. Kubernetes keeps the name for old configurations. */
export const alwaysAdmit: AdmissionPlugin = {
  name: "AlwaysAdmit",
  handles: () => false,
};

const deny = (attributes: AdmissionAttributes): never => {
  throw refused(attributes, "admission control is denying all modifications");
};

/** Refuses every write, for tests of clients. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  admit: deny,
  validate: deny,
};
