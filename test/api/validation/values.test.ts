import { describe, expect, it } from "vitest";
import { createErrors } from "./good-objects.js";

type More = Readonly<Record<string, unknown>>;

const LB = { "spec.type": "LoadBalancer" };
const VWC = "admissionregistration.k8s.io/validatingwebhookconfigurations";
const MWC = "admissionregistration.k8s.io/mutatingwebhookconfigurations";
const VAP = "admissionregistration.k8s.io/validatingadmissionpolicies";
const VAPB = "admissionregistration.k8s.io/validatingadmissionpolicybindings";
const HPA = "autoscaling/horizontalpodautoscalers";
const SLICE = "discovery.k8s.io/endpointslices";
const SCHEMA = "flowcontrol.apiserver.k8s.io/flowschemas";
const LEVEL = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations";
const CLAIM = "resource.k8s.io/resourceclaims";

/** Kind, place, field in the error, the values that are taken in the order in which the error lists them. */
const ENUMS: readonly (readonly [string, string, string, readonly string[], More?])[] = [
  ["services", "spec.ports.0.protocol", "spec.ports[0].protocol", ["SCTP", "TCP", "UDP"]],
  ["services", "spec.internalTrafficPolicy", "spec.internalTrafficPolicy", ["Cluster", "Local"]],
  [
    "services",
    "spec.trafficDistribution",
    "spec.trafficDistribution",
    ["PreferClose", "PreferSameNode", "PreferSameZone"],
  ],
  [
    "services",
    "spec.externalTrafficPolicy",
    "spec.externalTrafficPolicy",
    ["Cluster", "Local"],
    { "spec.type": "NodePort" },
  ],
  ["services", "spec.ipFamilyPolicy", "spec.ipFamilyPolicy", ["PreferDualStack", "RequireDualStack", "SingleStack"]],
  ["endpoints", "subsets.0.ports.0.protocol", "subsets[0].ports[0].protocol", ["SCTP", "TCP", "UDP"]],
  [
    "persistentvolumes",
    "spec.persistentVolumeReclaimPolicy",
    "spec.persistentVolumeReclaimPolicy",
    ["Delete", "Recycle", "Retain"],
  ],
  ["persistentvolumes", "spec.volumeMode", "spec.volumeMode", ["Block", "Filesystem"]],
  [
    "persistentvolumes",
    "spec.accessModes.0",
    "spec.accessModes",
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"],
  ],
  [
    "persistentvolumes",
    "spec.hostPath.type",
    "spec.hostPath.type",
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"],
  ],
  ["persistentvolumeclaims", "spec.volumeMode", "spec.volumeMode", ["Block", "Filesystem"]],
  [
    "persistentvolumeclaims",
    "spec.accessModes.0",
    "spec.accessModes",
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"],
  ],
  [
    "nodes",
    "spec.taints.0.effect",
    "metadata.taints[0].effect",
    ["NoSchedule", "PreferNoSchedule", "NoExecute"],
    { "spec.taints.0.key": "k" },
  ],
  [VWC, "webhooks.0.failurePolicy", "webhooks[0].failurePolicy", ["Fail", "Ignore"]],
  [VWC, "webhooks.0.matchPolicy", "webhooks[0].matchPolicy", ["Equivalent", "Exact"]],
  [VWC, "webhooks.0.sideEffects", "webhooks[0].sideEffects", ["None", "NoneOnDryRun"]],
  [VWC, "webhooks.0.rules.0.scope", "webhooks[0].rules[0].scope", ["*", "Cluster", "Namespaced"]],
  [
    VWC,
    "webhooks.0.rules.0.operations.0",
    "webhooks[0].rules[0].operations[0]",
    ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"],
  ],
  [MWC, "webhooks.0.reinvocationPolicy", "webhooks[0].reinvocationPolicy", ["IfNeeded", "Never"]],
  [MWC, "webhooks.0.failurePolicy", "webhooks[0].failurePolicy", ["Fail", "Ignore"]],
  [VAP, "spec.failurePolicy", "spec.failurePolicy", ["Fail", "Ignore"]],
  [VAP, "spec.matchConstraints.matchPolicy", "spec.matchConstraints.matchPolicy", ["Equivalent", "Exact"]],
  [VAP, "spec.validations.0.reason", "spec.validations[0].reason", ["Forbidden", "Invalid", "RequestEntityTooLarge"]],
  [VAPB, "spec.validationActions.0", "spec.validationActions[0]", ["Audit", "Deny", "Warn"]],
  [
    VAPB,
    "spec.paramRef.parameterNotFoundAction",
    "spec.paramRef.parameterNotFoundAction",
    ["Deny", "Allow"],
    { "spec.paramRef.name": "p" },
  ],
  [HPA, "spec.behavior.scaleUp.selectPolicy", "spec.behavior.scaleUp.selectPolicy", ["Disabled", "Max", "Min"]],
  [SLICE, "ports.0.protocol", "ports[0].protocol", ["SCTP", "TCP", "UDP"]],
  [
    "networking.k8s.io/ingresses",
    "spec.rules.0.http.paths.0.pathType",
    "spec.rules[0].http.paths[0].pathType",
    ["Exact", "ImplementationSpecific", "Prefix"],
  ],
  [
    "networking.k8s.io/networkpolicies",
    "spec.ingress.0.ports.0.protocol",
    "spec.ingress[0].ports[0].protocol",
    ["TCP", "UDP", "SCTP"],
  ],
  ["networking.k8s.io/networkpolicies", "spec.policyTypes.0", "spec.policyTypes[0]", ["Ingress", "Egress"]],
  [
    "policy/poddisruptionbudgets",
    "spec.unhealthyPodEvictionPolicy",
    "spec.unhealthyPodEvictionPolicy",
    ["AlwaysAllow", "IfHealthyBudget"],
  ],
  ["rbac.authorization.k8s.io/rolebindings", "roleRef.kind", "roleRef.kind", ["Role", "ClusterRole"]],
  ["rbac.authorization.k8s.io/clusterrolebindings", "roleRef.kind", "roleRef.kind", ["ClusterRole"]],
  ["scheduling.k8s.io/priorityclasses", "preemptionPolicy", "preemptionPolicy", ["Never", "PreemptLowerPriority"]],
  [
    "storage.k8s.io/csidrivers",
    "spec.fsGroupPolicy",
    "spec.fsGroupPolicy",
    ["File", "None", "ReadWriteOnceWithFSType"],
  ],
  [
    "storage.k8s.io/csidrivers",
    "spec.volumeLifecycleModes.0",
    "spec.volumeLifecycleModes",
    ["Persistent", "Ephemeral"],
  ],
  ["storage.k8s.io/storageclasses", "reclaimPolicy", "reclaimPolicy", ["Delete", "Retain"]],
  ["storage.k8s.io/storageclasses", "volumeBindingMode", "volumeBindingMode", ["Immediate", "WaitForFirstConsumer"]],
];

