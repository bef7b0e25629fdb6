import type { Container, Volume } from "../../../src/api/types/core/v1.js";
import { bare, container, type Difference, ephemeral, volume } from "./pods.js";

/** From which minor version on something is said of a pod, until the next step; "" for nothing. */
type Steps = readonly (readonly [since: number, text: string])[];

/** A pod, and what both levels say of it in the versions from v1.0 on. */
export interface Row {
  readonly control: string;
  readonly name: string;
  readonly pod: Difference;
  readonly baseline: Steps;
  /** The same as baseline where it is left out. */
  readonly restricted?: Steps;
}

const ALLOWED: Steps = [[0, ""]];
const always = (text: string): Steps => [[0, text]];

type SecurityContext = NonNullable<Container["securityContext"]>;
const secured = (context: SecurityContext): Difference => ({ container: container("a", context) });

const rows: Row[] = [];
const add = (control: string, name: string, difference: Difference, baseline: Steps, restricted?: Steps): void => {
  rows.push({ control, name, pod: difference, baseline, ...(restricted && { restricted }) });
};

add("none", "a pod that conforms", {}, ALLOWED);
add(
  "none",
  "a conforming pod with containers of all kinds",
  {
    spec: {
      containers: [container("a"), container("b")],
      initContainers: [container("i")],
      ephemeralContainers: [ephemeral("e")],
    },
  },
  ALLOWED,
);

add("host namespaces", "hostNetwork", { spec: { hostNetwork: true } }, always("host namespaces (hostNetwork=true)"));
add("host namespaces", "hostPID", { spec: { hostPID: true } }, always("host namespaces (hostPID=true)"));
add("host namespaces", "hostIPC", { spec: { hostIPC: true } }, always("host namespaces (hostIPC=true)"));
add(
  "host namespaces",
  "all three",
  { spec: { hostIPC: true, hostPID: true, hostNetwork: true } },
  always("host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"),
);
add("host namespaces", "all three false", { spec: { hostIPC: false, hostPID: false, hostNetwork: false } }, ALLOWED);

add(
  "privileged",
  "a privileged container",
  secured({ privileged: true }),
  always('privileged (container "a" must not set securityContext.privileged=true)'),
);
add(
  "privileged",
  "privileged containers of all kinds",
  {
    spec: {
      containers: [container("a", { privileged: true }), container("b")],
      initContainers: [container("i", { privileged: true })],
      ephemeralContainers: [ephemeral("e", { privileged: true })],
    },
  },
  always('privileged (containers "i", "a", "e" must not set securityContext.privileged=true)'),
);
add("privileged", "privileged: false", secured({ privileged: false }), ALLOWED);

const adds = (...names: string[]): Difference => secured({ capabilities: { drop: ["ALL"], add: names } });
const baselineAdds = (names: string): string =>
  `non-default capabilities (container "a" must not include ${names} in securityContext.capabilities.add)`;
const restrictedAdds = (names: string): string =>
  `unrestricted capabilities (container "a" must not include ${names} in securityContext.capabilities.add)`;
const mustDrop = (names: string): string =>
  `unrestricted capabilities (${names} must set securityContext.capabilities.drop=["ALL"])`;
