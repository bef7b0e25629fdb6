import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";

const deny = (attributes: AdmissionAttributes): never => {
  throw refused(attributes, "admission control is denying all modifications");
};

/** Refuses every write, for tests of clients. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  admit: deny,
  validate: deny,
};
