import { describe, expect, it } from "vitest";
import { type ChangeRow, change, rowName } from "./workload-kinds.js";

const POD_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { containers: [{ name: "c", image: "j" }] }, []],
  [
    {},
    { containers: [{ name: "c", image: "" }] },
    [
      "spec.containers[0].image: Required value",
      "spec.containers[0].image: Required value",
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -27,7 +27,7 @@\n    "Lifecycle": null,\n    "TerminationMessagePath": "/dev/termination-log",\n    "TerminationMessagePolicy": "File",\n-   "ImagePullPolicy": "Always",\n+   "ImagePullPolicy": "IfNotPresent",\n    "SecurityContext": null,\n    "Stdin": false,\n    "StdinOnce": false,\n',
    ],
  ],
  [
    {},
    {
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "i" },
      ],
    },
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
  ],
  [
    {},
    { containers: [{ name: "c", image: "i", command: ["x"] }] },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -5,7 +5,9 @@\n   {\n    "Name": "c",\n    "Image": "i",\n-   "Command": null,\n+   "Command": [\n+    "x"\n+   ],\n    "Args": null,\n    "WorkingDir": "",\n    "Ports": null,\n',
    ],
  ],
  [
    {},
    { nodeName: "n" },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -42,7 +42,7 @@\n  "NodeSelector": null,\n  "ServiceAccountName": "",\n  "AutomountServiceAccountToken": null,\n- "NodeName": "",\n+ "NodeName": "n",\n  "SecurityContext": {\n   "HostNetwork": false,\n   "HostPID": false,\n',
    ],
  ],
  [
    {},
    { restartPolicy: "Never" },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -35,7 +35,7 @@\n   }\n  ],\n  "EphemeralContainers": null,\n- "RestartPolicy": "Always",\n+ "RestartPolicy": "Never",\n  "TerminationGracePeriodSeconds": 30,\n  "ActiveDeadlineSeconds": null,\n  "DNSPolicy": "ClusterFirst",\n',
    ],
  ],
  [{}, { activeDeadlineSeconds: 5 }, []],
  [
    { activeDeadlineSeconds: 5 },
    {},
    ["spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"],
  ],
  [
    { activeDeadlineSeconds: 5 },
    { activeDeadlineSeconds: 6 },
    ["spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"],
  ],
  [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }, []],
  [
    {},
    { activeDeadlineSeconds: -1 },
    [
      "spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive",
      "spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ],
  ],
  [{}, { tolerations: [{ key: "a", operator: "Exists" }] }, []],
  [
    { tolerations: [{ key: "a", operator: "Exists" }] },
    {},
    ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
  ],
  [
    { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }] },
    { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 3 }] },
    [],
  ],
  [{ schedulingGates: [{ name: "g" }] }, {}, []],
  [
    {},
    { schedulingGates: [{ name: "g" }] },
    ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
  ],
  [
    { schedulingGates: [{ name: "g" }] },
    { schedulingGates: [{ name: "h" }] },
    ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'"],
  ],
  [{ schedulingGates: [{ name: "g" }] }, { schedulingGates: [{ name: "g" }], nodeSelector: { a: "b" } }, []],
  [
    { schedulingGates: [{ name: "g" }], nodeSelector: { a: "b" } },
    { schedulingGates: [{ name: "g" }], nodeSelector: { a: "c" } },
    [
      'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
  ],
  [
    {},
    { nodeSelector: { a: "b" } },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -39,7 +39,9 @@\n  "TerminationGracePeriodSeconds": 30,\n  "ActiveDeadlineSeconds": null,\n  "DNSPolicy": "ClusterFirst",\n- "NodeSelector": null,\n+ "NodeSelector": {\n+  "a": "b"\n+ },\n  "ServiceAccountName": "",\n  "AutomountServiceAccountToken": null,\n  "NodeName": "",\n',
    ],
  ],
  [{ terminationGracePeriodSeconds: -1 }, { terminationGracePeriodSeconds: 1 }, []],
  [
    {},
    { terminationGracePeriodSeconds: 1 },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -36,7 +36,7 @@\n  ],\n  "EphemeralContainers": null,\n  "RestartPolicy": "Always",\n- "TerminationGracePeriodSeconds": 30,\n+ "TerminationGracePeriodSeconds": 1,\n  "ActiveDeadlineSeconds": null,\n  "DNSPolicy": "ClusterFirst",\n  "NodeSelector": null,\n',
    ],
  ],
  [
    {},
    { hostNetwork: true },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -44,7 +44,7 @@\n  "AutomountServiceAccountToken": null,\n  "NodeName": "",\n  "SecurityContext": {\n-  "HostNetwork": false,\n+  "HostNetwork": true,\n   "HostPID": false,\n   "HostIPC": false,\n   "ShareProcessNamespace": null,\n',
    ],
  ],
  [
    {},
    { initContainers: [{ name: "x", image: "i" }] },
    ["spec.initContainers: Forbidden: pod updates may not add or remove containers"],
  ],
  [{ initContainers: [{ name: "x", image: "i" }] }, { initContainers: [{ name: "x", image: "j" }] }, []],
  [
    {},
    { volumes: [{ name: "v", emptyDir: {} }] },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -1,5 +1,42 @@\n {\n- "Volumes": null,\n+ "Volumes": [\n+  {\n+   "Name": "v",\n+   "HostPath": null,\n+   "EmptyDir": {\n+    "Medium": "",\n+    "SizeLimit": null\n+   },\n+   "GCEPersistentDisk": null,\n+   "AWSElasticBlockStore": null,\n+   "GitRepo": null,\n+   "Secret": null,\n+   "NFS": null,\n+   "ISCSI": null,\n+   "Glusterfs": null,\n+   "PersistentVolumeClaim": null,\n+   "RBD": null,\n+   "Quobyte": null,\n+   "FlexVolume": null,\n+   "Cinder": null,\n+   "CephFS": null,\n+   "Flocker": null,\n+   "DownwardAPI": null,\n+   "FC": null,\n+   "AzureFile": null,\n+   "ConfigMap": null,\n+   "VsphereVolume": null,\n+   "AzureDisk": null,\n+   "PhotonPersistentDisk": null,\n+   "Projected": null,\n+   "PortworxVolume": null,\n+   "ScaleIO": null,\n+   "StorageOS": null,\n+   "CSI": null,\n+   "Ephemeral": null,\n+   "Image": null\n+  }\n+ ],\n  "InitContainers": null,\n  "Containers": [\n   {\n',
    ],
  ],
  [
    {},
    { priority: 5 },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -72,7 +72,7 @@\n  "Tolerations": null,\n  "HostAliases": null,\n  "PriorityClassName": "",\n- "Priority": null,\n+ "Priority": 5,\n  "PreemptionPolicy": null,\n  "DNSConfig": null,\n  "ReadinessGates": null,\n',
    ],
  ],
  [
    {},
    { hostname: "h", subdomain: "s" },
    [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -64,8 +64,8 @@\n   "SELinuxChangePolicy": null\n  },\n  "ImagePullSecrets": null,\n- "Hostname": "",\n- "Subdomain": "",\n+ "Hostname": "h",\n+ "Subdomain": "s",\n  "SetHostnameAsFQDN": null,\n  "Affinity": null,\n  "SchedulerName": "default-scheduler",\n',
    ],
  ],
  [
    { tolerations: [{ key: "a", operator: "Gt", value: "5" }] },
    {
      tolerations: [
        { key: "a", operator: "Gt", value: "5" },
        { key: "b", operator: "Exists" },
      ],
    },
    [],
  ],
  [
    { schedulingGates: [{ name: "g" }] },
    {
      schedulingGates: [{ name: "g" }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
          },
        },
      },
    },
    [],
  ],
  [
    {
      schedulingGates: [{ name: "g" }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
          },
        },
      },
    },
    { schedulingGates: [{ name: "g" }] },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed",
    ],
  ],
];

