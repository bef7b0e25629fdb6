import { describe, expect, it } from "vitest";
import { create, type CreateRow, moved, rowName } from "./workload-kinds.js";

const CONTAINER = "spec.containers[0]";
const INIT_CONTAINER = "spec.initContainers[0]";

/** Rules of any container; their paths are those of a pod's first. */
const RULES: readonly CreateRow[] = [
  [{}, []],
  [{ name: "" }, ["spec.containers[0].name: Required value"]],
  [
    { name: "A" },
    [
      "spec.containers[0].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ name: "a.b" }, ['spec.containers[0].name: Invalid value: "a.b": must not contain dots']],
  [
    { name: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
    [
      'spec.containers[0].name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 63 characters',
    ],
  ],
  [{ image: "" }, ["spec.containers[0].image: Required value"]],
  [{ image: " i" }, ['spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace']],
  [{ image: "i " }, ['spec.containers[0].image: Invalid value: "i ": must not have leading or trailing whitespace']],
  [
    { terminationMessagePolicy: "Log" },
    [
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "FallbackToLogsOnError"',
    ],
  ],
  [{ terminationMessagePolicy: "FallbackToLogsOnError" }, []],
  [
    { imagePullPolicy: "Sometimes" },
    [
      'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
  ],
  [{ imagePullPolicy: "Never" }, []],
  [{ ports: [{ containerPort: 0 }] }, ["spec.containers[0].ports[0].containerPort: Required value"]],
  [{ ports: [{ containerPort: 80 }] }, []],
  [
    { ports: [{ containerPort: 65536 }] },
    ["spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive"],
  ],
  [
    { ports: [{ containerPort: -1 }] },
    ["spec.containers[0].ports[0].containerPort: Invalid value: -1: must be between 1 and 65535, inclusive"],
  ],
  [
    { ports: [{ containerPort: 80, hostPort: 70000 }] },
    ["spec.containers[0].ports[0].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive"],
  ],
  [
    { ports: [{ containerPort: 80, protocol: "ICMP" }] },
    ['spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [{ ports: [{ containerPort: 80, protocol: "SCTP" }] }, []],
  [
    { ports: [{ name: "UPPER", containerPort: 80 }] },
    [
      'spec.containers[0].ports[0].name: Invalid value: "UPPER": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].ports[0].name: Invalid value: "UPPER": must contain at least one letter (a-z)',
    ],
  ],
  [
    { ports: [{ name: "123", containerPort: 80 }] },
    ['spec.containers[0].ports[0].name: Invalid value: "123": must contain at least one letter (a-z)'],
  ],
  [
    { ports: [{ name: "a--b", containerPort: 80 }] },
    ['spec.containers[0].ports[0].name: Invalid value: "a--b": must not contain consecutive hyphens'],
  ],
  [
    { ports: [{ name: "-a", containerPort: 80 }] },
    ['spec.containers[0].ports[0].name: Invalid value: "-a": must not begin or end with a hyphen'],
  ],
  [
    { ports: [{ name: "averyverylongname", containerPort: 80 }] },
    ['spec.containers[0].ports[0].name: Invalid value: "averyverylongname": must be no more than 15 characters'],
  ],
  [
    {
      ports: [
        { name: "p", containerPort: 80 },
        { name: "p", containerPort: 81 },
      ],
    },
    ['spec.containers[0].ports[1].name: Duplicate value: "p"'],
    [
      'spec.containers[0].ports[1]: duplicate port name "p" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
  [
    {
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    },
    ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    {
      ports: [
        { containerPort: 80, hostPort: 80, protocol: "UDP" },
        { containerPort: 81, hostPort: 80 },
      ],
    },
    [],
  ],
  [
    {
      ports: [
        { containerPort: 80, hostPort: 80, hostIP: "10.0.0.1" },
        { containerPort: 81, hostPort: 80, hostIP: "10.0.0.1" },
      ],
    },
    ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP/10.0.0.1/80"'],
  ],
  [{ env: [{ name: "A", value: "b" }] }, []],
  [{ env: [{ value: "b" }] }, ["spec.containers[0].env[0].name: Required value"]],
  [
    { env: [{ name: "A=B" }] },
    [
      "spec.containers[0].env[0].name: Invalid value: \"A=B\": a valid environment variable name must consist only of printable ASCII characters other than '='",
    ],
  ],
  [{ env: [{ name: "a.b-c" }] }, []],
  [
    { env: [{ name: "é" }] },
    [
      "spec.containers[0].env[0].name: Invalid value: \"é\": a valid environment variable name must consist only of printable ASCII characters other than '='",
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: {} }] },
    [
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }, []],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.labels['x']" } } }] }, []],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.labels['x y']" } } }] },
    [
      "spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['X/Y']" } } }] }, []],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nodeName['x']" } } }] },
    [
      "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.nodeName['x']\": error converting fieldPath: field label does not support subscript: spec.nodeName['x']",
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "status.nothing" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "status.nothing": error converting fieldPath: field label not supported: status.nothing',
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "" } } }] },
    ["spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Required value"],
  ],
  [
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "status.phase" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.host" } } }] }, []],
  [{ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "status.podIPs" } } }] }, []],
  [
    { env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
    ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
  ],
  [
    {
      env: [
        { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "s", key: "k" } } },
      ],
    },
    ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time'],
  ],
  [
    { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s" } } }] },
    ["spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value"],
  ],
  [
    { env: [{ name: "A", valueFrom: { secretKeyRef: { key: "k" } } }] },
    [
      "spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "S", key: "k/l" } } }] },
    [
      "spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: \"S\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.containers[0].env[0].valueFrom.secretKeyRef.key: Invalid value: \"k/l\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: ".." } } }] },
    ["spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: \"..\": must not be '..'"],
  ],
  [
    { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: "..a" } } }] },
    ["spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: \"..a\": must not start with '..'"],
  ],
  [
    { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "", key: "" } } }] },
    [
      "spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Required value",
    ],
  ],
  [
    {
      env: [
        {
          name: "A",
          valueFrom: {
            configMapKeyRef: {
              name: "c",
              key: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            },
          },
        },
      ],
    },
    [
      'spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 253 characters',
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }] }, []],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "" } } }] },
    ["spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Required value"],
  ],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.pods" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.pods": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "2" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } }] }, []],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1m" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
    ],
  ],
  [{ env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } } }] }, []],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.ephemeral-storage", divisor: "2Mi" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "3" } } }] },
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.hugepages-2Mi": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource',
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.hugepages-2Mi", divisor: "1Ki" } } }] },
    [],
  ],
  [
    { env: [{ name: "A", valueFrom: { fileKeyRef: {} } }] },
    [
      "spec.containers[0].env[0].valueFrom.fileKeyRef.key: Required value",
      "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Required value",
      "spec.containers[0].env[0].valueFrom.fileKeyRef.path: Required value",
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: ""',
    ],
  ],
  [
    { env: [{ name: "A", valueFrom: { fileKeyRef: { key: "K", volumeName: "nope", path: "p" } } }] },
    ['spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "nope"'],
  ],
  [
    { env: [{ name: "A", valueFrom: { fileKeyRef: { key: "a=b", volumeName: "UP", path: "../x" } } }] },
    [
      "spec.containers[0].env[0].valueFrom.fileKeyRef.key: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
      "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: \"UP\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: \"../x\": must not contain '..'",
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "UP"',
    ],
  ],
  [
    { envFrom: [{}] },
    ['spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`'],
  ],
  [{ envFrom: [{ configMapRef: { name: "c" } }] }, []],
  [{ envFrom: [{ configMapRef: {} }] }, ["spec.containers[0].envFrom[0].configMapRef.name: Required value"]],
  [
    { envFrom: [{ secretRef: { name: "S" } }] },
    [
      "spec.containers[0].envFrom[0].secretRef.name: Invalid value: \"S\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { envFrom: [{ secretRef: { name: "s" }, configMapRef: { name: "c" } }] },
    ['spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time'],
  ],
  [
    { envFrom: [{ prefix: "a=", secretRef: { name: "s" } }] },
    [
      "spec.containers[0].envFrom[0].prefix: Invalid value: \"a=\": a valid environment variable name must consist only of printable ASCII characters other than '='",
    ],
  ],
  [{ envFrom: [{ prefix: "p_", secretRef: { name: "s-" } }] }, []],
  [{ volumeMounts: [{ name: "d", mountPath: "/d" }] }, []],
  [
    { volumeMounts: [{ name: "none", mountPath: "/d" }] },
    ['spec.containers[0].volumeMounts[0].name: Not found: "none"'],
  ],
  [
    { volumeMounts: [{ name: "", mountPath: "" }] },
    [
      "spec.containers[0].volumeMounts[0].name: Required value",
      'spec.containers[0].volumeMounts[0].name: Not found: ""',
      "spec.containers[0].volumeMounts[0].mountPath: Required value",
    ],
  ],
  [{ volumeMounts: [{ name: "d", mountPath: "" }] }, ["spec.containers[0].volumeMounts[0].mountPath: Required value"]],
  [
    {
      volumeMounts: [
        { name: "d", mountPath: "/d" },
        { name: "p", mountPath: "/d" },
      ],
    },
    ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/d": must be unique'],
  ],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", subPath: "/abs" }] },
    ['spec.containers[0].volumeMounts.subPath: Invalid value: "/abs": must be a relative path'],
  ],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", subPath: "a/../b" }] },
    ["spec.containers[0].volumeMounts.subPath: Invalid value: \"a/../b\": must not contain '..'"],
  ],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", subPathExpr: "../b" }] },
    ["spec.containers[0].volumeMounts.subPathExpr: Invalid value: \"../b\": must not contain '..'"],
  ],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", subPath: "a", subPathExpr: "$(B)" }] },
    [
      'spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: "$(B)": subPathExpr and subPath are mutually exclusive',
    ],
  ],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", mountPropagation: "Both" }] },
    [
      'spec.containers[0].volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"',
    ],
  ],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", mountPropagation: "Bidirectional" }] },
    [
      "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
    ],
  ],
  [
    {
      volumeMounts: [{ name: "d", mountPath: "/d", mountPropagation: "Bidirectional" }],
      securityContext: { privileged: true },
    },
    [],
  ],
  [{ volumeMounts: [{ name: "d", mountPath: "/d", mountPropagation: "None" }] }, []],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", recursiveReadOnly: "Enabled" }] },
    ["spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"],
  ],
  [{ volumeMounts: [{ name: "d", mountPath: "/d", readOnly: true, recursiveReadOnly: "IfPossible" }] }, []],
  [
    { volumeMounts: [{ name: "d", mountPath: "/d", recursiveReadOnly: "Maybe" }] },
    [
      'spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "Maybe": supported values: "Disabled", "Enabled", "IfPossible"',
    ],
  ],
  [{ volumeMounts: [{ name: "d", mountPath: "/d", recursiveReadOnly: "Disabled" }] }, []],
  [
    {
      volumeMounts: [
        {
          name: "d",
          mountPath: "/d",
          readOnly: true,
          mountPropagation: "HostToContainer",
          recursiveReadOnly: "Enabled",
        },
      ],
    },
    [
      "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified",
    ],
  ],
  [{ volumeDevices: [{ name: "p", devicePath: "/dev/x" }] }, []],
  [
    { volumeDevices: [{ name: "d", devicePath: "/dev/x" }] },
    [
      'spec.containers[0].volumeDevices[0].name: Invalid value: "d": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
  ],
  [
    { volumeDevices: [{ name: "none", devicePath: "/dev/x" }] },
    ['spec.containers[0].volumeDevices[0].name: Not found: "none"'],
  ],
  [
    { volumeDevices: [{ name: "", devicePath: "" }] },
    [
      "spec.containers[0].volumeDevices[0].name: Required value",
      'spec.containers[0].volumeDevices[0].name: Not found: ""',
      "spec.containers[0].volumeDevices[0].devicePath: Required value",
    ],
  ],
  [
    { volumeDevices: [{ name: "p", devicePath: "/dev/../x" }] },
    ["spec.containers[0].volumeDevices[0].devicePath: Invalid value: \"/dev/../x\": can not contain backsteps ('..')"],
  ],
  [
    {
      volumeDevices: [
        { name: "p", devicePath: "/dev/x" },
        { name: "p", devicePath: "/dev/x" },
      ],
    },
    [
      'spec.containers[0].volumeDevices[1].name: Invalid value: "p": must be unique',
      'spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/dev/x": must be unique',
    ],
  ],
  [
    { volumeDevices: [{ name: "p", devicePath: "/dev/x" }], volumeMounts: [{ name: "p", mountPath: "/dev/x" }] },
    [
      'spec.containers[0].volumeMounts[0].name: Invalid value: "p": must not already exist in volumeDevices',
      'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/dev/x": must not already exist as a path in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "p": must not already exist in volumeMounts',
      'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/dev/x": must not already exist as a path in volumeMounts',
    ],
  ],
  [
    { resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } },
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    { resources: { limits: { cpu: "-1" } } },
    [
      'spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [{ resources: { requests: { memory: "1Gi" } } }, []],
  [
    { resources: { requests: { pods: "1" } } },
    ['spec.containers[0].resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers'],
  ],
  [
    { resources: { requests: { "bad name": "1" } } },
    [
      "spec.containers[0].resources.requests[bad name]: Invalid value: \"bad name\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.containers[0].resources.requests[bad name]: Invalid value: "bad name": must be a standard resource for containers',
    ],
  ],
  [
    { resources: { requests: { unknown: "1" } } },
    [
      'spec.containers[0].resources.requests[unknown]: Invalid value: "unknown": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[unknown]: Invalid value: "unknown": must be a standard resource for containers',
    ],
  ],
  [{ resources: { limits: { "example.com/gpu": "1" }, requests: { "example.com/gpu": "1" } } }, []],
  [
    { resources: { requests: { "example.com/gpu": "1" } } },
    ["spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"],
  ],
  [
    { resources: { limits: { "example.com/gpu": "2" }, requests: { "example.com/gpu": "1" } } },
    ['spec.containers[0].resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
  ],
  [
    { resources: { limits: { "example.com/gpu": "500m" } } },
    [
      'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
      'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
    ],
  ],
  [
    { resources: { limits: { "hugepages-2Mi": "4Mi" } } },
    ["spec.containers[0].resources: Forbidden: HugePages require cpu or memory"],
  ],
  [
    { resources: { limits: { "hugepages-2Mi": "3Mi", cpu: "1" } } },
    [
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ],
  ],
  [{ resources: { limits: { "hugepages-2Mi": "4Mi", cpu: "1" } } }, []],
  [
    { resources: { limits: { "requests.example.com/gpu": "1" } } },
    [
      'spec.containers[0].resources.limits[requests.example.com/gpu]: Invalid value: "requests.example.com/gpu": doesn\'t follow extended resource name standard',
      'spec.containers[0].resources.requests[requests.example.com/gpu]: Invalid value: "requests.example.com/gpu": doesn\'t follow extended resource name standard',
    ],
  ],
  [{ resources: { limits: { "kubernetes.io/x": "1" } } }, []],
  [{ resources: { claims: [{ name: "r" }] } }, []],
  [
    { resources: { claims: [{ name: "none" }] } },
    [
      'spec.containers[0].resources.claims[0]: Not found: "none": must be one of the names in pod.spec.resourceClaims: r',
    ],
  ],
  [{ resources: { claims: [{ name: "" }] } }, ["spec.containers[0].resources.claims[0]: Required value"]],
  [
    { resources: { claims: [{ name: "r" }, { name: "r" }] } },
    ['spec.containers[0].resources.claims[1]: Duplicate value: "r"'],
  ],
  [
    {
      resources: {
        claims: [
          { name: "r", request: "a" },
          { name: "r", request: "b" },
        ],
      },
    },
    [],
  ],
  [
    {
      resources: {
        claims: [
          { name: "r", request: "a" },
          { name: "r", request: "a" },
        ],
      },
    },
    ['spec.containers[0].resources.claims[1]: Duplicate value: "r/a"'],
  ],
  [
    { resources: { claims: [{ name: "r", request: "a" }, { name: "r" }] } },
    ['spec.containers[0].resources.claims[1]: Duplicate value: "r"'],
  ],
  [
    { resources: { claims: [{ name: "r", request: "A" }] } },
    [
      "spec.containers[0].resources.claims[0].request: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { securityContext: { runAsUser: -1 } },
    ["spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
  ],
  [
    { securityContext: { runAsGroup: 2147483648 } },
    [
      "spec.containers[0].securityContext.runAsGroup: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive",
    ],
  ],
  [{ securityContext: { runAsUser: 0 } }, []],
  [
    { securityContext: { procMount: "Strange" } },
    [
      'spec.containers[0].securityContext.procMount: Unsupported value: "Strange": supported values: "Default", "Unmasked"',
    ],
  ],
  [
    { securityContext: { procMount: "Unmasked" } },
    [
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ],
  ],
  [{ securityContext: { procMount: "Default" } }, []],
  [
    { securityContext: { allowPrivilegeEscalation: false, privileged: true } },
    [
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ],
  ],
  [
    { securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } } },
    [
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
    ],
  ],
  [{ securityContext: { allowPrivilegeEscalation: false } }, []],
  [
    { securityContext: { seccompProfile: {} } },
    [
      "spec.containers[0].securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set",
    ],
  ],
  [
    { securityContext: { seccompProfile: { type: "Other" } } },
    [
      'spec.containers[0].securityContext.seccompProfile.type: Unsupported value: "Other": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  ],
  [
    { securityContext: { seccompProfile: { type: "Localhost" } } },
    [
      "spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    ],
  ],
  [
    { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "/abs" } } },
    [
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "/abs": must be a relative path',
    ],
  ],
  [
    { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "../up" } } },
    [
      "spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: \"../up\": must not contain '..'",
    ],
  ],
  [
    { securityContext: { seccompProfile: { type: "RuntimeDefault", localhostProfile: "x" } } },
    [
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":"x"}: can only be set when seccomp type is Localhost',
    ],
  ],
  [{ securityContext: { seccompProfile: { type: "RuntimeDefault" } } }, []],
  [
    { securityContext: { appArmorProfile: {} } },
    [
      "spec.containers[0].securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set",
    ],
  ],
  [
    { securityContext: { appArmorProfile: { type: "Other" } } },
    [
      'spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "Other": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  ],
  [
    { securityContext: { appArmorProfile: { type: "Localhost" } } },
    [
      "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost",
    ],
  ],
  [
    { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: " x" } } },
    [
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace',
    ],
  ],
  [
    { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "" } } },
    [
      "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost",
    ],
  ],
  [
    { securityContext: { appArmorProfile: { type: "Unconfined", localhostProfile: "x" } } },
    [
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
    ],
  ],
  [{ securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "ok" } } }, []],
  [
    { securityContext: { windowsOptions: { gmsaCredentialSpecName: "A" } } },
    [
      "spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { securityContext: { windowsOptions: { gmsaCredentialSpec: "" } } },
    [
      'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
    ],
  ],
  [
    { securityContext: { windowsOptions: { runAsUserName: "" } } },
    [
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
    ],
  ],
  [
    { securityContext: { windowsOptions: { runAsUserName: "a\\b\\c" } } },
    [
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
    ],
  ],
  [
    { securityContext: { windowsOptions: { runAsUserName: "dom\\us*er" } } },
    [
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "dom\\\\us*er": runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
    ],
  ],
  [
    { securityContext: { windowsOptions: { runAsUserName: "..." } } },
    [
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "...": runAsUserName\'s User cannot contain only periods or spaces',
    ],
  ],
  [{ securityContext: { windowsOptions: { runAsUserName: "NT AUTHORITY\\SYSTEM" } } }, []],
  [
    { securityContext: { windowsOptions: { runAsUserName: "do/m\\" } } },
    [
      "spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: \"do/m\\\\\": runAsUserName's Domain doesn't match the NetBios nor the DNS format",
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "do/m\\\\": runAsUserName\'s User cannot be empty',
    ],
  ],
];