describe("validation of fields with a fixed set of values", () => {
  const good = ENUMS.flatMap(([resource, place, , values, more]) =>
    values.map(
      (value) =>
        [`${resource} takes ${JSON.stringify(value)} as ${place}`, resource, { ...more, [place]: value }] as const,
    ),
  );
  it.each(good)("%s", (_, resource, changes) => {
    expect(createErrors(resource, changes)).toEqual([]);
  });

  const bad = ENUMS.map(
    ([resource, place, field, values, more]) =>
      [
        `${resource} refuses another ${place}`,
        resource,
        { ...more, [place]: "Other" },
        `${field}: Unsupported value: "Other": supported values: ${values.map((value) => JSON.stringify(value)).join(", ")}`,
      ] as const,
  );
  it.each(bad)("%s", (_, resource, changes, expected) => {
    expect(createErrors(resource, changes)).toEqual([expected]);
  });
});

/** Kind, place that is left out, the error after the colon. */
const REQUIRED: readonly (readonly [resource: string, place: string, field: string, detail?: string])[] = [
  ["services", "spec.ports", "spec.ports"],
  ["endpoints", "subsets.0.addresses", "subsets[0]", ": must specify `addresses` or `notReadyAddresses`"],
  ["persistentvolumes", "spec.accessModes", "spec.accessModes"],
  ["persistentvolumes", "spec.hostPath", "spec", ": must specify a volume type"],
  ["persistentvolumes", "spec.hostPath.path", "spec.hostPath.path"],
  ["persistentvolumeclaims", "spec.accessModes", "spec.accessModes", ": at least 1 access mode is required"],
  ["persistentvolumeclaims", "spec.resources", "spec.resources[storage]"],
  [VWC, "webhooks.0.name", "webhooks[0].name"],
  [VWC, "webhooks.0.sideEffects", "webhooks[0].sideEffects", ": must specify one of None, NoneOnDryRun"],
  [
    VWC,
    "webhooks.0.admissionReviewVersions",
    "webhooks[0].admissionReviewVersions",
    ": must specify one of v1, v1beta1",
  ],
  [VWC, "webhooks.0.clientConfig.url", "webhooks[0].clientConfig", ": exactly one of url or service is required"],
  [VWC, "webhooks.0.rules.0.operations", "webhooks[0].rules[0].operations"],
  [VWC, "webhooks.0.rules.0.apiGroups", "webhooks[0].rules[0].apiGroups"],
  [VWC, "webhooks.0.rules.0.apiVersions", "webhooks[0].rules[0].apiVersions"],
  [VWC, "webhooks.0.rules.0.resources", "webhooks[0].rules[0].resources"],
  // The two names are the other way round in Kubernetes.
  [MWC, "webhooks.0.clientConfig.service.name", "webhooks[0].clientConfig.service.namespace"],
  [MWC, "webhooks.0.clientConfig.service.namespace", "webhooks[0].clientConfig.service.name"],
  [VAP, "spec.matchConstraints", "spec.matchConstraints"],
  [VAP, "spec.matchConstraints.resourceRules", "spec.matchConstraints.resourceRules"],
  [VAP, "spec.validations.0.expression", "spec.validations[0].expression", ": expression is not specified"],
  [VAPB, "spec.policyName", "spec.policyName"],
  [VAPB, "spec.validationActions", "spec.validationActions", ": at least one validation action is required"],
  ["apiregistration.k8s.io/apiservices", "spec.service.name", "spec.service.name"],
  ["apiregistration.k8s.io/apiservices", "spec.service.namespace", "spec.service.namespace"],
  [HPA, "spec.scaleTargetRef.kind", "spec.scaleTargetRef.kind"],
  [HPA, "spec.scaleTargetRef.name", "spec.scaleTargetRef.name"],
  [HPA, "spec.metrics.0.resource.name", "spec.metrics[0].resource.name", ": must specify a resource name"],
  [
    HPA,
    "spec.metrics.0.resource.target.averageUtilization",
    "spec.metrics[0].resource.target.averageUtilization",
    ": must set either a target raw value or a target utilization",
  ],
  ["certificates.k8s.io/certificatesigningrequests", "spec.usages", "spec.usages"],
  ["certificates.k8s.io/certificatesigningrequests", "spec.signerName", "spec.signerName"],
  [SLICE, "addressType", "addressType"],
  [SLICE, "endpoints.0.addresses", "endpoints[0].addresses", ": must contain at least 1 address"],
  [
    SCHEMA,
    "spec.priorityLevelConfiguration",
    "spec.priorityLevelConfiguration.name",
    ": must reference a priority level",
  ],
  [SCHEMA, "spec.rules.0.subjects", "spec.rules[0].subjects", ": subjects must contain at least one value"],
  [
    SCHEMA,
    "spec.rules.0.subjects.0.user",
    "spec.rules[0].subjects[0].user",
    ": user is required when subject kind is 'User'",
  ],
  [SCHEMA, "spec.rules.0.subjects.0.user.name", "spec.rules[0].subjects[0].user.name"],
  [
    SCHEMA,
    "spec.rules.0.resourceRules.0.verbs",
    "spec.rules[0].resourceRules[0].verbs",
    ": verbs must contain at least one value",
  ],
  [
    SCHEMA,
    "spec.rules.0.resourceRules.0.apiGroups",
    "spec.rules[0].resourceRules[0].apiGroups",
    ": resource rules must supply at least one api group",
  ],
  [
    SCHEMA,
    "spec.rules.0.resourceRules.0.resources",
    "spec.rules[0].resourceRules[0].resources",
    ": resource rules must supply at least one resource",
  ],
  [
    SCHEMA,
    "spec.rules.0.resourceRules.0.namespaces",
    "spec.rules[0].resourceRules[0].namespaces",
    ": resource rules that are not cluster scoped must supply at least one namespace",
  ],
  [
    SCHEMA,
    "spec.rules.0.nonResourceRules.0.verbs",
    "spec.rules[0].nonResourceRules[0].verbs",
    ": verbs must contain at least one value",
  ],
  [
    SCHEMA,
    "spec.rules.0.nonResourceRules.0.nonResourceURLs",
    "spec.rules[0].nonResourceRules[0].nonResourceURLs",
    ": nonResourceURLs must contain at least one value",
  ],
  [LEVEL, "spec.limited", "spec.limited", ": must not be empty when type is Limited"],
  [
    LEVEL,
    "spec.limited.limitResponse.queuing",
    "spec.limited.limitResponse.queuing",
    ": must not be empty if limited.limitResponse.type is Limited",
  ],
  ["networking.k8s.io/ingresses", "spec.rules.0.http.paths", "spec.rules[0].http.paths"],
  [
    "networking.k8s.io/ingresses",
    "spec.rules.0.http.paths.0.pathType",
    "spec.rules[0].http.paths[0].pathType",
    ": pathType must be specified",
  ],
  [
    "networking.k8s.io/ingresses",
    "spec.rules.0.http.paths.0.backend.service.name",
    "spec.rules[0].http.paths[0].backend.service.name",
  ],
  [
    "networking.k8s.io/ingresses",
    "spec.rules.0.http.paths.0.backend.service.port",
    "spec.rules[0].http.paths[0].backend",
    ": port name or number is required",
  ],
  ["networking.k8s.io/ingressclasses", "spec.controller", "spec.controller"],
  ["networking.k8s.io/ingressclasses", "spec.parameters.kind", "spec.parameters.kind"],
  ["networking.k8s.io/ingressclasses", "spec.parameters.name", "spec.parameters.name"],
  [
    "networking.k8s.io/networkpolicies",
    "spec.ingress.0.from.0.ipBlock",
    "spec.ingress[0].from[0]",
    ": must specify a peer",
  ],
  ["networking.k8s.io/networkpolicies", "spec.ingress.0.from.0.ipBlock.cidr", "spec.ingress[0].from[0].ipBlock.cidr"],
  ["networking.k8s.io/ipaddresses", "spec.parentRef", "spec.parentRef"],
  ["networking.k8s.io/ipaddresses", "spec.parentRef.resource", "spec.parentRef.resource"],
  ["networking.k8s.io/ipaddresses", "spec.parentRef.name", "spec.parentRef.name"],
  ["networking.k8s.io/servicecidrs", "spec.cidrs", "spec.cidrs", ": at least one CIDR required"],
  ["rbac.authorization.k8s.io/roles", "rules.0.verbs", "rules[0].verbs", ": verbs must contain at least one value"],
  [
    "rbac.authorization.k8s.io/roles",
    "rules.0.apiGroups",
    "rules[0].apiGroups",
    ": resource rules must supply at least one api group",
  ],
  [
    "rbac.authorization.k8s.io/roles",
    "rules.0.resources",
    "rules[0].resources",
    ": resource rules must supply at least one resource",
  ],
  [
    "rbac.authorization.k8s.io/clusterroles",
    "rules.0.verbs",
    "rules[0].verbs",
    ": verbs must contain at least one value",
  ],
  ["rbac.authorization.k8s.io/rolebindings", "roleRef.name", "roleRef.name"],
  ["rbac.authorization.k8s.io/rolebindings", "subjects.0.name", "subjects[0].name"],
  ["rbac.authorization.k8s.io/clusterrolebindings", "subjects.0.namespace", "subjects[0].namespace"],
  [
    CLAIM,
    "spec.devices.requests.0.exactly",
    "spec.devices.requests[0]",
    ": exactly one of `exactly` or `firstAvailable` is required",
  ],
  [CLAIM, "spec.devices.requests.0.exactly.deviceClassName", "spec.devices.requests[0].exactly.deviceClassName"],
  ["resource.k8s.io/resourceslices", "spec.driver", "spec.driver"],
  ["resource.k8s.io/resourceslices", "spec.pool.name", "spec.pool.name"],
  [
    "resource.k8s.io/resourceslices",
    "spec.nodeName",
    "spec",
    ": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
  ],
  ["storage.k8s.io/csinodes", "spec.drivers.0.name", "spec.drivers[0].name"],
  ["storage.k8s.io/csinodes", "spec.drivers.0.nodeID", "spec.drivers[0].nodeID"],
  ["storage.k8s.io/storageclasses", "provisioner", "provisioner"],
  [
    "storage.k8s.io/volumeattachments",
    "spec.source",
    "spec.source",
    ": must specify exactly one of inlineVolumeSpec and persistentVolumeName",
  ],
  ["storage.k8s.io/volumeattributesclasses", "driverName", "driverName"],
  ["storage.k8s.io/volumeattributesclasses", "parameters", "parameters", ": must contain at least one key/value pair"],
];

