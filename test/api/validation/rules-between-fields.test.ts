import { describe, expect, it } from "vitest";
import { type Changes, createErrors, warnings } from "./good-objects.js";

const SVC = "services";
const NP = "networking.k8s.io/networkpolicies";
const ING = "networking.k8s.io/ingresses";
const WEB = "admissionregistration.k8s.io/validatingwebhookconfigurations";
const HTTP = "spec.rules.0.http.paths.0";
const AT = "spec.rules[0].http.paths[0]";
const IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const PEER = "spec.ingress.0.from.0.ipBlock";
const BLOCK = "spec.ingress[0].from[0].ipBlock";
const PV = "persistentvolumes";
const QUOTA = "resourcequotas";
const LIMITS = "limitranges";
const HPA = "autoscaling/horizontalpodautoscalers";
const ROLE = "rbac.authorization.k8s.io/roles";
const SCHEMA = "flowcontrol.apiserver.k8s.io/flowschemas";

const ROWS: readonly (readonly [what: string, resource: string, changes: Changes, errors: readonly string[]])[] = [
  [
    "ports without names",
    SVC,
    { "spec.ports": [{ port: 80 }, { port: 81 }] },
    ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
  ],
  [
    "one name twice",
    SVC,
    {
      "spec.ports": [
        { name: "a", port: 80 },
        { name: "a", port: 81 },
      ],
    },
    ['spec.ports[1].name: Duplicate value: "a"'],
  ],
  [
    "one port twice",
    SVC,
    {
      "spec.ports": [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    },
    [
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  ],
  [
    "one port of two protocols",
    SVC,
    {
      "spec.ports": [
        { name: "a", port: 80 },
        { name: "b", port: 80, protocol: "UDP" },
      ],
    },
    [],
  ],
  [
    "a node port without need",
    SVC,
    { "spec.ports.0.nodePort": 30000 },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    "one node port twice",
    SVC,
    {
      "spec.type": "NodePort",
      "spec.ports": [
        { name: "a", port: 80, nodePort: 30000 },
        { name: "b", port: 81, nodePort: 30000 },
      ],
    },
    ["spec.ports[1].nodePort: Duplicate value: 30000"],
  ],
  ["a named target", SVC, { "spec.ports.0.targetPort": "http" }, []],
  [
    "a target of digits",
    SVC,
    { "spec.ports.0.targetPort": "80" },
    ['spec.ports[0].targetPort: Invalid value: "80": must contain at least one letter (a-z)'],
  ],
  ["headless", SVC, { "spec.clusterIP": "None", "spec.clusterIPs": ["None"], "spec.ports": undefined }, []],
  [
    "headless with node ports",
    SVC,
    { "spec.type": "NodePort", "spec.clusterIP": "None", "spec.clusterIPs": ["None"] },
    ["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"],
  ],
  [
    "None and an address",
    SVC,
    { "spec.clusterIP": "None", "spec.clusterIPs": ["None", "10.0.0.1"] },
    ['spec.clusterIPs: Invalid value: ["None","10.0.0.1"]: \'None\' must be the first and only value'],
  ],
  [
    "no address at all",
    SVC,
    { "spec.clusterIP": "x", "spec.clusterIPs": ["x"] },
    [`spec.clusterIPs[0]: Invalid value: "x": ${IP_TEXT}`],
  ],
  [
    "two that differ",
    SVC,
    { "spec.clusterIP": "10.0.0.9" },
    ['spec.clusterIPs: Invalid value: ["10.0.0.7"]: first value must match `clusterIP`'],
  ],
  [
    "only the list",
    SVC,
    { "spec.clusterIP": undefined },
    ['spec.clusterIPs: Invalid value: ["10.0.0.7"]: must be empty when `clusterIP` is not specified'],
  ],
  [
    "two of one family",
    SVC,
    { "spec.clusterIPs": ["10.0.0.7", "10.0.0.8"] },
    ['spec.clusterIPs: Invalid value: ["10.0.0.7","10.0.0.8"]: may specify no more than one IP for each IP family'],
  ],
  ["one family twice", SVC, { "spec.ipFamilies": ["IPv4", "IPv4"] }, ['spec.ipFamilies[1]: Duplicate value: "IPv4"']],
  [
    "an unknown family",
    SVC,
    { "spec.ipFamilies": ["IPv5"] },
    ['spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
  ],
  [
    "a loopback outside",
    SVC,
    { "spec.externalIPs": ["127.0.0.1"] },
    ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ],
  [
    "no address outside",
    SVC,
    { "spec.externalIPs": ["::"] },
    ['spec.externalIPs[0]: Invalid value: "::": may not be unspecified (::)'],
  ],
  [
    "a link-local one outside",
    SVC,
    { "spec.externalIPs": ["169.254.1.1"] },
    [
      'spec.externalIPs[0]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
  ],
  [
    "a multicast one outside",
    SVC,
    { "spec.externalIPs": ["224.0.0.1"] },
    [
      'spec.externalIPs[0]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ],
  ],
  [
    "ranges without load balancer",
    SVC,
    { "spec.loadBalancerSourceRanges": ["10.0.0.0/8"] },
    ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  ["padded ranges", SVC, { "spec.type": "LoadBalancer", "spec.loadBalancerSourceRanges": [" 10.0.0.0/8 "] }, []],
  [
    "a range with bits",
    SVC,
    { "spec.type": "LoadBalancer", "spec.loadBalancerSourceRanges": ["10.0.0.1/8"] },
    ['spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'],
  ],
  [
    "node ports of a load balancer elsewhere",
    SVC,
    { "spec.allocateLoadBalancerNodePorts": true },
    ["spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  [
    "a class elsewhere",
    SVC,
    { "spec.loadBalancerClass": "a" },
    ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  [
    "a policy for outside",
    SVC,
    { "spec.externalTrafficPolicy": "Local" },
    ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
  ],
  [
    "health checks of nobody",
    SVC,
    { "spec.healthCheckNodePort": 30000 },
    [
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
  ],
  [
    "an external name with addresses",
    SVC,
    { "spec.type": "ExternalName", "spec.externalName": "a.b." },
    [
      "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
      "spec.ipFamilies: Forbidden: may not be set for ExternalName services",
      "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
    ],
  ],

  [
    "one key in both",
    "configmaps",
    { "binaryData.a": "AA==" },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  [
    "too much",
    "configmaps",
    { "data.a": "x".repeat(1024 * 1024 + 1) },
    ["[]: Too long: may not be more than 1048576 bytes"],
  ],
  ["just enough", "configmaps", { "data.a": "x".repeat(1024 * 1024) }, []],
  [
    "too much of a secret",
    "secrets",
    { "data.a": Buffer.alloc(1024 * 1024 + 1).toString("base64") },
    ["data: Too long: may not be more than 1048576 bytes"],
  ],
  ["no key to log in with", "secrets", { type: "kubernetes.io/ssh-auth" }, ["data[ssh-privatekey]: Required value"]],
  [
    "nobody to log in",
    "secrets",
    { type: "kubernetes.io/basic-auth" },
    ["data[username]: Required value", "data[password]: Required value"],
  ],
  ["a user without password", "secrets", { type: "kubernetes.io/basic-auth", "data.username": "" }, []],
  [
    "a token of nobody",
    "secrets",
    { type: "kubernetes.io/service-account-token" },
    ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
  ],
  [
    "no docker file",
    "secrets",
    { type: "kubernetes.io/dockerconfigjson" },
    ["data[.dockerconfigjson]: Required value"],
  ],
  [
    "an empty docker file",
    "secrets",
    { type: "kubernetes.io/dockerconfigjson", "data./dockerconfigjson": "" },
    ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  ],
  [
    "a docker file of another type",
    "secrets",
    { type: "kubernetes.io/dockercfg", "data./dockercfg": "WzFd" },
    [
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ],

  [
    "two volume types",
    PV,
    { "spec.nfs": { server: "s", path: "/" } },
    ["spec.nfs: Forbidden: may not specify more than 1 volume type"],
  ],
  [
    "steps up",
    PV,
    { "spec.hostPath.path": "/a/../b" },
    ["spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"],
  ],
  [
    "the root recycled",
    PV,
    { "spec.hostPath.path": "/", "spec.persistentVolumeReclaimPolicy": "Recycle" },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    "a local volume anywhere",
    PV,
    { "spec.hostPath": undefined, "spec.local.path": "/a" },
    ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
  ],
  [
    "a driver without a handle",
    PV,
    { "spec.hostPath": undefined, "spec.csi.driver": "d" },
    ["spec.csi.volumeHandle: Required value"],
  ],
  [
    "one pod and others",
    PV,
    { "spec.accessModes": ["ReadWriteOncePod", "ReadWriteMany"] },
    ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
  ],
  [
    "an attributes class without driver",
    PV,
    { "spec.volumeAttributesClassName": "a" },
    ["spec.csi: Required value: has to be specified when using volumeAttributesClassName"],
  ],
  [
    "a source of no kind",
    "persistentvolumeclaims",
    { "spec.dataSource.name": "d" },
    [
      "spec.dataSource.kind: Required value",
      "spec.dataSource: Invalid value: \"\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    ],
  ],

  [
    "an unknown resource",
    QUOTA,
    { "spec.hard": { apples: "1" } },
    [
      'spec.hard[apples]: Invalid value: "apples": must be a standard resource type or fully qualified',
      'spec.hard[apples]: Invalid value: "apples": must be a standard resource for quota',
    ],
  ],
  ["counts of kinds", QUOTA, { "spec.hard": { "count/deployments.apps": "1" } }, []],
  [
    "scopes that exclude each other",
    QUOTA,
    { "spec.scopes": ["BestEffort", "NotBestEffort"] },
    ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
  ],
  [
    "a resource out of scope",
    QUOTA,
    { "spec.hard": { services: "1" }, "spec.scopes": ["Terminating"] },
    ['spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource'],
  ],
  [
    "an unknown scope",
    QUOTA,
    { "spec.scopes": ["Other"] },
    ['spec.scopes: Invalid value: ["Other"]: unsupported scope'],
  ],
  [
    "a class of no name",
    QUOTA,
    { "spec.scopeSelector.matchExpressions": [{ scopeName: "PriorityClass", operator: "In" }] },
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    "at least more than at most",
    LIMITS,
    { "spec.limits.0": { type: "Pod", min: { cpu: "2" }, max: { cpu: "1" } } },
    ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
  ],
  [
    "a default above the limit",
    LIMITS,
    { "spec.limits.0.default": { cpu: "3" }, "spec.limits.0.defaultRequest": { cpu: "1" } },
    ['spec.limits[0].default[cpu]: Invalid value: "2": default value 3 is greater than max value 2'],
  ],
  [
    "defaults of a pod",
    LIMITS,
    { "spec.limits.0": { type: "Pod", default: { cpu: "1" } } },
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    "one type twice",
    LIMITS,
    { "spec.limits": [{ type: "Pod" }, { type: "Pod" }] },
    ['spec.limits[1].type: Duplicate value: "Pod"'],
  ],
  [
    "claims without storage",
    LIMITS,
    { "spec.limits.0": { type: "PersistentVolumeClaim" } },
    [
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ],
  ],
  [
    "a ratio below one",
    LIMITS,
    { "spec.limits.0": { type: "Pod", maxLimitRequestRatio: { cpu: "500m" } } },
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
  ],
  [
    "an unknown type",
    LIMITS,
    { "spec.limits.0": { type: "Other" } },
    ['spec.limits[0].type: Invalid value: "Other": must be a standard limit type or fully qualified'],
  ],

  [
    "one taint twice",
    "nodes",
    {
      "spec.taints": [
        { key: "k", effect: "NoSchedule" },
        { key: "k", effect: "NoSchedule" },
      ],
    },
    [
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ],
  [
    "two CIDRs of one family",
    "nodes",
    { "spec.podCIDRs": ["10.1.0.0/24", "10.2.0.0/24"] },
    [
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    "an event of another namespace",
    "events",
    { "involvedObject.namespace": "m" },
    ['involvedObject.namespace: Invalid value: "m": does not match event.namespace'],
  ],
  [
    "a new event that says nothing",
    "events",
    { eventTime: "t", reportingComponent: "c" },
    ["reportingInstance: Required value", "action: Required value", "reason: Required value"],
  ],
  [
    "a finalizer of nobody",
    "namespaces",
    { "spec.finalizers": ["a"] },
    ['spec.finalizers: Invalid value: "a": name is neither a standard finalizer name nor is it fully qualified'],
  ],

  [
    "a hook over http",
    WEB,
    { "webhooks.0.clientConfig.url": "http://a" },
    [
      "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
    ],
  ],
  [
    "a hook with a query",
    WEB,
    { "webhooks.0.clientConfig.url": "https://a/b?c=d" },
    ['webhooks[0].clientConfig.url: Invalid value: "c=d": query parameters are not permitted in the URL'],
  ],
  [
    "a hook with a fragment",
    WEB,
    { "webhooks.0.clientConfig.url": "https://a/b#c" },
    ['webhooks[0].clientConfig.url: Invalid value: "c": fragments are not permitted in the URL'],
  ],
  [
    "a hook with a user",
    WEB,
    { "webhooks.0.clientConfig.url": "https://u@a" },
    ['webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL'],
  ],
  [
    "a short name",
    WEB,
    { "webhooks.0.name": "a.b" },
    ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
  ],
  [
    "an unknown review",
    WEB,
    { "webhooks.0.admissionReviewVersions": ["v3"] },
    ['webhooks[0].admissionReviewVersions: Invalid value: ["v3"]: must include at least one of v1, v1beta1'],
  ],
  [
    "all operations and one",
    WEB,
    { "webhooks.0.rules.0.operations": ["*", "CREATE"] },
    [
      'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
    ],
  ],
  [
    "all groups and one",
    WEB,
    { "webhooks.0.rules.0.apiGroups": ["*", "apps"] },
    [
      'webhooks[0].rules[0].apiGroups: Invalid value: ["*","apps"]: if \'*\' is present, must not specify other API groups',
    ],
  ],
  [
    "all versions and one",
    WEB,
    { "webhooks.0.rules.0.apiVersions": ["*", "v1"] },
    [
      'webhooks[0].rules[0].apiVersions: Invalid value: ["*","v1"]: if \'*\' is present, must not specify other API versions',
    ],
  ],
  [
    "all subresources and one",
    WEB,
    { "webhooks.0.rules.0.resources": ["pods/*", "pods/status"] },
    [
      "webhooks[0].rules[0].resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
    ],
  ],
  [
    "all resources and one",
    WEB,
    { "webhooks.0.rules.0.resources": ["*", "pods"] },
    [
      'webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  ],
  [
    "denied and warned",
    "admissionregistration.k8s.io/validatingadmissionpolicybindings",
    { "spec.validationActions": ["Deny", "Warn"] },
    [
      'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    "a variable of CEL's",
    "admissionregistration.k8s.io/validatingadmissionpolicies",
    { "spec.variables": [{ name: "in", expression: "1" }] },
    ['spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier'],
  ],
  [
    "another name",
    "apiregistration.k8s.io/apiservices",
    { "metadata.name": "v2" },
    ['metadata.name: Invalid value: "v2": must be `spec.version+"."+spec.group`: "v1.example.com"'],
  ],
  [
    "an authority that is not asked",
    "apiregistration.k8s.io/apiservices",
    { "spec.caBundle": "AA==", "spec.insecureSkipTLSVerify": true },
    ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"],
  ],
  [
    "at most less than at least",
    HPA,
    { "spec.minReplicas": 5 },
    ["spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"],
  ],
  [
    "two sources",
    HPA,
    { "spec.metrics.0.pods": { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } } },
    ["spec.metrics[0].resource: Forbidden: must populate the given metric source only"]
      .slice(1)
      .concat("spec.metrics[0].pods: Forbidden: must populate the given metric source only"),
  ],
  [
    "a target of two kinds",
    HPA,
    { "spec.metrics.0.resource.target.averageValue": "1" },
    [
      "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
    ],
  ],
  [
    "a signer without a domain",
    "certificates.k8s.io/certificatesigningrequests",
    { "spec.signerName": "a/b" },
    ['spec.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots'],
  ],
  [
    "the legacy signer",
    "certificates.k8s.io/certificatesigningrequests",
    { "spec.signerName": "kubernetes.io/legacy-unknown" },
    [
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ],
  [
    "one usage twice",
    "certificates.k8s.io/certificatesigningrequests",
    { "spec.usages": ["any", "any"] },
    ['spec.usages[1]: Duplicate value: "any"'],
  ],
  [
    "an IPv6 address among IPv4",
    "discovery.k8s.io/endpointslices",
    { "endpoints.0.addresses": ["fd00::1"] },
    ['endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address'],
  ],
  [
    "one port name twice",
    "discovery.k8s.io/endpointslices",
    {
      ports: [
        { name: "a", port: 1 },
        { name: "a", port: 2 },
      ],
    },
    ['ports[1].name: Duplicate value: "a"'],
  ],
  [
    "a path with a star",
    SCHEMA,
    { "spec.rules.0.nonResourceRules.0.nonResourceURLs": ["/a*"] },
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching',
    ],
  ],
  [
    "a relative path",
    SCHEMA,
    { "spec.rules.0.nonResourceRules.0.nonResourceURLs": ["a"] },
    ['spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash'],
  ],
  [
    "all verbs and one",
    SCHEMA,
    { "spec.rules.0.resourceRules.0.verbs": ["*", "get"] },
    [
      'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
    ],
  ],
  [
    "a group and a user",
    SCHEMA,
    { "spec.rules.0.subjects.0.group": { name: "g" } },
    ["spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"],
  ],

  [
    "nothing to route",
    ING,
    { "spec.rules": undefined },
    ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"],
  ],
  [
    "a relative path of an ingress",
    ING,
    { [`${HTTP}.path`]: "a" },
    [`${AT}.path: Invalid value: "a": must be an absolute path`],
  ],
  ["two slashes", ING, { [`${HTTP}.path`]: "/a//b" }, [`${AT}.path: Invalid value: "/a//b": must not contain '//'`]],
  [
    "an escaped slash",
    ING,
    { [`${HTTP}.path`]: "/a%2fb" },
    [`${AT}.path: Invalid value: "/a%2fb": must not contain '%2f'`],
  ],
  ["an end up", ING, { [`${HTTP}.path`]: "/a/.." }, [`${AT}.path: Invalid value: "/a/..": cannot end with '/..'`]],
  [
    "no backend",
    ING,
    { [`${HTTP}.backend`]: {} },
    [`${AT}.backend: Invalid value: "": resource or service backend is required`],
  ],
  [
    "two ports",
    ING,
    { [`${HTTP}.backend.service.port.name`]: "http" },
    [`${AT}.backend: Invalid value: "": cannot set both port name & port number`],
  ],
  [
    "two backends",
    ING,
    { [`${HTTP}.backend.resource`]: { kind: "K", name: "k" } },
    [`${AT}.backend: Invalid value: "": cannot set both resource and service backends`],
  ],
  [
    "an address as host",
    ING,
    { "spec.rules.0.host": "1.2.3.4" },
    ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
  ],
  [
    "two classes",
    ING,
    { "metadata.annotations": { "kubernetes.io/ingress.class": "a" }, "spec.ingressClassName": "b" },
    [
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ],
  ],
  [
    "a controller without a domain",
    "networking.k8s.io/ingressclasses",
    { "spec.controller": "c" },
    ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    "a namespace for a cluster's parameters",
    "networking.k8s.io/ingressclasses",
    { "spec.parameters.namespace": "n" },
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    "a block in none",
    NP,
    { [`${PEER}.except`]: ["11.0.0.0/16"] },
    [`${BLOCK}.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``],
  ],
  [
    "a block in itself",
    NP,
    { [`${PEER}.except`]: ["10.0.0.0/8"] },
    [`${BLOCK}.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``],
  ],
  [
    "a block and pods",
    NP,
    { "spec.ingress.0.from.0.podSelector": {} },
    ["spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer"],
  ],
  [
    "an end before the start",
    NP,
    { "spec.ingress.0.ports.0.endPort": 79 },
    ["spec.ingress[0].ports[0].endPort: Invalid value: 79: must be greater than or equal to `port`"],
  ],
  [
    "an end of a name",
    NP,
    { "spec.ingress.0.ports.0": { port: "http", endPort: 79 } },
    ["spec.ingress[0].ports[0].endPort: Invalid value: 79: may not be specified when `port` is non-numeric"],
  ],
  [
    "an end of nothing",
    NP,
    { "spec.ingress.0.ports.0": { endPort: 79 } },
    ["spec.ingress[0].ports[0].endPort: Invalid value: 79: may not be specified when `port` is not specified"],
  ],
  [
    "three ranges",
    "networking.k8s.io/servicecidrs",
    { "spec.cidrs": ["10.0.0.0/16", "fd00::/112", "11.0.0.0/16"] },
    ['spec.cidrs: Invalid value: {"CIDRs":["10.0.0.0/16","fd00::/112","11.0.0.0/16"]}: may only hold up to 2 values'],
  ],
  [
    "two ranges of one family",
    "networking.k8s.io/servicecidrs",
    { "spec.cidrs": ["10.0.0.0/16", "11.0.0.0/16"] },
    [
      'spec.cidrs: Invalid value: ["10.0.0.0/16","11.0.0.0/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
  ],
  [
    "URLs of a namespace",
    ROLE,
    { "rules.0": { verbs: ["get"], nonResourceURLs: ["/a"] } },
    ['rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs'],
  ],
  [
    "URLs and resources",
    "rbac.authorization.k8s.io/clusterroles",
    { "rules.0.nonResourceURLs": ["/a"] },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    "a role of no parts",
    "rbac.authorization.k8s.io/clusterroles",
    { aggregationRule: {} },
    [
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ],
  [
    "a system's priority",
    "scheduling.k8s.io/priorityclasses",
    { "metadata.name": "system-a" },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-a is not a known system priority class",
    ],
  ],
  [
    "too high a priority",
    "scheduling.k8s.io/priorityclasses",
    { value: 1000000001 },
    ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
  ],
  [
    "one audience twice",
    "storage.k8s.io/csidrivers",
    { "spec.tokenRequests": [{ audience: "a" }, { audience: "a" }] },
    ['spec.tokenRequests[1].audience: Duplicate value: "a"'],
  ],
  [
    "one driver twice",
    "storage.k8s.io/csinodes",
    {
      "spec.drivers": [
        { name: "d", nodeID: "n" },
        { name: "d", nodeID: "n" },
      ],
    },
    ['spec.drivers[1].name: Duplicate value: "d"'],
  ],
  [
    "an attachment of two",
    "storage.k8s.io/volumeattachments",
    { "spec.source.inlineVolumeSpec": {} },
    ["spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName"],
  ],
  [
    "two nodes of a slice",
    "resource.k8s.io/resourceslices",
    { "spec.allNodes": true },
    [
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
  ],
  [
    "an attribute of two kinds",
    "resource.k8s.io/resourceslices",
    { "spec.devices.0.attributes.a": { string: "x", int: 1 } },
    ['spec.devices[0].attributes[a]: Invalid value: {"string":"x","int":1}: exactly one value must be specified'],
  ],
  [
    "one request twice",
    "resource.k8s.io/resourceclaims",
    {
      "spec.devices.requests": [
        { name: "r", exactly: { deviceClassName: "c", allocationMode: "All" } },
        { name: "r", exactly: { deviceClassName: "c", allocationMode: "All" } },
      ],
    },
    ['spec.devices.requests[1]: Duplicate value: "r"'],
  ],
];

describe("validation of a new object with fields that contradict each other", () => {
  it.each(ROWS)("returns kube-apiserver's errors for: %s", (_, resource, changes, expected) => {
    expect(createErrors(resource, changes)).toEqual(expected);
  });
});

describe("warnings for a new object", () => {
  const rows: readonly (readonly [what: string, resource: string, changes: Changes, warnings: readonly string[]])[] = [
    ["nothing", SVC, {}, []],
    [
      "external IPs",
      SVC,
      { "spec.externalIPs": ["1.2.3.4"] },
      ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"],
    ],
    [
      "an external name without use",
      SVC,
      { "spec.externalName": "a" },
      ['spec.externalName is ignored when spec.type is not "ExternalName"'],
    ],
    [
      "an old distribution",
      SVC,
      { "spec.trafficDistribution": "PreferClose" },
      ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
    ],
    [
      "a long IPv6 address",
      SVC,
      { "spec.loadBalancerIP": "fd00:0::1" },
      ['spec.loadBalancerIP: IPv6 address "fd00:0::1" should be in RFC 5952 canonical format ("fd00::1")'],
    ],
    [
      "an ambiguous range",
      SVC,
      { "spec.loadBalancerSourceRanges": ["10.1.2.3/8"] },
      [
        'spec.loadBalancerSourceRanges[0]: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
      ],
    ],
    [
      "an ingress's annotation",
      ING,
      { "metadata.annotations": { "kubernetes.io/ingress.class": "a" } },
      ["annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
    ],
    [
      "a volume that is recycled",
      PV,
      { "spec.persistentVolumeReclaimPolicy": "Recycle" },
      [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      ],
    ],
    [
      "a volume nobody mounts",
      PV,
      { "spec.hostPath": undefined, "spec.rbd": { monitors: ["m"], image: "i" } },
      ["spec.rbd: deprecated in v1.28, non-functional in v1.31+"],
    ],
    [
      "a claim's annotation",
      "persistentvolumeclaims",
      { "metadata.annotations": { "volume.beta.kubernetes.io/storage-class": "a" } },
      [
        'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      ],
    ],
    [
      "a name for endpoints",
      "discovery.k8s.io/endpointslices",
      { addressType: "FQDN" },
      ["spec.addressType: FQDN endpoints are deprecated"],
    ],
    [
      "a node's external ID",
      "nodes",
      { "spec.externalID": "x" },
      ["spec.externalID: this field is deprecated, and is unused by Kubernetes"],
    ],
  ];
  it.each(rows)("are kube-apiserver's for: %s", (_, resource, changes, expected) => {
    expect(warnings(resource, changes)).toEqual(expected);
  });
});
