import { describe, expect, it } from "vitest";
import { create, type CreateRow, rowName } from "./workload-kinds.js";

const POD_SPEC_ROWS: readonly CreateRow[] = [
  [{}, []],
  [{ containers: [] }, ["spec.containers: Required value"]],
  [
    {
      containers: [
        { name: "c", image: "i" },
        { name: "c", image: "i" },
      ],
    },
    ['spec.containers[1].name: Duplicate value: "c"'],
  ],
  [
    {
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "v", emptyDir: {} },
      ],
    },
    ['spec.volumes[1].name: Duplicate value: "v"'],
  ],
  [
    { restartPolicy: "Sometimes" },
    ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
  ],
  [{ restartPolicy: "Never" }, []],
  [
    { dnsPolicy: "Mine" },
    [
      'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [{ dnsPolicy: "None" }, ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"]],
  [
    { dnsPolicy: "None", dnsConfig: {} },
    ["spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"],
  ],
  [{ dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"] } }, []],
  [
    { dnsConfig: { nameservers: ["1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4"] } },
    [
      'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","2.2.2.2","3.3.3.3","4.4.4.4"]: must not have more than 3 nameservers',
    ],
  ],
  [
    { dnsConfig: { nameservers: ["x"] } },
    [
      'spec.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [{ dnsConfig: { searches: ["a_b.c", ".", "x."] } }, []],
  [
    { dnsConfig: { searches: ["A"] } },
    [
      "spec.dnsConfig.searches[0]: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    {
      dnsConfig: {
        searches: [
          "s0",
          "s1",
          "s2",
          "s3",
          "s4",
          "s5",
          "s6",
          "s7",
          "s8",
          "s9",
          "s10",
          "s11",
          "s12",
          "s13",
          "s14",
          "s15",
          "s16",
          "s17",
          "s18",
          "s19",
          "s20",
          "s21",
          "s22",
          "s23",
          "s24",
          "s25",
          "s26",
          "s27",
          "s28",
          "s29",
          "s30",
          "s31",
          "s32",
        ],
      },
    },
    [
      'spec.dnsConfig.searches: Invalid value: ["s0","s1","s2","s3","s4","s5","s6","s7","s8","s9","s10","s11","s12","s13","s14","s15","s16","s17","s18","s19","s20","s21","s22","s23","s24","s25","s26","s27","s28","s29","s30","s31","s32"]: must not have more than 32 search paths',
    ],
  ],
  [{ dnsConfig: { options: [{ value: "x" }] } }, ["spec.dnsConfig.options[0]: Required value: must not be empty"]],
  [
    { nodeSelector: { "a b": "c" } },
    [
      "spec.nodeSelector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { nodeSelector: { a: "b c" } },
    [
      "spec.nodeSelector: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [{ nodeSelector: { a: "b" } }, []],
  [
    { serviceAccountName: "S" },
    [
      "spec.serviceAccountName: Invalid value: \"S\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { nodeName: "N!" },
    [
      "spec.nodeName: Invalid value: \"N!\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { activeDeadlineSeconds: 0 },
    ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
  ],
  [
    { activeDeadlineSeconds: 2147483648 },
    ["spec.activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive"],
  ],
  [{ activeDeadlineSeconds: 1 }, []],
  [
    { hostname: "A.b" },
    [
      "spec.hostname: Invalid value: \"A.b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ hostname: "ok" }, []],
  [{ subdomain: "a.b" }, ['spec.subdomain: Invalid value: "a.b": must not contain dots']],
  [
    { hostAliases: [{ ip: "1.2.3.4", hostnames: ["a", "B"] }] },
    [
      "spec.hostAliases[0].hostnames[1]: Invalid value: \"B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { hostAliases: [{ ip: "999.1.1.1" }] },
    [
      'spec.hostAliases[0].ip: Invalid value: "999.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    { hostAliases: [{ hostnames: ["a"] }] },
    ['spec.hostAliases[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    { priorityClassName: "P" },
    [
      "spec.priorityClassName: Invalid value: \"P\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { runtimeClassName: "" },
    [
      "spec.runtimeClassName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [{ runtimeClassName: "r" }, []],
  [
    { preemptionPolicy: "Kill" },
    ['spec.preemptionPolicy: Unsupported value: "Kill": supported values: "PreemptLowerPriority", "Never"'],
  ],
  [{ preemptionPolicy: "Never" }, []],
  [{ terminationGracePeriodSeconds: -5 }, []],
  [{ overhead: { cpu: "-1" } }, ['spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0']],
  [
    { overhead: { foo: "1" } },
    [
      'spec.overhead.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.overhead.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
    ],
  ],
  [{ overhead: { cpu: "1" } }, []],
  [{ os: {} }, ["spec.os.name: Required value"]],
  [{ os: { name: "plan9" } }, ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"']],
  [{ os: { name: "linux" } }, []],
  [{ os: { name: "windows" } }, []],
  [
    { os: { name: "linux" }, securityContext: { windowsOptions: { runAsUserName: "u" } } },
    ["spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
  ],
  [
    {
      os: { name: "windows" },
      hostPID: true,
      hostIPC: true,
      hostUsers: true,
      shareProcessNamespace: false,
      securityContext: {
        seLinuxOptions: {},
        fsGroup: 1,
        fsGroupChangePolicy: "Always",
        sysctls: [{ name: "a", value: "b" }],
        runAsUser: 1,
        runAsGroup: 1,
        supplementalGroups: [1],
        seccompProfile: { type: "RuntimeDefault" },
        appArmorProfile: { type: "Unconfined" },
        supplementalGroupsPolicy: "Merge",
      },
    },
    [
      "spec.securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod",
      "spec.hostUsers: Forbidden: cannot be set for a windows pod",
      "spec.hostPID: Forbidden: cannot be set for a windows pod",
      "spec.hostIPC: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.seccompProfile: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.fsGroupChangePolicy: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.sysctls: Forbidden: cannot be set for a windows pod",
      "spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.runAsGroup: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod",
      "spec.securityContext.supplementalGroupsPolicy: Forbidden: cannot be set for a windows pod",
    ],
  ],
  [
    {
      os: { name: "windows" },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            seLinuxOptions: {},
            capabilities: {},
            readOnlyRootFilesystem: true,
            privileged: false,
            allowPrivilegeEscalation: true,
            procMount: "Default",
            runAsUser: 1,
            runAsGroup: 1,
          },
        },
      ],
    },
    [
      "spec.containers[0].securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.capabilities: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.readOnlyRootFilesystem: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.allowPrivilegeEscalation: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.procMount: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.runAsGroup: Forbidden: cannot be set for a windows pod",
    ],
  ],
  [
    { os: { name: "linux" }, containers: [{ name: "c", image: "i", securityContext: { windowsOptions: {} } }] },
    ["spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
  ],
  [
    { hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 81 }] }] },
    ["spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"],
  ],
  [{ hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] }, []],
  [{ hostUsers: false }, []],
  [
    { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
    [
      "spec.hostNetwork: Forbidden: when `hostUsers` is false",
      "spec.HostPID: Forbidden: when `hostUsers` is false",
      "spec.HostIPC: Forbidden: when `hostUsers` is false",
    ],
  ],
  [
    {
      hostUsers: false,
      volumes: [{ name: "p", persistentVolumeClaim: { claimName: "c" } }],
      containers: [{ name: "c", image: "i", volumeDevices: [{ name: "p", devicePath: "/x" }] }],
    },
    ["spec.containers[0].volumeDevices: Forbidden: when `hostUsers` is false"],
  ],
  [{ hostUsers: false, containers: [{ name: "c", image: "i", securityContext: { procMount: "Unmasked" } }] }, []],
  [
    { hostPID: true, shareProcessNamespace: true },
    [
      "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
    ],
  ],
  [{ hostnameOverride: "ok" }, []],
  [
    { hostnameOverride: "NO" },
    [
      "spec.hostnameOverride: Invalid value: \"NO\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { hostnameOverride: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
    ["spec.hostnameOverride: Too long: may not be more than 64 bytes"],
  ],
  [
    { hostnameOverride: "ok", setHostnameAsFQDN: true, hostNetwork: true },
    [
      "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
      "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
    ],
  ],
  [
    { readinessGates: [{ conditionType: "a b" }] },
    [
      "spec.readinessGates[0].conditionType: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [{ readinessGates: [{ conditionType: "x.com/ready" }] }, []],
  [{ schedulingGates: [{ name: "g" }, { name: "g" }] }, ['spec.schedulingGates[1]: Duplicate value: "g"']],
  [
    { schedulingGates: [{ name: "" }] },
    [
      'spec.schedulingGates[0]: Invalid value: "": name part must be non-empty',
      "spec.schedulingGates[0]: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { schedulingGates: [{ name: "g" }], nodeName: "n" },
    ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
  ],
  [
    { ephemeralContainers: [{ name: "e", image: "i" }] },
    ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
  ],
  [
    {
      ephemeralContainers: [
        {
          name: "c",
          image: "",
          targetContainerName: "none",
          ports: [{ containerPort: 1 }],
          volumeMounts: [{ name: "x", mountPath: "/x", subPath: "s" }],
        },
      ],
    },
    [
      "spec.ephemeralContainers[0].image: Required value",
      'spec.ephemeralContainers[0].volumeMounts[0].name: Not found: "x"',
      'spec.ephemeralContainers[0].name: Duplicate value: "c"',
      'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
      "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
      "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
      "spec.ephemeralContainers: Forbidden: cannot be set on create",
    ],
  ],
  [
    {
      ephemeralContainers: [
        {
          name: "e",
          image: "i",
          lifecycle: {},
          livenessProbe: { tcpSocket: { port: 1 } },
          resources: { limits: { cpu: "1" } },
        },
      ],
    },
    [
      "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container",
      "spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container",
      "spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
      "spec.ephemeralContainers: Forbidden: cannot be set on create",
    ],
  ],
  [{ resourceClaims: [{ name: "r", resourceClaimName: "x" }] }, []],
  [
    { resourceClaims: [{ name: "r" }] },
    [
      'spec.resourceClaims[0]: Invalid value: {"Name":"r","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
  [
    { resourceClaims: [{ name: "r", resourceClaimName: "x", resourceClaimTemplateName: "y" }] },
    [
      'spec.resourceClaims[0]: Invalid value: {"Name":"r","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
    ],
  ],
  [
    { resourceClaims: [{ name: "", resourceClaimName: "X" }] },
    [
      "spec.resourceClaims[0].name: Required value",
      "spec.resourceClaims[0].resourceClaimName: Invalid value: \"X\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { resourceClaims: [{ name: "R", resourceClaimTemplateName: "Y" }] },
    [
      "spec.resourceClaims[0].name: Invalid value: \"R\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.resourceClaims[0].resourceClaimTemplateName: Invalid value: \"Y\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    {
      resourceClaims: [
        { name: "r", resourceClaimName: "x" },
        { name: "r", resourceClaimName: "y" },
      ],
    },
    ['spec.resourceClaims[1].name: Duplicate value: "r"'],
  ],
  [{ resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }, []],
  [
    { resources: { limits: { "example.com/x": "2" } } },
    [
      'spec.resources.limits[example.com/x]: Unsupported value: "example.com/x": supported values: "cpu", "hugepages-", "memory"',
    ],
  ],
  [
    {
      resources: { requests: { cpu: "1" } },
      containers: [{ name: "c", image: "i", resources: { requests: { cpu: "2" } } }],
    },
    [
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
  ],
  [
    {
      resources: { limits: { cpu: "1" } },
      containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }],
    },
    ['spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1'],
  ],
  [
    { resources: { claims: [{ name: "x" }] } },
    [
      "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
      'spec.resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
  [
    { os: { name: "windows" }, resources: { limits: { cpu: "1" } } },
    ["spec.resources: Forbidden: may not be set for a windows pod"],
  ],
  [
    { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
    ['spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    { securityContext: { fsGroup: -1, runAsUser: -1, runAsGroup: -1, supplementalGroups: [-1] } },
    [
      "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      "spec.securityContext.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      "spec.securityContext.supplementalGroups[0]: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ],
  ],
  [
    { securityContext: { fsGroupChangePolicy: "X" } },
    ['spec.securityContext.fsGroupChangePolicy: Unsupported value: "X": supported values: "Always", "OnRootMismatch"'],
  ],
  [
    { securityContext: { supplementalGroupsPolicy: "X" } },
    ['spec.securityContext.supplementalGroupsPolicy: Unsupported value: "X": supported values: "Merge", "Strict"'],
  ],
  [
    { securityContext: { seLinuxChangePolicy: "X" } },
    ['spec.securityContext.seLinuxChangePolicy: Unsupported value: "X": supported values: "Recursive"'],
  ],
  [{ securityContext: { seLinuxChangePolicy: "Recursive" } }, []],
  [{ securityContext: { sysctls: [{ name: "" }] } }, ["spec.securityContext.sysctls[0].name: Required value"]],
  [
    { securityContext: { sysctls: [{ name: "A" }] } },
    [
      'spec.securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
  ],
  [
    {
      securityContext: {
        sysctls: [
          { name: "kernel.sem", value: "1" },
          { name: "kernel.sem", value: "1" },
        ],
      },
    },
    ['spec.securityContext.sysctls[1].name: Duplicate value: "kernel.sem"'],
  ],
  [
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net.ipv4.x", value: "1" }] } },
    [
      "spec.securityContext.sysctls[0].name: Invalid value: \"net.ipv4.x\": may not be specified when 'hostNetwork' is true",
    ],
  ],
  [
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net/ipv4/x", value: "1" }] } },
    [
      "spec.securityContext.sysctls[0].name: Invalid value: \"net/ipv4/x\": may not be specified when 'hostNetwork' is true",
    ],
  ],
  [
    { hostIPC: true, securityContext: { sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }] } },
    [
      "spec.securityContext.sysctls[0].name: Invalid value: \"kernel.shm_rmid_forced\": may not be specified when 'hostIPC' is true",
    ],
  ],
  [
    { hostIPC: true, securityContext: { sysctls: [{ name: "kernel.sem", value: "1" }] } },
    [
      "spec.securityContext.sysctls[0].name: Invalid value: \"kernel.sem\": may not be specified when 'hostIPC' is true",
    ],
  ],
  [
    { securityContext: { seccompProfile: { type: "Localhost" } } },
    [
      "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    ],
  ],
  [
    { securityContext: { appArmorProfile: { type: "" } } },
    ["spec.securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set"],
  ],
  [
    { securityContext: { windowsOptions: { hostProcess: true } } },
    ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
  ],
  [{ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }, []],
  [
    {
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [{ name: "c", image: "i", securityContext: { windowsOptions: { hostProcess: false } } }],
    },
    [
      "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true",
    ],
  ],
  [{ tolerations: [{ key: "a", operator: "Exists" }] }, []],
  [{ tolerations: [{ operator: "Exists" }] }, []],
  [
    { tolerations: [{ operator: "Equal" }] },
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    { tolerations: [{ key: "a b" }] },
    [
      "spec.tolerations[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { tolerations: [{ key: "a", operator: "In" }] },
    ['spec.tolerations[0].operator: Unsupported value: "In": supported values: "Equal", "Exists"'],
  ],
  [
    { tolerations: [{ key: "a", operator: "Exists", value: "v" }] },
    ["spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"],
  ],
  [
    { tolerations: [{ key: "a", value: "b c" }] },
    [
      "spec.tolerations[0].operator: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    { tolerations: [{ key: "a", operator: "Equal", value: "v", effect: "X" }] },
    [
      'spec.tolerations[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    { tolerations: [{ key: "a", tolerationSeconds: 5 }] },
    ["spec.tolerations[0].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set"],
  ],
  [{ tolerations: [{ key: "a", tolerationSeconds: 5, effect: "NoExecute" }] }, []],
  [
    { tolerations: [{ key: "a", operator: "Gt", value: "5" }] },
    ['spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"'],
  ],
  [
    { topologySpreadConstraints: [{}] },
    [
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
      "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" }] },
    [],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" }] },
    ["spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "X" }] },
    [
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "ScheduleAnyway", minDomains: 0 }],
    },
    [
      "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero",
      "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
    ],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", minDomains: 2 }],
    },
    [],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "k",
          whenUnsatisfiable: "DoNotSchedule",
          nodeAffinityPolicy: "X",
          nodeTaintsPolicy: "Honor",
        },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: "X": supported values: "Honor", "Ignore"',
    ],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["a"] },
      ],
    },
    [
      "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ],
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
  [
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "k",
          whenUnsatisfiable: "DoNotSchedule",
          matchLabelKeys: ["a b"],
          labelSelector: {},
        },
      ],
    },
    [
      "spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "k",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: {
            matchExpressions: [
              { key: "a", operator: "In" },
              { key: "b", operator: "X", values: ["v v"] },
            ],
          },
        },
      ],
    },
    [
      "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.topologySpreadConstraints[0].labelSelector.matchExpressions[1].operator: Invalid value: "X": not a valid selector operator',
      "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[1].values[0]: Invalid value: \"v v\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" },
        { maxSkew: 2, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" },
      ],
    },
    ['spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{k, DoNotSchedule}"'],
    [
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
      "spec.topologySpreadConstraints[1].labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
    ],
  ],
  [{ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } } }, []],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In" }] }],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] }],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Gt", values: ["1", "2"] }] }],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a b", operator: "Foo" }] }],
          },
        },
      },
    },
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["v v"] }] }],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"v v\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }],
          },
        },
      },
    },
    [],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n", "m"] }] }],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.uid", operator: "Exists" }] }],
          },
        },
      },
    },
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["N"] }] }],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values[0]: Invalid value: \"N\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: {} },
            { weight: 101, preference: { matchExpressions: [{ key: "a", operator: "In", values: ["v v"] }] } },
          ],
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100",
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].weight: Invalid value: 101: must be in the range 1-100",
    ],
    [
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].preference.matchExpressions[0].values[0]: v v is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", labelSelector: {} }] },
      },
    },
    [],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "k", labelSelector: {} } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "", labelSelector: {} }] },
      },
    },
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty",
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "", labelSelector: {} } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Required value: can not be empty",
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "a b" }] } } },
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 200, podAffinityTerm: { topologyKey: "a b" } }],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", namespaces: ["N"], labelSelector: {} }],
        },
      },
    },
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: \"N\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "k", namespaces: ["N"], labelSelector: {} } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespace: Invalid value: \"N\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: "k",
              labelSelector: { matchLabels: { "a b": "c" } },
              namespaceSelector: { matchExpressions: [{ key: "x", operator: "Exists", values: ["y"] }] },
            },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 200,
              podAffinityTerm: {
                topologyKey: "k",
                labelSelector: { matchLabels: { "a b": "c" } },
                namespaceSelector: { matchExpressions: [{ key: "x", operator: "Exists", values: ["y"] }] },
              },
            },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespaceSelector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", matchLabelKeys: ["a"] }] },
      },
    },
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ],
    [
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "k", matchLabelKeys: ["a"] } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ],
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "k", labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["a"] },
          ],
        },
      },
    },
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 200,
              podAffinityTerm: { topologyKey: "k", labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["a"] },
            },
          ],
        },
      },
    },
    [
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", labelSelector: {} }] },
      },
    },
    [],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "k", labelSelector: {} } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "", labelSelector: {} }] },
      },
    },
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty",
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "", labelSelector: {} } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Required value: can not be empty",
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "a b" }] } } },
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 200, podAffinityTerm: { topologyKey: "a b" } }],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", namespaces: ["N"], labelSelector: {} }],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: \"N\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "k", namespaces: ["N"], labelSelector: {} } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespace: Invalid value: \"N\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: "k",
              labelSelector: { matchLabels: { "a b": "c" } },
              namespaceSelector: { matchExpressions: [{ key: "x", operator: "Exists", values: ["y"] }] },
            },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 200,
              podAffinityTerm: {
                topologyKey: "k",
                labelSelector: { matchLabels: { "a b": "c" } },
                namespaceSelector: { matchExpressions: [{ key: "x", operator: "Exists", values: ["y"] }] },
              },
            },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespaceSelector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", matchLabelKeys: ["a"] }],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ],
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: "k", matchLabelKeys: ["a"] } },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ],
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "k", labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["a"] },
          ],
        },
      },
    },
    [
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
  ],
  [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 200,
              podAffinityTerm: { topologyKey: "k", labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["a"] },
            },
          ],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 200: must be in the range 1-100",
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
  ],
  [
    { volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    [
      "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
    ],
  ],
  [{ imagePullSecrets: [{ name: "s" }] }, []],
  [
    {
      volumes: [{ name: "e", emptyDir: {} }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [{ name: "A", valueFrom: { fileKeyRef: { key: "K", volumeName: "e", path: "p" } } }],
        },
      ],
    },
    [],
  ],
];