add("capabilities", "NET_RAW", adds("NET_RAW"), always(baselineAdds('"NET_RAW"')), [
  [0, baselineAdds('"NET_RAW"')],
  [22, restrictedAdds('"NET_RAW"')],
]);
add(
  "capabilities",
  "two that are not allowed, in order",
  adds("SYS_TIME", "CHOWN", "NET_ADMIN"),
  always(baselineAdds('"NET_ADMIN", "SYS_TIME"')),
  [
    [0, baselineAdds('"NET_ADMIN", "SYS_TIME"')],
    [22, restrictedAdds('"CHOWN", "NET_ADMIN", "SYS_TIME"')],
  ],
);
add("capabilities", "a name in lower case", adds("chown"), always(baselineAdds('"chown"')), [
  [0, baselineAdds('"chown"')],
  [22, restrictedAdds('"chown"')],
]);
add("capabilities", "NET_BIND_SERVICE", adds("NET_BIND_SERVICE"), ALLOWED);
for (const name of [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]) {
  add("capabilities", `${name}, which is a default one`, adds(name), ALLOWED, [
    [0, ""],
    [22, restrictedAdds(`"${name}"`)],
  ]);
}
add("capabilities", "ALL added and dropped", adds("ALL"), always(baselineAdds('"ALL"')), [
  [0, baselineAdds('"ALL"')],
  [22, restrictedAdds('"ALL"')],
]);
add("capabilities", "none dropped", secured({ capabilities: {} }), ALLOWED, [
  [0, ""],
  [22, mustDrop('container "a"')],
]);
add("capabilities", "one dropped", secured({ capabilities: { drop: ["NET_RAW"] } }), ALLOWED, [
  [0, ""],
  [22, mustDrop('container "a"')],
]);
add(
  "capabilities",
  "kept and added in two containers",
  {
    spec: {
      containers: [container("a", { capabilities: {} }), container("b", { capabilities: { add: ["SYS_TIME"] } })],
    },
  },
  always('non-default capabilities (container "b" must not include "SYS_TIME" in securityContext.capabilities.add)'),
  [
    [0, 'non-default capabilities (container "b" must not include "SYS_TIME" in securityContext.capabilities.add)'],
    [
      22,
      'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]; container "b" must not include "SYS_TIME" in securityContext.capabilities.add)',
    ],
  ],
);
add(
  "capabilities",
  "none dropped in a pod of Windows",
  { spec: { os: { name: "windows" }, containers: [container("a", { capabilities: {} })] } },
  ALLOWED,
  [
    [0, ""],
    [22, mustDrop('container "a"')],
    [25, ""],
  ],
);

const volumes = (...list: Volume[]): Difference => ({ spec: { volumes: list } });
const restrictedVolume = (names: string, types: string): string => `restricted volume types (${names} ${types})`;
add(
  "hostPath volumes",
  "a hostPath",
  volumes(volume("v", { hostPath: { path: "/" } })),
  always('hostPath volumes (volume "v")'),
  always(restrictedVolume('volume "v"', 'uses restricted volume type "hostPath"')),
);
add(
  "hostPath volumes",
  "two hostPaths",
  volumes(volume("v", { hostPath: { path: "/" } }), volume("w", { hostPath: { path: "/" } })),
  always('hostPath volumes (volumes "v", "w")'),
  always(restrictedVolume('volumes "v", "w"', 'use restricted volume type "hostPath"')),
);
const oneOf = (type: string): Omit<Volume, "name"> => ({ [type]: {} });
for (const type of [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "glusterfs",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
]) {
  add(
    "volume types",
    type,
    volumes(volume("v", oneOf(type))),
    ALLOWED,
    always(restrictedVolume('volume "v"', `uses restricted volume type "${type}"`)),
  );
}
for (const type of [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]) {
  add("volume types", `${type}, which is allowed`, volumes(volume("v", oneOf(type))), ALLOWED);
}
add(
  "volume types",
  "a volume of no type",
  volumes(volume("v", {})),
  ALLOWED,
  always(restrictedVolume('volume "v"', 'uses restricted volume type "unknown"')),
);
add(
  "volume types",
  "three volumes of two types",
  volumes(
    volume("v", oneOf("nfs")),
    volume("w", oneOf("emptyDir")),
    volume("x", oneOf("fc")),
    volume("y", oneOf("nfs")),
  ),
  ALLOWED,
  always(restrictedVolume('volumes "v", "x", "y"', 'use restricted volume types "fc", "nfs"')),
);

const port = (hostPort?: number) => ({ containerPort: 80, ...(hostPort !== undefined && { hostPort }) });
add(
  "host ports",
  "one",
  { container: { ports: [port(80), port()] } },
  always('hostPort (container "a" uses hostPort 80)'),
);
add(
  "host ports",
  "two in one container",
  { container: { ports: [port(9000), port(80)] } },
  always('hostPort (container "a" uses hostPorts 80, 9000)'),
);
add(
  "host ports",
  "the same in two containers",
  {
    spec: {
      containers: [{ ...container("a"), ports: [port(80)] }],
      initContainers: [{ ...container("i"), ports: [port(80)] }],
    },
  },
  always('hostPort (containers "i", "a" use hostPort 80)'),
);
add("host ports", "0", { container: { ports: [port(0)] } }, ALLOWED);

