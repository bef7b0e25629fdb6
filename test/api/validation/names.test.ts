import { describe, expect, it } from "vitest";
import { createErrors, GOOD, updateErrors } from "./good-objects.js";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

type Rule = readonly [good: readonly string[], bad: Readonly<Record<string, readonly string[]>>];

const RULES: Readonly<Record<string, Rule>> = {
  subdomain: [["a", "a.b-c.d", "1.a"], { A: [SUBDOMAIN], a_b: [SUBDOMAIN], "-a": [SUBDOMAIN], "a..b": [SUBDOMAIN] }],
  label: [["a", "a-b", "1"], { A: [LABEL], a_b: [LABEL], "a-": [LABEL], "a.b": ["must not contain dots"] }],
  "DNS-1035 label": [["a", "a-1"], { A: [DNS1035], "1a": [DNS1035], "a-": [DNS1035] }],
  "path segment": [
    ["a", "A_b:c"],
    {
      ".": ["may not be '.'"],
      "..": ["may not be '..'"],
      "a/b": ["may not contain '/'"],
      "a%b": ["may not contain '%'"],
    },
  ],
  "qualified name": [["a", "example.com/A_b"], { "a b": [QUALIFIED], "-a": [QUALIFIED] }],
  "label value": [["", "a", "A_b.c"], { "a b": [LABEL_VALUE], "a/b": [LABEL_VALUE] }],
};

