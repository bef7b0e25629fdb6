import { type FlagSection, flagsOfVersion } from "../component-flag.js";
import { admissionSection } from "./admission.js";
import { apiEnablementSection } from "./api-enablement.js";
import { auditingSection } from "./auditing.js";
import { authenticationSection } from "./authentication.js";
import { authorizationSection } from "./authorization.js";
import { droppedSection } from "./dropped.js";
import { etcdSection } from "./etcd.js";
import { egressSelectorSection } from "./egress.js";
import { featuresSection } from "./features.js";
import { genericSection } from "./generic.js";
import { logsSection } from "../logging/logging-flags.js";
import { metricsSection } from "./metrics.js";
import { miscSection } from "./miscellaneous.js";
import { ownSection } from "./own.js";
import { secureServingSection } from "./secure-serving.js";
import { tracesSection } from "./traces.js";

/** Every flag of kube-apiserver, in its order of sections; then the flags that only kubets has, and those that Kubernetes has removed. */
export const apiserverSectionsOf = (version?: string): readonly FlagSection[] =>
  flagsOfVersion(
    [
      genericSection,
      etcdSection,
      secureServingSection,
      auditingSection,
      featuresSection,
      authenticationSection,
      authorizationSection,
      apiEnablementSection,
      egressSelectorSection,
      admissionSection,
      metricsSection,
      logsSection,
      tracesSection,
      miscSection,
      ownSection,
      droppedSection,
    ],
    version,
  );

/** The sections for the version that a server is by default. */
export const apiserverSections = apiserverSectionsOf();
