/** Examples of manifests that can be applied unchanged, by kind, of the core group. */
export const core: Readonly<Record<string, string>> = {
  ConfigMap: `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  LOG_LEVEL: info
  app.properties: |
    greeting=hello
    retries=3
`,
  Endpoints: `# Deprecated: EndpointSlice takes its place.
apiVersion: v1
kind: Endpoints
metadata:
  name: legacy-database
subsets:
- addresses:
  - ip: 192.0.2.10
  ports:
  - name: postgres
    port: 5432
`,
  Event: `apiVersion: v1
kind: Event
metadata:
  name: settings.checked
  namespace: default
involvedObject:
  apiVersion: v1
  kind: ConfigMap
  name: settings
  namespace: default
reason: Checked
message: The settings were read and are complete
type: Normal
source:
  component: settings-checker
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
count: 1
`,
  LimitRange: `apiVersion: v1
kind: LimitRange
metadata:
  name: container-sizes
spec:
  limits:
  - type: Container
    default:          # limits of containers that set none
      cpu: 500m
      memory: 256Mi
    defaultRequest:   # requests of containers that set none
      cpu: 100m
      memory: 128Mi
    max:
      memory: 1Gi
`,
  Namespace: `apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels:
    pod-security.kubernetes.io/warn: baseline
`,
  Node: `# A kubelet registers its own node; a node made by hand is not ready until its kubelet starts.
apiVersion: v1
kind: Node
metadata:
  name: worker-7
  labels:
    topology.kubernetes.io/zone: zone-a
spec:
  podCIDR: 10.244.7.0/24
`,
  PersistentVolume: `apiVersion: v1
kind: PersistentVolume
metadata:
  name: archive
spec:
  capacity:
    storage: 10Gi
  accessModes:
  - ReadWriteMany
  persistentVolumeReclaimPolicy: Retain
  storageClassName: manual
  nfs:
    server: nfs.example.com
    path: /archive
`,
  PersistentVolumeClaim: `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: uploads
spec:
  accessModes:
  - ReadWriteOnce
  resources:
    requests:
      storage: 5Gi
  # without storageClassName the cluster's default class is used
`,
  Pod: `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels:
    app: web
spec:
  containers:
  - name: web
    image: nginx:1.29
    ports:
    - name: http
      containerPort: 80
    readinessProbe:
      httpGet:
        path: /
        port: http
    resources:
      requests:
        cpu: 100m
        memory: 64Mi
      limits:
        memory: 128Mi
`,
  PodTemplate: `apiVersion: v1
kind: PodTemplate
metadata:
  name: worker
template:
  metadata:
    labels:
      app: worker
  spec:
    containers:
    - name: worker
      image: busybox:1.37
      command: ["sleep", "infinity"]
`,
  ReplicationController: `# An older form of ReplicaSet; new applications use a Deployment.
apiVersion: v1
kind: ReplicationController
metadata:
  name: web
spec:
  replicas: 2
  selector:
    app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: nginx:1.29
`,
  ResourceQuota: `apiVersion: v1
kind: ResourceQuota
metadata:
  name: team
spec:
  hard:
    requests.cpu: "4"
    requests.memory: 8Gi
    limits.memory: 16Gi
    pods: "20"
    count/jobs.batch: "10"
`,
  Secret: `apiVersion: v1
kind: Secret
metadata:
  name: database
type: Opaque
stringData:   # the server stores it base64-encoded under data
  username: app
  password: change-me
`,
  Service: `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
  - name: http
    port: 80
    targetPort: http
`,
  ServiceAccount: `apiVersion: v1
kind: ServiceAccount
metadata:
  name: robot
automountServiceAccountToken: false
`,
};
