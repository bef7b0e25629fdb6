import type { FlagSection } from "../component-flag.js";
import { configurationPairs } from "./values.js";

export const apiEnablementSection = {
  name: "API enablement",
  flags: [
    {
      name: "runtime-config",
      ...configurationPairs,
      usage:
        "API versions to serve or not to serve, as key=true or key=false: a version (resource.k8s.io/v1beta1) or api/alpha, api/beta, api/ga, api/all. The stable versions are served by default. apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed, is served when it is named.",
    },
  ],
} as const satisfies FlagSection;