describe("validation of required fields", () => {
  const rows = REQUIRED.map(([resource, place, field, detail = ""]) => [resource, place, field, detail] as const);
  it.each(rows)("refuses %s without %s", (resource, place, field, detail) => {
    expect(createErrors(resource, { [place]: undefined })).toEqual([`${field}: Required value${detail}`]);
  });
});

const PORT = "must be between 1 and 65535, inclusive";

/** Kind, place, field, values that are good, values that are bad, what is said of them. */
const NUMBERS: readonly (readonly [string, string, string, readonly unknown[], readonly unknown[], string, More?])[] = [
  ["services", "spec.ports.0.targetPort", "spec.ports[0].targetPort", [1, 65535], [-1, 65536], PORT],
  [
    "services",
    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
    [1, 86400],
    [0, -1, 86401],
    "must be greater than 0 and less than 86400",
    { "spec.sessionAffinity": "ClientIP" },
  ],
  [
    "services",
    "spec.healthCheckNodePort",
    "spec.healthCheckNodePort",
    [30000],
    [-1, 65536],
    PORT,
    { ...LB, "spec.externalTrafficPolicy": "Local" },
  ],
  ["endpoints", "subsets.0.ports.0.port", "subsets[0].ports[0].port", [1, 65535], [0, -1, 65536], PORT],
  [SLICE, "ports.0.port", "ports[0].port", [1, 65535], [-1, 65536], PORT],
  [
    VWC,
    "webhooks.0.timeoutSeconds",
    "webhooks[0].timeoutSeconds",
    [1, 30],
    [0, 31],
    "the timeout value must be between 1 and 30 seconds",
  ],
  [
    MWC,
    "webhooks.0.clientConfig.service.port",
    "webhooks[0].clientConfig.service.port",
    [1, 443],
    [0, 65536],
    `port is not valid: ${PORT}`,
  ],
  [
    "apiregistration.k8s.io/apiservices",
    "spec.groupPriorityMinimum",
    "spec.groupPriorityMinimum",
    [1, 20000],
    [0, 20001],
    "must be positive and less than 20000",
  ],
  [
    "apiregistration.k8s.io/apiservices",
    "spec.versionPriority",
    "spec.versionPriority",
    [1, 1000],
    [0, 1001],
    "must be positive and less than 1000",
  ],
  [
    "apiregistration.k8s.io/apiservices",
    "spec.service.port",
    "spec.service.port",
    [1, 443],
    [0, 65536],
    `port is not valid: ${PORT}`,
  ],
  [HPA, "spec.minReplicas", "spec.minReplicas", [1, 3], [-1], "must be greater than or equal to 1"],
  [
    HPA,
    "spec.metrics.0.resource.target.averageUtilization",
    "spec.metrics[0].resource.target.averageUtilization",
    [1, 200],
    [0, -5],
    "must be greater than 0",
  ],
  [
    HPA,
    "spec.behavior.scaleDown.stabilizationWindowSeconds",
    "spec.behavior.scaleDown.stabilizationWindowSeconds",
    [0, 3600],
    [3601],
    "must be less than or equal to 3600",
  ],
  [
    HPA,
    "spec.behavior.scaleUp.stabilizationWindowSeconds",
    "spec.behavior.scaleUp.stabilizationWindowSeconds",
    [0, 300],
    [-1],
    "must be greater than or equal to zero",
  ],
  [
    HPA,
    "spec.behavior.scaleUp.policies.0.periodSeconds",
    "spec.behavior.scaleUp.policies[0].periodSeconds",
    [1, 1800],
    [0],
    "must be greater than zero",
    { "spec.behavior.scaleUp.policies": [{ type: "Pods", value: 1 }] },
  ],
  [
    HPA,
    "spec.behavior.scaleUp.policies.0.value",
    "spec.behavior.scaleUp.policies[0].value",
    [1, 5],
    [0, -1],
    "must be greater than zero",
    { "spec.behavior.scaleUp.policies": [{ type: "Pods", periodSeconds: 1 }] },
  ],
  [
    "certificates.k8s.io/certificatesigningrequests",
    "spec.expirationSeconds",
    "spec.expirationSeconds",
    [600, 86400],
    [599, 0],
    "may not specify a duration less than 600 seconds (10 minutes)",
  ],
  [
    "coordination.k8s.io/leases",
    "spec.leaseDurationSeconds",
    "spec.leaseDurationSeconds",
    [1, 15],
    [0, -1],
    "must be greater than 0",
  ],
  [
    "coordination.k8s.io/leases",
    "spec.leaseTransitions",
    "spec.leaseTransitions",
    [0, 7],
    [-1],
    "must be greater than or equal to 0",
  ],
  [SCHEMA, "spec.matchingPrecedence", "spec.matchingPrecedence", [2, 10000], [-1], "must be a positive value"],
  [SCHEMA, "spec.matchingPrecedence", "spec.matchingPrecedence", [9999], [10001], "must not be greater than 10000"],
  [
    SCHEMA,
    "spec.matchingPrecedence",
    "spec.matchingPrecedence",
    [500],
    [1],
    "only the schema named 'exempt' may have matchingPrecedence 1",
  ],
  [
    LEVEL,
    "spec.limited.nominalConcurrencyShares",
    "spec.limited.nominalConcurrencyShares",
    [0, 30],
    [-1],
    "must be a non-negative integer",
  ],
  [
    LEVEL,
    "spec.limited.lendablePercent",
    "spec.limited.lendablePercent",
    [0, 100],
    [-1, 101],
    "must be between 0 and 100, inclusive",
  ],
  [
    LEVEL,
    "spec.limited.borrowingLimitPercent",
    "spec.limited.borrowingLimitPercent",
    [0, 200],
    [-1],
    "if specified, must be a non-negative integer",
  ],
  [
    LEVEL,
    "spec.limited.limitResponse.queuing.queueLengthLimit",
    "spec.limited.limitResponse.queuing.queueLengthLimit",
    [1, 50],
    [-1],
    "must be positive",
  ],
  [
    LEVEL,
    "spec.limited.limitResponse.queuing.queues",
    "spec.limited.limitResponse.queuing.queues",
    [64, 10000000],
    [10000001],
    "must not be greater than 10000000",
    { "spec.limited.limitResponse.queuing.handSize": 2 },
  ],
  [
    LEVEL,
    "spec.limited.limitResponse.queuing.handSize",
    "spec.limited.limitResponse.queuing.handSize",
    [1, 8],
    [65],
    "should not be greater than queues (64)",
  ],
  [
    LEVEL,
    "spec.limited.limitResponse.queuing.handSize",
    "spec.limited.limitResponse.queuing.handSize",
    [9, 10],
    [11],
    "required entropy bits of deckSize 64 and handSize 11 should not be greater than 60",
  ],
  [
    "networking.k8s.io/ingresses",
    "spec.rules.0.http.paths.0.backend.service.port.number",
    "spec.rules[0].http.paths[0].backend.service.port.number",
    [1, 65535],
    [-1, 65536],
    PORT,
  ],
  [
    "networking.k8s.io/networkpolicies",
    "spec.ingress.0.ports.0.port",
    "spec.ingress[0].ports[0].port",
    [1, 65535],
    [0, 65536],
    PORT,
  ],
  [
    "policy/poddisruptionbudgets",
    "spec.minAvailable",
    "spec.minAvailable",
    [0, 5, "0%", "100%"],
    [-1],
    "must be greater than or equal to 0",
  ],
  [
    "policy/poddisruptionbudgets",
    "spec.minAvailable",
    "spec.minAvailable",
    ["50%"],
    ["101%"],
    "must not be greater than 100%",
  ],
  [
    "policy/poddisruptionbudgets",
    "spec.minAvailable",
    "spec.minAvailable",
    ["7%"],
    ["7", "-7%", "a%"],
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  ],
  [
    CLAIM,
    "spec.devices.requests.0.exactly.count",
    "spec.devices.requests[0].exactly.count",
    // 0 is none, which is 1 by default.
    [0, 1, 8],
    [-1],
    "must be greater than zero",
  ],
  [
    CLAIM,
    "spec.devices.requests.0.exactly.count",
    "spec.devices.requests[0].exactly.count",
    [0],
    [1],
    "must not be specified when allocationMode is 'All'",
    { "spec.devices.requests.0.exactly.allocationMode": "All" },
  ],
  [
    "resource.k8s.io/resourceslices",
    "spec.pool.resourceSliceCount",
    "spec.pool.resourceSliceCount",
    [1, 4],
    [0, -1],
    "must be greater than zero",
  ],
  [
    "resource.k8s.io/resourceslices",
    "spec.pool.generation",
    "spec.pool.generation",
    [0, 4],
    [-1],
    "must be greater than or equal to zero",
  ],
  [
    "storage.k8s.io/csidrivers",
    "spec.nodeAllocatableUpdatePeriodSeconds",
    "spec.nodeAllocatableUpdatePeriodSeconds",
    [10, 60],
    [9],
    "must be greater than or equal to 10 seconds",
  ],
  [
    "storage.k8s.io/csidrivers",
    "spec.tokenRequests.0.expirationSeconds",
    "spec.tokenRequests[0].expirationSeconds",
    [600, 4294967296],
    [599],
    "may not specify a duration less than 10 minutes",
  ],
  [
    "storage.k8s.io/csidrivers",
    "spec.tokenRequests.0.expirationSeconds",
    "spec.tokenRequests[0].expirationSeconds",
    [3600],
    [4294967297],
    "may not specify a duration larger than 2^32 seconds",
  ],
  [
    "storage.k8s.io/csinodes",
    "spec.drivers.0.allocatable.count",
    "spec.drivers[0].allocatable.count",
    [0, 39],
    [-1],
    "must be greater than or equal to 0",
  ],
  [
    "storage.k8s.io/csistoragecapacities",
    "capacity",
    "capacity",
    ["0", "1Ti"],
    ["-1", "-1Gi"],
    "must be greater than or equal to 0",
  ],
  [
    "persistentvolumeclaims",
    "spec.resources.requests.storage",
    "spec.resources[storage]",
    ["1", "10Gi"],
    ["0", "-1"],
    "must be greater than zero",
  ],
  [
    "persistentvolumes",
    "spec.capacity.storage",
    "spec.capacity[storage]",
    ["1", "10Gi"],
    ["0"],
    "must be greater than zero",
  ],
  ["resourcequotas", "spec.hard.pods", "spec.hard[pods]", ["0", "10"], ["-1"], "must be greater than or equal to 0"],
  ["resourcequotas", "spec.hard.pods", "spec.hard[pods]", ["5"], ["500m"], "must be an integer"],
];

describe("validation of fields with numbers", () => {
  const good = NUMBERS.flatMap(([resource, place, , values, , , more]) =>
    values.map(
      (value) => [`${resource} takes ${String(value)} as ${place}`, resource, { ...more, [place]: value }] as const,
    ),
  );
  it.each(good)("%s", (_, resource, changes) => {
    expect(createErrors(resource, changes)).toEqual([]);
  });

  const bad = NUMBERS.flatMap(([resource, place, field, , values, detail, more]) =>
    values.map(
      (value) =>
        [
          `${resource} refuses ${String(value)} as ${place}: ${detail.slice(0, 30)}`,
          resource,
          { ...more, [place]: value },
          `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`,
        ] as const,
    ),
  );
  it.each(bad)("%s", (_, resource, changes, expected) => {
    expect(createErrors(resource, changes)).toEqual([expected]);
  });
});
