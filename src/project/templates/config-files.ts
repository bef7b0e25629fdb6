import type { ProjectFiles } from "../project-files.js";
import type { ProjectNames } from "../project-names.js";

/** The manifests that a person keeps. Those that are generated from the code are not here. */
export const configFiles = (names: ProjectNames): ProjectFiles => ({
  "config/kustomization.yaml": `# Everything: \`npm run deploy\` applies it.
resources:
  - namespace.yaml
  - crd
  - rbac
  - manager
  - webhook
`,
  "config/namespace.yaml": namespace(names),
  "config/rbac/kustomization.yaml": `resources:
  - service-account.yaml
  - role.yaml
  - role-binding.yaml
  - metrics-reader.yaml
`,
  "config/rbac/service-account.yaml": serviceAccount(names),
  "config/rbac/role-binding.yaml": roleBinding(names),
  "config/rbac/metrics-reader.yaml": metricsReader(names),
  "config/manager/kustomization.yaml": "resources:\n  - deployment.yaml\n  - metrics-service.yaml\n",
  "config/manager/deployment.yaml": deployment(names),
  "config/manager/metrics-service.yaml": metricsService(names),
  "config/webhook/kustomization.yaml": "resources:\n  - service.yaml\n  - configurations.yaml\n",
  "config/webhook/service.yaml": webhookService(names),
});

/** The namespace that the operator runs in. */
export const homeOf = ({ name }: Pick<ProjectNames, "name">): string => `${name}-system`;

const namespace = (names: ProjectNames): string => `apiVersion: v1
kind: Namespace
metadata:
  name: ${homeOf(names)}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;

const serviceAccount = (names: ProjectNames): string => `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${names.name}
  namespace: ${homeOf(names)}
`;

const roleBinding = (names: ProjectNames): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${names.name}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: ${names.name}
subjects:
  - kind: ServiceAccount
    name: ${names.name}
    namespace: ${homeOf(names)}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: ${names.name}
  namespace: ${homeOf(names)}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: ${names.name}
subjects:
  - kind: ServiceAccount
    name: ${names.name}
    namespace: ${homeOf(names)}
`;

const metricsReader = ({
  name,
}: ProjectNames): string => `# For who scrapes the metrics: bind it to Prometheus' service account.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${name}-metrics-reader
rules:
  - nonResourceURLs: [/metrics]
    verbs: [get]
`;

const deployment = (names: ProjectNames): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${names.name}
  namespace: ${homeOf(names)}
spec:
  # A second replica takes over when the first one ends: one of them leads, both answer webhooks.
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/name: ${names.name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${names.name}
    spec:
      serviceAccountName: ${names.name}
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: manager
          image: ${names.name}:latest
          ports:
            - name: webhooks
              containerPort: 9443
            - name: health
              containerPort: 8081
            - name: metrics
              containerPort: 8443
          livenessProbe:
            httpGet:
              path: /healthz
              port: health
          readinessProbe:
            httpGet:
              path: /readyz
              port: health
          resources:
            requests:
              cpu: 10m
              memory: 96Mi
            limits:
              memory: 256Mi
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
`;

const metricsService = (names: ProjectNames): string => `apiVersion: v1
kind: Service
metadata:
  name: ${names.name}-metrics
  namespace: ${homeOf(names)}
spec:
  selector:
    app.kubernetes.io/name: ${names.name}
  ports:
    - name: metrics
      port: 8443
      targetPort: metrics
`;

const webhookService = (names: ProjectNames): string => `apiVersion: v1
kind: Service
metadata:
  name: ${names.name}-webhook
  namespace: ${homeOf(names)}
spec:
  selector:
    app.kubernetes.io/name: ${names.name}
  ports:
    - name: webhooks
      port: 443
      targetPort: webhooks
`;