/** Kind, where the name is put, the field in the error, the rule; and what else the object needs for it. */
const FIELDS: readonly (readonly [
  resource: string,
  place: string,
  field: string,
  rule: string,
  more?: Readonly<Record<string, unknown>>,
])[] = [
  ["services", "spec.ports.0.name", "spec.ports[0].name", "label"],
  ["services", "spec.ports.0.appProtocol", "spec.ports[0].appProtocol", "qualified name"],
  ["services", "spec.loadBalancerClass", "spec.loadBalancerClass", "qualified name", { "spec.type": "LoadBalancer" }],
  ["endpoints", "subsets.0.addresses.0.hostname", "subsets[0].addresses[0].hostname", "label"],
  ["endpoints", "subsets.0.addresses.0.nodeName", "subsets[0].addresses[0].nodeName", "subdomain"],
  ["endpoints", "subsets.0.ports.0.name", "subsets[0].ports[0].name", "label"],
  ["endpoints", "subsets.0.ports.0.appProtocol", "subsets[0].ports[0].appProtocol", "qualified name"],
  [
    "events",
    "metadata.namespace",
    "namespace",
    "subdomain",
    { eventTime: "t", reportingComponent: "c", reportingInstance: "i", action: "a", reason: "r" },
  ],
  ["persistentvolumes", "spec.storageClassName", "spec.storageClassName", "subdomain"],
  ["persistentvolumeclaims", "spec.storageClassName", "spec.storageClassName", "subdomain"],
  ["persistentvolumeclaims", "spec.volumeAttributesClassName", "spec.volumeAttributesClassName", "subdomain"],
  [
    "persistentvolumeclaims",
    "spec.dataSource.apiGroup",
    "spec.dataSource.apiGroup",
    "subdomain",
    { "spec.dataSource.kind": "K", "spec.dataSource.name": "d" },
  ],
  ["admissionregistration.k8s.io/validatingadmissionpolicybindings", "spec.policyName", "spec.policyName", "subdomain"],
  [
    "admissionregistration.k8s.io/validatingadmissionpolicybindings",
    "spec.paramRef.name",
    "spec.paramRef.name",
    "path segment",
    { "spec.paramRef.parameterNotFoundAction": "Deny" },
  ],
  [
    "admissionregistration.k8s.io/validatingadmissionpolicies",
    "spec.matchConditions.0.name",
    "spec.matchConditions[0].name",
    "qualified name",
    { "spec.matchConditions.0.expression": "true" },
  ],
  [
    "admissionregistration.k8s.io/validatingadmissionpolicies",
    "spec.matchConstraints.resourceRules.0.resourceNames.0",
    "spec.matchConstraints.resourceRules[0].resourceNames[0]",
    "path segment",
  ],
  [
    "admissionregistration.k8s.io/validatingwebhookconfigurations",
    "webhooks.0.matchConditions.0.name",
    "webhooks[0].matchConditions[0].name",
    "qualified name",
    { "webhooks.0.matchConditions.0.expression": "true" },
  ],
  [
    "admissionregistration.k8s.io/validatingwebhookconfigurations",
    "webhooks.0.admissionReviewVersions.1",
    "webhooks[0].admissionReviewVersions[1]",
    "DNS-1035 label",
  ],
  ["autoscaling/horizontalpodautoscalers", "spec.scaleTargetRef.name", "spec.scaleTargetRef.name", "path segment"],
  ["autoscaling/horizontalpodautoscalers", "spec.scaleTargetRef.kind", "spec.scaleTargetRef.kind", "path segment"],
  ["discovery.k8s.io/endpointslices", "endpoints.0.hostname", "endpoints[0].hostname", "label"],
  ["discovery.k8s.io/endpointslices", "endpoints.0.nodeName", "endpoints[0].nodeName", "subdomain"],
  ["discovery.k8s.io/endpointslices", "ports.0.name", "ports[0].name", "label"],
  ["discovery.k8s.io/endpointslices", "ports.0.appProtocol", "ports[0].appProtocol", "qualified name"],
  [
    "discovery.k8s.io/endpointslices",
    "endpoints.0.hints.forZones.0.name",
    "endpoints[0].hints.forZones[0].name",
    "label value",
  ],
  [
    "flowcontrol.apiserver.k8s.io/flowschemas",
    "spec.priorityLevelConfiguration.name",
    "spec.priorityLevelConfiguration.name",
    "subdomain",
  ],
  [
    "networking.k8s.io/ingresses",
    "spec.rules.0.http.paths.0.backend.service.name",
    "spec.rules[0].http.paths[0].backend.service.name",
    "DNS-1035 label",
  ],
  ["networking.k8s.io/ingresses", "spec.ingressClassName", "spec.ingressClassName", "subdomain"],
  ["networking.k8s.io/ingresses", "spec.rules.0.host", "spec.rules[0].host", "subdomain"],
  ["networking.k8s.io/ingresses", "spec.tls.0.secretName", "spec.tls[0].secretName", "subdomain"],
  ["networking.k8s.io/ingresses", "spec.tls.0.hosts.0", "spec.tls[0].hosts[0]", "subdomain"],
  ["networking.k8s.io/ingressclasses", "spec.parameters.name", "spec.parameters.name", "path segment"],
  ["networking.k8s.io/ingressclasses", "spec.parameters.kind", "spec.parameters.kind", "path segment"],
  ["networking.k8s.io/ingressclasses", "spec.parameters.apiGroup", "spec.parameters.apiGroup", "subdomain"],
  [
    "networking.k8s.io/ingressclasses",
    "spec.parameters.namespace",
    "spec.parameters.namespace",
    "label",
    { "spec.parameters.scope": "Namespace" },
  ],
  ["networking.k8s.io/ipaddresses", "spec.parentRef.group", "spec.parentRef.group", "subdomain"],
  ["networking.k8s.io/ipaddresses", "spec.parentRef.resource", "spec.parentRef.resource", "path segment"],
  ["networking.k8s.io/ipaddresses", "spec.parentRef.name", "spec.parentRef.name", "path segment"],
  ["networking.k8s.io/ipaddresses", "spec.parentRef.namespace", "spec.parentRef.namespace", "path segment"],
  ["node.k8s.io/runtimeclasses", "handler", "handler", "label"],
  ["rbac.authorization.k8s.io/rolebindings", "roleRef.name", "roleRef.name", "path segment"],
  ["rbac.authorization.k8s.io/clusterrolebindings", "roleRef.name", "roleRef.name", "path segment"],
  ["rbac.authorization.k8s.io/clusterrolebindings", "subjects.0.name", "subjects[0].name", "subdomain"],
  ["resource.k8s.io/resourceclaims", "spec.devices.requests.0.name", "spec.devices.requests[0].name", "label"],
  [
    "resource.k8s.io/resourceclaims",
    "spec.devices.requests.0.exactly.deviceClassName",
    "spec.devices.requests[0].exactly.deviceClassName",
    "subdomain",
  ],
  ["resource.k8s.io/resourceslices", "spec.nodeName", "spec.nodeName", "subdomain"],
  ["resource.k8s.io/resourceslices", "spec.devices.0.name", "spec.devices[0].name", "label"],
  ["storage.k8s.io/csistoragecapacities", "storageClassName", "storageClassName", "subdomain"],
  ["storage.k8s.io/volumeattachments", "spec.nodeName", "spec.nodeName", "subdomain"],
  [
    "storage.k8s.io/volumeattachments",
    "spec.source.persistentVolumeName",
    "spec.source.persistentVolumeName",
    "subdomain",
  ],
];

describe("validation of fields that hold names", () => {
  const good = FIELDS.flatMap(([resource, place, , rule, more]) =>
    (RULES[rule]?.[0] ?? []).map(
      (value) => [`${resource} takes ${value} as ${place}`, resource, { ...more, [place]: value }] as const,
    ),
  );
  it.each(good)("%s", (_, resource, changes) => {
    expect(createErrors(resource, changes)).toEqual([]);
  });

  const bad = FIELDS.flatMap(([resource, place, field, rule, more]) =>
    Object.entries(RULES[rule]?.[1] ?? {}).map(
      ([value, messages]) =>
        [
          `${resource} refuses ${value} as ${place}`,
          resource,
          { ...more, [place]: value },
          messages.map((message) => `${field}: Invalid value: ${JSON.stringify(value)}: ${message}`),
        ] as const,
    ),
  );
  it.each(bad)("%s", (_, resource, changes, expected) => {
    expect(createErrors(resource, changes)).toEqual(expected);
  });
});

describe("validation of the valid example objects", () => {
  it.each(Object.keys(GOOD))("accepts a new one of %s, and an update without a change", (resource) => {
    expect(createErrors(resource, {})).toEqual([]);
    expect(updateErrors(resource, {}, {})).toEqual([]);
  });
});
