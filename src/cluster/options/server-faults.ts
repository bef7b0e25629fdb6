import { registrationOptions } from "../../component/apiserver-flags/delegated.js";
import { serverOptionTable } from "../../component/apiserver-flags/server-options.js";
import { isStorageUrl } from "../../component/storage-url.js";
import { optionFaults } from "../../component/option-group.js";
import { errorMessage } from "../../base/text/error-message.js";
import { enabledPlugins } from "../../server/admission/enabled-plugins.js";
import { originFaults } from "../../server/filters/cors.js";
import { directiveFaults } from "../../server/filters/hsts.js";
import { readTlsProtocol } from "../../server/generic/transport/tls-protocol.js";
import { readFeatureGates } from "../apiserver/feature-gates.js";
import { auditFaults } from "./audit-faults.js";
import { problemsOf as authenticationProblems } from "./authentication-options.js";
import { authorizationProblems } from "./authorization-options.js";
import { emulationFaults } from "../../component/apiserver-flags/emulation.js";
import type { MonitoringOptions } from "../monitoring/monitoring-options.js";
import { schemeOf } from "../../server/storage/storage-schemes.js";
import { listeningFaults, registrationFaults, type ServerOptions } from "./server-options.js";

/** Finds all faults of a server's options without reading a file, in kube-apiserver's words where it has them. */
export function serverFaults(values: ServerOptions): readonly string[] {
  const { storage = "memory", conduct = {}, admission = {}, authentication = {}, authorization, tls = {} } = values;
  return [
    ...emulationFaults(values),
    ...optionFaults({ ...serverOptionTable, registration: registrationOptions }, values),
    ...directiveFaults(conduct.strictTransportSecurity ?? []),
    ...originFaults(conduct.corsAllowedOrigins ?? []),
    ...faultsOf(() => readTlsProtocol(tls.minVersion ?? "", tls.cipherSuites ?? [])),
    ...authenticationProblems(authentication),
    ...(authorization === undefined ? [] : authorizationProblems(authorization)),
    ...faultsOf(() => enabledPlugins(admission)),
    ...faultsOf(() => isStorageUrl(storage) && schemeOf(storage)),
    ...fairnessFaults(values),
    ...listeningFaults(values),
    ...registrationFaults(values),
    ...monitoringFaults(values.monitoring ?? {}),
    ...auditFaults(values.audit ?? {}),
    ...gateFaults(values),
  ];
}

/** kube-apiserver's words. */
function monitoringFaults({ allowedLabels, allowedLabelsFile }: MonitoringOptions): readonly string[] {
  if (allowedLabels === undefined || allowedLabelsFile === undefined) return [];
  const given = JSON.stringify({ allowListMapping: allowedLabels, allowListMappingManifest: allowedLabelsFile });
  return [`metrics: Invalid value: ${given}: cannot specify both allowListMapping and allowListMappingManifest`];
}

/** component-base's words. A version that is none is a fault of its own. */
function gateFaults({ featureGates = {}, kubernetesVersion }: ServerOptions): readonly string[] {
  const entries = Object.entries(featureGates).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${value}`,
  );
  try {
    return readFeatureGates(entries, kubernetesVersion).faults;
  } catch {
    return [];
  }
}

/** kube-apiserver divides the sum of its two limits. */
function fairnessFaults({ inFlight }: ServerOptions): readonly string[] {
  if (inFlight?.fairness !== true || inFlight.readOnly + inFlight.mutating > 0) return [];
  const { readOnly, mutating } = inFlight;
  return [
    `invalid configuration: MaxRequestsInFlight=${readOnly} and MaxMutatingRequestsInFlight=${mutating}; they must add up to something positive`,
  ];
}

function faultsOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [errorMessage(error)];
  }
}
