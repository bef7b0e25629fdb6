import { handling } from "../handling.js";

export const SCHEDULING = "scheduling.k8s.io";

/** `handles` of a plugin that looks at new PodGroups. */
export const createsPodGroups = handling(["CREATE"], `podgroups.${SCHEDULING}`);