const probed = (text: string): Steps => [
  [0, ""],
  [34, `probe or lifecycle host (${text})`],
];
const http = { httpGet: { port: 80, host: "10.0.0.1" } };
const tcp = { tcpSocket: { port: 80, host: "example.com" } };
for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
  add(
    "probe hosts",
    `httpGet.host of a ${probe}`,
    { container: { [probe]: http } },
    probed('container "a" uses probe or lifecycle host "10.0.0.1"'),
  );
  add(
    "probe hosts",
    `tcpSocket.host of a ${probe}`,
    { container: { [probe]: tcp } },
    probed('container "a" uses probe or lifecycle host "example.com"'),
  );
}
for (const hook of ["postStart", "preStop"] as const) {
  add(
    "lifecycle hosts",
    `httpGet.host of ${hook}`,
    { container: { lifecycle: { [hook]: http } } },
    probed('container "a" uses probe or lifecycle host "10.0.0.1"'),
  );
  add(
    "lifecycle hosts",
    `tcpSocket.host of ${hook}`,
    { container: { lifecycle: { [hook]: tcp } } },
    probed('container "a" uses probe or lifecycle host "example.com"'),
  );
}
add(
  "probe hosts",
  "in two containers, named in byte order",
  {
    spec: {
      initContainers: [{ ...container("z"), livenessProbe: tcp, readinessProbe: http }],
      containers: [{ ...container("a"), startupProbe: tcp }],
    },
  },
  probed('containers "a", "z" use probe or lifecycle hosts "10.0.0.1", "example.com"'),
);
add(
  "probe hosts",
  "without a host",
  { container: { livenessProbe: { httpGet: { port: 80, host: "" } }, readinessProbe: { exec: { command: ["x"] } } } },
  ALLOWED,
);

const PROFILE = "must not set AppArmor profile type to";
add(
  "AppArmor",
  "Unconfined in a container",
  secured({ appArmorProfile: { type: "Unconfined" } }),
  always(`forbidden AppArmor profile (container "a" ${PROFILE} "Unconfined")`),
);
add(
  "AppArmor",
  "Unconfined for the pod",
  { securityContext: { appArmorProfile: { type: "Unconfined" } } },
  always(`forbidden AppArmor profile (pod ${PROFILE} "Unconfined")`),
);
add(
  "AppArmor",
  "RuntimeDefault and Localhost",
  {
    securityContext: { appArmorProfile: { type: "RuntimeDefault" } },
    ...secured({ appArmorProfile: { type: "Localhost", localhostProfile: "p" } }),
  },
  ALLOWED,
);
const annotation = (value: string): Difference => ({
  annotations: { "container.apparmor.security.beta.kubernetes.io/a": value },
});
add(
  "AppArmor",
  "an annotation",
  annotation("unconfined"),
  always(
    `forbidden AppArmor profile (annotation ${PROFILE} "container.apparmor.security.beta.kubernetes.io/a="unconfined"")`,
  ),
);
for (const value of ["", "runtime/default", "localhost/p"])
  add("AppArmor", `the annotation "${value}", which is allowed`, annotation(value), ALLOWED);
add(
  "AppArmor",
  "pod, container and annotations",
  {
    annotations: {
      "container.apparmor.security.beta.kubernetes.io/b": "x",
      "container.apparmor.security.beta.kubernetes.io/a": "unconfined",
      other: "unconfined",
    },
    securityContext: { appArmorProfile: { type: "Unconfined" } },
    ...secured({ appArmorProfile: { type: "Unconfined" } }),
  },
  always(
    `forbidden AppArmor profiles (pod and container "a" and annotations ${PROFILE} "Unconfined", "container.apparmor.security.beta.kubernetes.io/a="unconfined"", "container.apparmor.security.beta.kubernetes.io/b="x"")`,
  ),
);

