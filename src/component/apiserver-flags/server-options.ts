import type { OptionGroup } from "../option-group.js";
import { admissionOptions } from "./admission.js";
import { enablementOptions } from "./api-enablement.js";
import { auditOptions } from "./auditing.js";
import { authenticationOptions } from "./authentication.js";
import { authorizationOptions } from "./authorization.js";
import { egressOptions } from "./egress.js";
import { deletionOptions, encryptionOptions, etcdOptions, storageOptions, storagePollOptions } from "./etcd.js";
import { fairnessOption, profilingOptions } from "./features.js";
import { emulationOptions } from "./emulation.js";
import { conductOptions, inFlightOptions } from "./generic.js";
import { metricsOptions } from "./metrics.js";
import { logOptions, sizeOptions, versionOptions } from "./own.js";
import { http2Options, listeningOptions, tlsOptions } from "./secure-serving.js";
import { tracingOptions } from "./traces.js";

/** The options of a server that also have flags, which each program reads from its flags. ServerOptions has the types of the same groups. */
export const serverOptionTable = {
  ...versionOptions,
  ...emulationOptions,
  conduct: conductOptions,
  inFlight: { ...inFlightOptions, fairness: fairnessOption },
  etcd: etcdOptions,
  deletion: deletionOptions,
  ...storageOptions,
  ...encryptionOptions,
  ...sizeOptions,
  ...listeningOptions,
  http2: http2Options,
  tls: tlsOptions,
  authentication: authenticationOptions,
  authorization: authorizationOptions,
  admission: admissionOptions,
  audit: auditOptions,
  ...egressOptions,
  monitoring: { ...metricsOptions, ...profilingOptions, ...storagePollOptions, ...logOptions },
  tracing: tracingOptions,
  ...enablementOptions,
} as const satisfies OptionGroup;
