/** Examples of manifests that can be applied unchanged, by kind, of the group apps. */
export const apps: Readonly<Record<string, string>> = {
  ControllerRevision: `# The controllers of StatefulSets and DaemonSets keep their history in these; they are not written by hand.
apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: web-1
revision: 1
data:
  spec:
    template:
      metadata:
        labels:
          app: web
`,
  DaemonSet: `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: node-agent
spec:
  selector:
    matchLabels:
      app: node-agent
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 1
  template:
    metadata:
      labels:
        app: node-agent
    spec:
      tolerations:
      - key: node-role.kubernetes.io/control-plane
        operator: Exists
        effect: NoSchedule
      containers:
      - name: agent
        image: busybox:1.37
        command: ["sleep", "infinity"]
`,
  Deployment: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
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
  ReplicaSet: `# A Deployment makes these, one for each version of its template.
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-v1
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
      version: v1
  template:
    metadata:
      labels:
        app: web
        version: v1
    spec:
      containers:
      - name: web
        image: nginx:1.29
`,
  StatefulSet: `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: database
spec:
  serviceName: database   # a headless Service of this name gives each pod a DNS name
  replicas: 2
  selector:
    matchLabels:
      app: database
  template:
    metadata:
      labels:
        app: database
    spec:
      terminationGracePeriodSeconds: 60
      containers:
      - name: postgres
        image: postgres:18
        env:
        - name: POSTGRES_PASSWORD
          value: change-me
        ports:
        - name: postgres
          containerPort: 5432
        volumeMounts:
        - name: data
          mountPath: /var/lib/postgresql
  volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes: ["ReadWriteOnce"]
      resources:
        requests:
          storage: 10Gi
`,
};