const SELINUX = "set forbidden securityContext.seLinuxOptions:";
for (const type of ["", "container_t", "container_init_t", "container_kvm_t"]) {
  add(
    "SELinux",
    `the type "${type}", which is allowed`,
    { securityContext: { seLinuxOptions: { type } }, ...secured({ seLinuxOptions: { type, level: "s0" } }) },
    ALLOWED,
  );
}
add(
  "SELinux",
  "container_engine_t, which is allowed since 1.31",
  secured({ seLinuxOptions: { type: "container_engine_t" } }),
  [
    [0, `seLinuxOptions (container "a" ${SELINUX} type "container_engine_t")`],
    [31, ""],
  ],
);
add(
  "SELinux",
  "another type for the pod",
  { securityContext: { seLinuxOptions: { type: "spc_t" } } },
  always(`seLinuxOptions (pod ${SELINUX} type "spc_t")`),
);
add(
  "SELinux",
  "a user",
  secured({ seLinuxOptions: { user: "u" } }),
  always(`seLinuxOptions (container "a" ${SELINUX} user may not be set)`),
);
add(
  "SELinux",
  "a role",
  secured({ seLinuxOptions: { role: "r" } }),
  always(`seLinuxOptions (container "a" ${SELINUX} role may not be set)`),
);
add(
  "SELinux",
  "types, user and role of pod and containers",
  {
    securityContext: { seLinuxOptions: { type: "b_t", user: "u" } },
    spec: {
      containers: [
        container("a", { seLinuxOptions: { type: "a_t" } }),
        container("b", { seLinuxOptions: { role: "r" } }),
      ],
    },
  },
  always(
    `seLinuxOptions (pod and containers "a", "b" ${SELINUX} types "a_t", "b_t"; user may not be set; role may not be set)`,
  ),
);

const unmasked = 'procMount (container "a" must not set securityContext.procMount to "Unmasked")';
add("/proc mount", "Unmasked", secured({ procMount: "Unmasked" }), always(unmasked));
add("/proc mount", "Default", secured({ procMount: "Default" }), ALLOWED);
add(
  "/proc mount",
  "Unmasked in a user namespace",
  { spec: { hostUsers: false }, ...secured({ procMount: "Unmasked" }) },
  [
    [0, unmasked],
    [35, ""],
  ],
  always(unmasked),
);
add(
  "/proc mount",
  "Unmasked with the node's users",
  { spec: { hostUsers: true }, ...secured({ procMount: "Unmasked" }) },
  always(unmasked),
);
add(
  "/proc mount",
  "two containers",
  {
    spec: {
      containers: [container("a", { procMount: "Unmasked" })],
      initContainers: [container("i", { procMount: "Unmasked" })],
    },
  },
  always('procMount (containers "i", "a" must not set securityContext.procMount to "Unmasked")'),
);

