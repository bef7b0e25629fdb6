/** A folder of files, and the kustomization in it that is built. */
export interface Tree {
  readonly name: string;
  /** Where the kustomization is; "." by default. */
  readonly dir?: string;
  /** Files in txtar's form: `-- path --` and then the text. */
  readonly files: string;
}

/** The files of a tree, by path. */
export function filesOf({ files }: Tree): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const parts = files.split(/^-- (\S+) --\n/m);
  for (let index = 1; index < parts.length; index += 2) found.set(parts[index] ?? "", parts[index + 1] ?? "");
  return found;
}

/** A deployment to work on, as most trees have one. */
export const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      initContainers:
      - name: init
        image: busybox:1.36
      containers:
      - name: main
        image: nginx:1.25
        ports:
        - containerPort: 80
        - containerPort: 443
          protocol: TCP
        env:
        - name: MODE
          value: plain
        envFrom:
        - configMapRef:
            name: settings
        - secretRef:
            name: login
      - name: side
        image: registry.example.com:5000/team/side@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3
      volumes:
      - name: config
        configMap:
          name: settings
      - name: data
        persistentVolumeClaim:
          claimName: data
      serviceAccountName: runner
`;

export const service = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
  - port: 80
    targetPort: 8080
`;

export const configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue
  size: "10"
`;