/** What only containers that stay have: probes, hooks, how they are started again; and what is said of all of them together. */
const CONTAINER_ROWS: readonly CreateRow[] = [
  [{ livenessProbe: {} }, ["spec.containers[0].livenessProbe: Required value: must specify a handler type"]],
  [{ livenessProbe: { exec: { command: ["ls"] } } }, []],
  [{ livenessProbe: { exec: {} } }, ["spec.containers[0].livenessProbe.exec.command: Required value"]],
  [{ livenessProbe: { httpGet: { port: 80 } } }, []],
  [
    { livenessProbe: { httpGet: { port: 0 } } },
    ["spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [{ livenessProbe: { httpGet: { port: "web" } } }, []],
  [
    { livenessProbe: { httpGet: { port: "WEB" } } },
    [
      'spec.containers[0].livenessProbe.httpGet.port: Invalid value: "WEB": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].livenessProbe.httpGet.port: Invalid value: "WEB": must contain at least one letter (a-z)',
    ],
  ],
  [
    { livenessProbe: { httpGet: { port: 80, scheme: "FTP" } } },
    ['spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"'],
  ],
  [
    { livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: "X Y", value: "z" }] } } },
    [
      "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"X Y\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    ],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 70000 } } },
    ["spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: 70000: must be between 1 and 65535, inclusive"],
  ],
  [
    { livenessProbe: { grpc: { port: 0 } } },
    ["spec.containers[0].livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [{ livenessProbe: { grpc: { port: 5000 } } }, []],
  [
    { livenessProbe: { exec: { command: ["ls"] }, tcpSocket: { port: 1 } } },
    ["spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 1 }, initialDelaySeconds: -1 } },
    ["spec.containers[0].livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 1 }, timeoutSeconds: -1, periodSeconds: -2, failureThreshold: -3 } },
    [
      "spec.containers[0].livenessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.containers[0].livenessProbe.periodSeconds: Invalid value: -2: must be greater than or equal to 0",
      "spec.containers[0].livenessProbe.failureThreshold: Invalid value: -3: must be greater than or equal to 0",
    ],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } },
    ["spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 1 }, successThreshold: -1 } },
    [
      "spec.containers[0].livenessProbe.successThreshold: Invalid value: -1: must be greater than or equal to 0",
      "spec.containers[0].livenessProbe.successThreshold: Invalid value: -1: must be 1",
    ],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 0 } },
    ["spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0"],
  ],
  [{ livenessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 } }, []],
  [{ readinessProbe: {} }, ["spec.containers[0].readinessProbe: Required value: must specify a handler type"]],
  [{ readinessProbe: { exec: { command: ["ls"] } } }, []],
  [{ readinessProbe: { exec: {} } }, ["spec.containers[0].readinessProbe.exec.command: Required value"]],
  [{ readinessProbe: { httpGet: { port: 80 } } }, []],
  [
    { readinessProbe: { httpGet: { port: 0 } } },
    ["spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [{ readinessProbe: { httpGet: { port: "web" } } }, []],
  [
    { readinessProbe: { httpGet: { port: "WEB" } } },
    [
      'spec.containers[0].readinessProbe.httpGet.port: Invalid value: "WEB": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].readinessProbe.httpGet.port: Invalid value: "WEB": must contain at least one letter (a-z)',
    ],
  ],
  [
    { readinessProbe: { httpGet: { port: 80, scheme: "FTP" } } },
    ['spec.containers[0].readinessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"'],
  ],
  [
    { readinessProbe: { httpGet: { port: 80, httpHeaders: [{ name: "X Y", value: "z" }] } } },
    [
      "spec.containers[0].readinessProbe.httpGet.httpHeaders: Invalid value: \"X Y\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    ],
  ],
  [
    { readinessProbe: { tcpSocket: { port: 70000 } } },
    ["spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: 70000: must be between 1 and 65535, inclusive"],
  ],
  [
    { readinessProbe: { grpc: { port: 0 } } },
    ["spec.containers[0].readinessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [{ readinessProbe: { grpc: { port: 5000 } } }, []],
  [
    { readinessProbe: { exec: { command: ["ls"] }, tcpSocket: { port: 1 } } },
    ["spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
  ],
  [
    { readinessProbe: { tcpSocket: { port: 1 }, initialDelaySeconds: -1 } },
    ["spec.containers[0].readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { readinessProbe: { tcpSocket: { port: 1 }, timeoutSeconds: -1, periodSeconds: -2, failureThreshold: -3 } },
    [
      "spec.containers[0].readinessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.containers[0].readinessProbe.periodSeconds: Invalid value: -2: must be greater than or equal to 0",
      "spec.containers[0].readinessProbe.failureThreshold: Invalid value: -3: must be greater than or equal to 0",
    ],
  ],
  [{ readinessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }, []],
  [
    { readinessProbe: { tcpSocket: { port: 1 }, successThreshold: -1 } },
    ["spec.containers[0].readinessProbe.successThreshold: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 0 } },
    [
      "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
      "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set for readinessProbes",
    ],
  ],
  [
    { readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 } },
    [
      "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes",
    ],
  ],
  [{ startupProbe: {} }, ["spec.containers[0].startupProbe: Required value: must specify a handler type"]],
  [{ startupProbe: { exec: { command: ["ls"] } } }, []],
  [{ startupProbe: { exec: {} } }, ["spec.containers[0].startupProbe.exec.command: Required value"]],
  [{ startupProbe: { httpGet: { port: 80 } } }, []],
  [
    { startupProbe: { httpGet: { port: 0 } } },
    ["spec.containers[0].startupProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [{ startupProbe: { httpGet: { port: "web" } } }, []],
  [
    { startupProbe: { httpGet: { port: "WEB" } } },
    [
      'spec.containers[0].startupProbe.httpGet.port: Invalid value: "WEB": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].startupProbe.httpGet.port: Invalid value: "WEB": must contain at least one letter (a-z)',
    ],
  ],
  [
    { startupProbe: { httpGet: { port: 80, scheme: "FTP" } } },
    ['spec.containers[0].startupProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"'],
  ],
  [
    { startupProbe: { httpGet: { port: 80, httpHeaders: [{ name: "X Y", value: "z" }] } } },
    [
      "spec.containers[0].startupProbe.httpGet.httpHeaders: Invalid value: \"X Y\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    ],
  ],
  [
    { startupProbe: { tcpSocket: { port: 70000 } } },
    ["spec.containers[0].startupProbe.tcpSocket.port: Invalid value: 70000: must be between 1 and 65535, inclusive"],
  ],
  [
    { startupProbe: { grpc: { port: 0 } } },
    ["spec.containers[0].startupProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [{ startupProbe: { grpc: { port: 5000 } } }, []],
  [
    { startupProbe: { exec: { command: ["ls"] }, tcpSocket: { port: 1 } } },
    ["spec.containers[0].startupProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
  ],
  [
    { startupProbe: { tcpSocket: { port: 1 }, initialDelaySeconds: -1 } },
    ["spec.containers[0].startupProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { startupProbe: { tcpSocket: { port: 1 }, timeoutSeconds: -1, periodSeconds: -2, failureThreshold: -3 } },
    [
      "spec.containers[0].startupProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.containers[0].startupProbe.periodSeconds: Invalid value: -2: must be greater than or equal to 0",
      "spec.containers[0].startupProbe.failureThreshold: Invalid value: -3: must be greater than or equal to 0",
    ],
  ],
  [
    { startupProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } },
    ["spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1"],
  ],
  [
    { startupProbe: { tcpSocket: { port: 1 }, successThreshold: -1 } },
    [
      "spec.containers[0].startupProbe.successThreshold: Invalid value: -1: must be greater than or equal to 0",
      "spec.containers[0].startupProbe.successThreshold: Invalid value: -1: must be 1",
    ],
  ],
  [
    { startupProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 0 } },
    ["spec.containers[0].startupProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0"],
  ],
  [{ startupProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 } }, []],
  [
    { lifecycle: { postStart: {} } },
    ["spec.containers[0].lifecycle.postStart: Required value: must specify a handler type"],
  ],
  [{ lifecycle: { postStart: { exec: { command: ["ls"] } } } }, []],
  [{ lifecycle: { postStart: { exec: {} } } }, ["spec.containers[0].lifecycle.postStart.exec.command: Required value"]],
  [{ lifecycle: { postStart: { sleep: { seconds: 5 } } } }, []],
  [
    { lifecycle: { postStart: { sleep: { seconds: -5 } } } },
    [
      "spec.containers[0].lifecycle.postStart.sleep: Invalid value: -5: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    { lifecycle: { postStart: { sleep: { seconds: 31 } } } },
    [
      "spec.containers[0].lifecycle.postStart.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    { lifecycle: { postStart: { httpGet: { port: -1, path: "/x" } } } },
    ["spec.containers[0].lifecycle.postStart.httpGet.port: Invalid value: -1: must be between 1 and 65535, inclusive"],
  ],
  [
    { lifecycle: { postStart: { exec: { command: ["x"] }, sleep: { seconds: 1 } } } },
    ["spec.containers[0].lifecycle.postStart.sleep: Forbidden: may not specify more than 1 handler type"],
  ],
  [
    { lifecycle: { preStop: {} } },
    ["spec.containers[0].lifecycle.preStop: Required value: must specify a handler type"],
  ],
  [{ lifecycle: { preStop: { exec: { command: ["ls"] } } } }, []],
  [{ lifecycle: { preStop: { exec: {} } } }, ["spec.containers[0].lifecycle.preStop.exec.command: Required value"]],
  [{ lifecycle: { preStop: { sleep: { seconds: 5 } } } }, []],
  [
    { lifecycle: { preStop: { sleep: { seconds: -5 } } } },
    [
      "spec.containers[0].lifecycle.preStop.sleep: Invalid value: -5: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
    [
      "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    { lifecycle: { preStop: { httpGet: { port: -1, path: "/x" } } } },
    ["spec.containers[0].lifecycle.preStop.httpGet.port: Invalid value: -1: must be between 1 and 65535, inclusive"],
  ],
  [
    { lifecycle: { preStop: { exec: { command: ["x"] }, sleep: { seconds: 1 } } } },
    ["spec.containers[0].lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler type"],
  ],
  [{ resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] }, []],
  [
    { resizePolicy: [{ resourceName: "disk", restartPolicy: "NotRequired" }] },
    ['spec.containers[0].resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"'],
  ],
  [
    { resizePolicy: [{ resourceName: "cpu", restartPolicy: "Now" }] },
    ['spec.containers[0].resizePolicy: Unsupported value: "Now": supported values: "NotRequired", "RestartContainer"'],
  ],
  [
    { resizePolicy: [{ resourceName: "", restartPolicy: "" }] },
    ["spec.containers[0].resizePolicy: Required value", "spec.containers[0].resizePolicy: Required value"],
  ],
  [
    {
      resizePolicy: [
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "cpu", restartPolicy: "NotRequired" },
      ],
    },
    ['spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"'],
  ],
  [{ restartPolicy: "Never" }, []],
  [
    { restartPolicy: "Sometimes" },
    [
      'spec.containers[0].restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
    ],
  ],
  [
    { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }] },
    ["spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
  ],
  [
    { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }] },
    [],
  ],
  [
    { restartPolicy: "Never", restartPolicyRules: [{ action: "Stop", exitCodes: { operator: "Is", values: [1] } }] },
    [
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
      'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Is": supported values: "In", "NotIn"',
    ],
  ],
  [
    { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }] },
    ["spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified"],
  ],
  [
    {
      restartPolicy: "Never",
      restartPolicyRules: [
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
        { action: "Restart", exitCodes: { operator: "In", values: [1] } },
      ],
    },
    ["spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items"],
  ],
  [
    { securityContext: { windowsOptions: { hostProcess: true } } },
    ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
  ],
];

const INIT_CONTAINER_ROWS: readonly CreateRow[] = [
  [{ name: "c" }, ['spec.initContainers[0].name: Duplicate value: "c"']],
  [
    { lifecycle: { preStop: { exec: { command: ["x"] } } } },
    ["spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always"],
  ],
  [
    { livenessProbe: { tcpSocket: { port: 1 } } },
    [
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  ],
  [
    { readinessProbe: { tcpSocket: { port: 1 } } },
    [
      "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  ],
  [
    { startupProbe: { tcpSocket: { port: 1 } } },
    ["spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always"],
  ],
  [
    {
      restartPolicy: "Always",
      livenessProbe: { tcpSocket: { port: 1 } },
      lifecycle: { preStop: { exec: { command: ["x"] } } },
    },
    [],
  ],
  [
    { restartPolicy: "Always", readinessProbe: {} },
    ["spec.initContainers[0].readinessProbe: Required value: must specify a handler type"],
  ],
  [{ restartPolicy: "Never" }, []],
  [{ restartPolicy: "OnFailure" }, []],
  [
    { restartPolicy: "X" },
    ['spec.initContainers[0].restartPolicy: Unsupported value: "X": supported values: "Always", "Never", "OnFailure"'],
  ],
  [
    { restartPolicyRules: [{ action: "Restart" }] },
    ["spec.initContainers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
  ],
  [
    {
      restartPolicy: "Never",
      restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "NotIn", values: [0] } }],
    },
    [],
  ],
  [
    { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
    [
      "spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers",
    ],
  ],
  [{ restartPolicy: "Always", resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }, []],
  [
    { image: " x" },
    ['spec.initContainers[0].image: Invalid value: " x": must not have leading or trailing whitespace'],
  ],
  [
    {
      ports: [
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 81, hostPort: 8080 },
      ],
    },
    ['spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//8080"'],
  ],
  [{ volumeMounts: [{ name: "q", mountPath: "/q" }] }, ['spec.initContainers[0].volumeMounts[0].name: Not found: "q"']],
];

const named = (rows: readonly CreateRow[]) => rows.map((row) => [rowName(row[0]), row] as const);

describe.each([
  ["a container", "container", CONTAINER, CONTAINER_ROWS],
  ["an init container", "initContainer", INIT_CONTAINER, INIT_CONTAINER_ROWS],
] as const)("validation of %s of a pod", (_, kind, path, own) => {
  it.each(named(RULES))(
    "returns the errors that all kinds of containers share: %s",
    (__, [fields, errors, warnings = []]) => {
      const expected = { errors: moved(errors, CONTAINER, path), warnings: moved(warnings, CONTAINER, path) };
      expect(create(kind, fields)).toEqual(expected);
    },
  );
  it.each(named(own))(
    "returns the errors of this kind of container alone: %s",
    (__, [fields, errors, warnings = []]) => {
      expect(create(kind, fields)).toEqual({ errors, warnings });
    },
  );
});