const seccomp = (text: string): Steps => [
  [0, ""],
  [19, `seccompProfile (${text})`],
];
const TYPE = "must not set securityContext.seccompProfile.type to";
const unset = (containers: string): string =>
  `pod or ${containers} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
const unconfined = { seccompProfile: { type: "Unconfined" } } as const;
add("seccomp", "Unconfined for the pod", { securityContext: unconfined }, seccomp(`pod ${TYPE} "Unconfined"`));
add("seccomp", "Unconfined in a container", secured(unconfined), seccomp(`container "a" ${TYPE} "Unconfined"`));
add(
  "seccomp",
  "Unconfined for pod and containers",
  {
    securityContext: unconfined,
    spec: {
      containers: [
        container("a", unconfined),
        container("b", { seccompProfile: { type: "Localhost", localhostProfile: "p" } }),
        container("c", unconfined),
      ],
    },
  },
  seccomp(`pod and containers "a", "c" ${TYPE} "Unconfined"`),
);
add(
  "seccomp",
  "Localhost for the pod",
  { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } } },
  ALLOWED,
);
// Undefined takes away what pod() sets.
const silent = (difference: Difference): Difference => ({
  ...difference,
  securityContext: { ...difference.securityContext, seccompProfile: undefined as never },
});
add("seccomp", "nothing", silent({}), ALLOWED, seccomp(unset('container "a"')));
add(
  "seccomp",
  "in one container of three",
  silent({
    spec: {
      containers: [container("a"), container("b", { seccompProfile: { type: "RuntimeDefault" } })],
      ephemeralContainers: [ephemeral("e")],
    },
  }),
  ALLOWED,
  seccomp(unset('containers "a", "e"')),
);
add("seccomp", "nothing, and no security context", silent({ spec: { containers: [bare("a")] } }), ALLOWED, [
  [0, ""],
  [8, 'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)'],
  [
    19,
    `allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), seccompProfile (${unset('container "a"')})`,
  ],
  [
    22,
    `allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ${mustDrop('container "a"')}, seccompProfile (${unset('container "a"')})`,
  ],
]);
add(
  "seccomp",
  "in every container",
  silent({ spec: { containers: [container("a", { seccompProfile: { type: "RuntimeDefault" } })] } }),
  ALLOWED,
);
add("seccomp", "nothing in a pod of Windows", silent({ spec: { os: { name: "windows" } } }), ALLOWED, [
  [0, ""],
  [19, `seccompProfile (${unset('container "a"')})`],
  [25, ""],
]);
add(
  "seccomp",
  "nothing in a pod of Linux",
  silent({ spec: { os: { name: "linux" } } }),
  ALLOWED,
  seccomp(unset('container "a"')),
);
const OF_POD = "seccomp.security.alpha.kubernetes.io/pod";
const OF_A = "container.seccomp.security.alpha.kubernetes.io/a";
add("seccomp annotations", "of the pod", { annotations: { [OF_POD]: "unconfined" } }, [
  [0, `seccompProfile (forbidden annotation ${OF_POD}="unconfined")`],
  [19, ""],
]);
add("seccomp annotations", "of the pod and a container", { annotations: { [OF_POD]: "x", [OF_A]: "" } }, [
  [0, `seccompProfile (forbidden annotations ${OF_A}="", ${OF_POD}="x")`],
  [19, ""],
]);
add(
  "seccomp annotations",
  "of a container that is not there",
  { annotations: { "container.seccomp.security.alpha.kubernetes.io/gone": "unconfined" } },
  ALLOWED,
);
for (const value of ["runtime/default", "docker/default", "localhost/p"])
  add(
    "seccomp annotations",
    `${value}, which is allowed`,
    { annotations: { [OF_POD]: value, [OF_A]: value } },
    ALLOWED,
  );

const sysctl = (...names: string[]): Difference => ({
  securityContext: { sysctls: names.map((name) => ({ name, value: "1" })) },
});
const forbiddenSysctls = (names: string): string => `forbidden sysctls (${names})`;
for (const name of [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
]) {
  add("sysctls", `${name}, which is allowed`, sysctl(name), ALLOWED);
}
for (const [since, name] of [
  [27, "net.ipv4.ip_local_reserved_ports"],
  [29, "net.ipv4.tcp_keepalive_time"],
  [29, "net.ipv4.tcp_fin_timeout"],
  [29, "net.ipv4.tcp_keepalive_intvl"],
  [29, "net.ipv4.tcp_keepalive_probes"],
  [32, "net.ipv4.tcp_rmem"],
  [32, "net.ipv4.tcp_wmem"],
] as const) {
  add("sysctls", `${name}, which is allowed since 1.${since}`, sysctl(name), [
    [0, forbiddenSysctls(name)],
    [since, ""],
  ]);
}
add("sysctls", "two others, in the order of the pod", sysctl("net.ipv4.tcp_rmem", "kernel.sem", "fs.mqueue.msg_max"), [
  [0, forbiddenSysctls("net.ipv4.tcp_rmem, kernel.sem, fs.mqueue.msg_max")],
  [32, forbiddenSysctls("kernel.sem, fs.mqueue.msg_max")],
]);
add(
  "sysctls",
  "K37-126: net.ipv4.tcp_slow_start_after_idle, which 1.36 does not allow",
  sysctl("net.ipv4.tcp_slow_start_after_idle"),
  [...always(forbiddenSysctls("net.ipv4.tcp_slow_start_after_idle")), [37, ""]],
);

const HOST_PROCESS = "must not set securityContext.windowsOptions.hostProcess=true";
add(
  "Windows host process",
  "of the pod",
  { securityContext: { windowsOptions: { hostProcess: true } } },
  always(`hostProcess (pod ${HOST_PROCESS})`),
);
add(
  "Windows host process",
  "of a container",
  secured({ windowsOptions: { hostProcess: true } }),
  always(`hostProcess (container "a" ${HOST_PROCESS})`),
);
add(
  "Windows host process",
  "of pod and container",
  { securityContext: { windowsOptions: { hostProcess: true } }, ...secured({ windowsOptions: { hostProcess: true } }) },
  always(`hostProcess (pod and container "a" ${HOST_PROCESS})`),
);
add("Windows host process", "false", { securityContext: { windowsOptions: { hostProcess: false } } }, ALLOWED);

const escalates = (containers: string): string =>
  `allowPrivilegeEscalation != false (${containers} must set securityContext.allowPrivilegeEscalation=false)`;
add("privilege escalation", "true", secured({ allowPrivilegeEscalation: true }), ALLOWED, [
  [0, ""],
  [8, escalates('container "a"')],
]);
add(
  "privilege escalation",
  "left out",
  {
    spec: {
      containers: [{ ...container("a"), securityContext: { capabilities: { drop: ["ALL"] } } }],
      initContainers: [container("i", { allowPrivilegeEscalation: true })],
    },
  },
  ALLOWED,
  [
    [0, ""],
    [8, escalates('containers "i", "a"')],
  ],
);
add(
  "privilege escalation",
  "true in a pod of Windows",
  { spec: { os: { name: "windows" } }, ...secured({ allowPrivilegeEscalation: true }) },
  ALLOWED,
  [
    [0, ""],
    [8, escalates('container "a"')],
    [25, ""],
  ],
);

const nonRoot = (text: string): string => `runAsNonRoot != true (${text})`;
const NOT_FALSE = "must not set securityContext.runAsNonRoot=false";
const root = (difference: Difference): Difference => ({
  ...difference,
  securityContext: { ...difference.securityContext, runAsNonRoot: undefined as never },
});
add(
  "runAsNonRoot",
  "false for the pod",
  { securityContext: { runAsNonRoot: false } },
  ALLOWED,
  always(nonRoot(`pod ${NOT_FALSE}`)),
);
add(
  "runAsNonRoot",
  "false in a container",
  secured({ runAsNonRoot: false }),
  ALLOWED,
  always(nonRoot(`container "a" ${NOT_FALSE}`)),
);
add(
  "runAsNonRoot",
  "false for pod and containers",
  {
    securityContext: { runAsNonRoot: false },
    spec: {
      containers: [
        container("a", { runAsNonRoot: false }),
        container("b", { runAsNonRoot: true }),
        container("c", { runAsNonRoot: false }),
      ],
    },
  },
  ALLOWED,
  always(nonRoot(`pod and containers "a", "c" ${NOT_FALSE}`)),
);
add(
  "runAsNonRoot",
  "left out",
  root({}),
  ALLOWED,
  always(nonRoot('pod or container "a" must set securityContext.runAsNonRoot=true')),
);
add(
  "runAsNonRoot",
  "in one container of two",
  root({
    spec: { containers: [container("a", { runAsNonRoot: true }), container("b")], initContainers: [container("i")] },
  }),
  ALLOWED,
  always(nonRoot('pod or containers "i", "b" must set securityContext.runAsNonRoot=true')),
);
add(
  "runAsNonRoot",
  "in every container",
  root({ spec: { containers: [container("a", { runAsNonRoot: true })] } }),
  ALLOWED,
);
add("runAsNonRoot", "left out in a user namespace", root({ spec: { hostUsers: false } }), ALLOWED, [
  [0, nonRoot('pod or container "a" must set securityContext.runAsNonRoot=true')],
  [35, ""],
]);
add(
  "runAsNonRoot",
  "false in a user namespace",
  { spec: { hostUsers: false }, securityContext: { runAsNonRoot: false } },
  ALLOWED,
  [
    [0, nonRoot(`pod ${NOT_FALSE}`)],
    [35, ""],
  ],
);
add(
  "runAsNonRoot",
  "left out in a pod of Windows",
  root({ spec: { os: { name: "windows" } } }),
  ALLOWED,
  always(nonRoot('pod or container "a" must set securityContext.runAsNonRoot=true')),
);

const asRoot = (who: string): Steps => [
  [0, ""],
  [23, `runAsUser=0 (${who} must not set runAsUser=0)`],
];
add("runAsUser", "0 for the pod", { securityContext: { runAsUser: 0 } }, ALLOWED, asRoot("pod"));
add("runAsUser", "0 in a container", secured({ runAsUser: 0 }), ALLOWED, asRoot('container "a"'));
add(
  "runAsUser",
  "0 for pod and containers",
  {
    securityContext: { runAsUser: 0 },
    spec: { containers: [container("a", { runAsUser: 0 })], initContainers: [container("i", { runAsUser: 0 })] },
  },
  ALLOWED,
  asRoot('pod and containers "i", "a"'),
);
add("runAsUser", "another", { securityContext: { runAsUser: 1000 }, ...secured({ runAsUser: 1 }) }, ALLOWED);
add("runAsUser", "0 in a user namespace", { spec: { hostUsers: false }, securityContext: { runAsUser: 0 } }, ALLOWED, [
  [0, ""],
  [23, "runAsUser=0 (pod must not set runAsUser=0)"],
  [35, ""],
]);

/** The published table of controls: at least one good and one bad pod for each, and each version in which one changes. */
export const publishedControls: readonly Row[] = rows;
