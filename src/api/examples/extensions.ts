/**
 * Examples of manifests that can be applied unchanged, by kind, of the groups admissionregistration.k8s.io, apiextensions.k8s.io, apiregistration.k8s.io,
 * flowcontrol.apiserver.k8s.io, events.k8s.io, resource.k8s.io and storagemigration.k8s.io.
 */
export const extensions: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata:
  name: owner-label
spec:
  failurePolicy: Fail
  reinvocationPolicy: IfNeeded
  matchConstraints:
    resourceRules:
    - apiGroups: [""]
      apiVersions: ["v1"]
      operations: ["CREATE"]
      resources: ["configmaps"]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: |
        Object{metadata: Object.metadata{labels: {"owner": "platform"}}}
`,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata:
  name: owner-label
spec:
  policyName: owner-label
  matchResources:
    namespaceSelector:
      matchLabels:
        owned: "true"
`,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: replica-limit
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: ["apps"]
      apiVersions: ["v1"]
      operations: ["CREATE", "UPDATE"]
      resources: ["deployments"]
  validations:
  - expression: object.spec.replicas <= 10
    message: a Deployment has at most 10 replicas here
`,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: replica-limit
spec:
  policyName: replica-limit
  validationActions: ["Warn"]
`,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: defaults.example.com
webhooks:
- name: defaults.example.com
  admissionReviewVersions: ["v1"]
  sideEffects: None
  failurePolicy: Ignore
  timeoutSeconds: 2
  clientConfig:
    service:
      namespace: default
      name: webhook
      path: /default
  rules:
  - apiGroups: ["example.com"]
    apiVersions: ["v1"]
    operations: ["CREATE"]
    resources: ["widgets"]
`,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: checks.example.com
webhooks:
- name: checks.example.com
  admissionReviewVersions: ["v1"]
  sideEffects: None
  failurePolicy: Ignore
  timeoutSeconds: 2
  clientConfig:
    service:
      namespace: default
      name: webhook
      path: /check
  rules:
  - apiGroups: ["example.com"]
    apiVersions: ["v1"]
    operations: ["CREATE", "UPDATE"]
    resources: ["widgets"]
`,
  "apiextensions.k8s.io/CustomResourceDefinition": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    plural: widgets
    singular: widget
    kind: Widget
    shortNames: ["wd"]
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: ["size"]
            properties:
              size:
                type: integer
                minimum: 1
                description: How large the widget is, in centimetres.
    additionalPrinterColumns:
    - name: Size
      type: integer
      jsonPath: .spec.size
`,
  "apiregistration.k8s.io/APIService": `# In production, give the server's CA as caBundle instead of insecureSkipTLSVerify.
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1alpha1.cafe.example.com
spec:
  group: cafe.example.com
  version: v1alpha1
  groupPriorityMinimum: 1000
  versionPriority: 15
  insecureSkipTLSVerify: true
  service:
    namespace: default
    name: cafe-server
`,
  "flowcontrol.apiserver.k8s.io/FlowSchema": `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: robots
spec:
  priorityLevelConfiguration:
    name: workload-low
  matchingPrecedence: 8000
  distinguisherMethod:
    type: ByUser
  rules:
  - subjects:
    - kind: Group
      group:
        name: system:serviceaccounts:default
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
`,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: robots
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse:
      type: Queue
      queuing:
        queues: 16
        handSize: 4
        queueLengthLimit: 50
`,
  "events.k8s.io/Event": `apiVersion: events.k8s.io/v1
kind: Event
metadata:
  name: settings.reviewed
  namespace: default
eventTime: "2026-01-01T00:00:00.000000Z"
reportingController: example.com/settings-checker
reportingInstance: settings-checker-0
action: Check
reason: Checked
regarding:
  apiVersion: v1
  kind: ConfigMap
  name: settings
  namespace: default
note: The settings were read and are complete
type: Normal
`,
  "resource.k8s.io/DeviceTaintRule": `apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata:
  name: broken-gpus
spec:
  deviceSelector:
    driver: gpu.example.com
    pool: node-1
  taint:
    key: gpu.example.com/broken
    effect: NoSchedule
`,
  "storagemigration.k8s.io/StorageVersionMigration": `apiVersion: storagemigration.k8s.io/v1
kind: StorageVersionMigration
metadata:
  name: rewrite-deployments
spec:
  resource:
    group: apps
    resource: deployments
`,
};