const POD_STATUS_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [
    {},
    { conditions: [{ type: "a b", status: "True" }] },
    [
      "status.conditions[0].Type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {},
    { conditions: [{ type: "Ready", status: "True", observedGeneration: -1 }] },
    ["status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer"],
  ],
  [{}, { observedGeneration: -1 }, ["status.observedGeneration: Invalid value: -1: must be a non-negative integer"]],
  [
    { qosClass: "BestEffort" },
    { qosClass: "Burstable" },
    ['status.qosClass: Invalid value: "Burstable": field is immutable'],
  ],
  [
    {},
    { nominatedNodeName: "N" },
    [
      "status.nominatedNodeName: Invalid value: \"N\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [{}, { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }] }, []],
  [
    {},
    { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }, { ip: "1.2.3.5" }] },
    [
      'status.podIPs: Invalid value: [{"IP":"1.2.3.4"},{"IP":"1.2.3.5"}]: may specify no more than one IP for each IP family',
    ],
  ],
  [{}, { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }, { ip: "fd00::1" }] }, []],
  [
    {},
    { podIP: "x", podIPs: [{ ip: "x" }] },
    ['status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    {},
    { hostIP: "1.1.1.1", hostIPs: [{ ip: "1.1.1.2" }] },
    ['status.hostIPs[0].ip: Invalid value: "1.1.1.2": must be equal to `hostIP`'],
  ],
  [
    { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 1 } } }] },
    { containerStatuses: [{ name: "c", state: { running: {} } }] },
    [],
  ],
  [
    { ephemeralContainerStatuses: [{ name: "e", state: { terminated: { exitCode: 1 } } }] },
    { ephemeralContainerStatuses: [{ name: "e", state: { running: {} } }] },
    ["status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
  ],
  [
    {},
    { resourceClaimStatuses: [{ name: "x" }, { name: "x", resourceClaimName: "N" }] },
    [
      'status.resourceClaimStatuses[0].name: Invalid value: "x": must match the name of an entry in `spec.resourceClaims`',
      'status.resourceClaimStatuses[1].name: Invalid value: "x": must match the name of an entry in `spec.resourceClaims`',
      'status.resourceClaimStatuses[1].name: Duplicate value: "x"',
      "status.resourceClaimStatuses[1].resourceClaimName: Invalid value: \"N\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
];

const POD_NEVER_STATUS_ROWS: readonly ChangeRow[] = [
  [
    { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 1 } } }] },
    { containerStatuses: [{ name: "c", state: { running: {} } }] },
    ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
  ],
  [
    { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 0 } } }] },
    { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 0 } } }] },
    [],
  ],
  [
    { initContainerStatuses: [{ name: "i", state: { terminated: { exitCode: 1 } } }] },
    { initContainerStatuses: [{ name: "i", state: { running: {} } }] },
    ["status.initContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
  ],
];

describe("validation of an update of a pod", () => {
  it.each(POD_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "returns kube-apiserver's errors for a changed spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("podUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(POD_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "returns kube-apiserver's errors for a changed status: %s",
    (_, [old, changed, errors]) => {
      expect(change("podStatus", old, changed)).toEqual(errors);
    },
  );
  it.each(POD_NEVER_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "returns kube-apiserver's errors for the changed status of a pod that never restarts: %s",
    (_, [old, changed, errors]) => {
      expect(change("podNeverStatus", old, changed)).toEqual(errors);
    },
  );
});