const POD_ANNOTATIONS_ROWS: readonly CreateRow[] = [
  [
    { "kubernetes.io/config.mirror": "x" },
    [
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ],
  ],
  [
    { "controller.kubernetes.io/pod-deletion-cost": "007" },
    ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "007": must be a 32bit integer'],
  ],
  [{ "controller.kubernetes.io/pod-deletion-cost": "-5" }, []],
  [
    { "controller.kubernetes.io/pod-deletion-cost": "3000000000" },
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "3000000000": must be a 32bit integer',
    ],
  ],
  [
    { "seccomp.security.alpha.kubernetes.io/pod": "x" },
    [
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile',
    ],
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    { "seccomp.security.alpha.kubernetes.io/pod": "localhost//x" },
    ['metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "/x": must be a relative path'],
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    { "container.seccomp.security.alpha.kubernetes.io/c": "unknown" },
    [
      'metadata.annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: "unknown": must be a valid seccomp profile',
    ],
    [
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    { "container.apparmor.security.beta.kubernetes.io/none": "runtime/default" },
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/none]: Invalid value: "none": container not found',
    ],
  ],
  [
    { "scheduler.alpha.kubernetes.io/tolerations": '[{"key":"a","operator":"X"}]' },
    [
      'metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
    ],
  ],
];

describe("validation of a new pod", () => {
  it.each(POD_SPEC_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "returns kube-apiserver's errors for the spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("podSpec", fields)).toEqual({ errors, warnings });
    },
  );
  it.each(POD_ANNOTATIONS_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "returns kube-apiserver's errors for the annotations: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("podAnnotations", fields)).toEqual({ errors, warnings });
    },
  );
});
