import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APPLY, Arena, JSON_PATCH, MERGE, pod, STRATEGIC, type Try, tryAll } from "./arena.js";

const REFUSED = "403 Forbidden";
const INVALID = "422 Invalid";
const PODS = "/api/v1/namespaces/safe/pods";
const STRICT = "/api/v1/namespaces/strict/pods";
const LABEL = "pod-security.kubernetes.io/enforce";

let arena: Arena;

const container = (more: object) => ({ containers: [{ name: "c", image: "i", ...more }] });
const secured = (securityContext: object) => container({ securityContext });
const mounts = (volume: object) => ({ volumes: [{ name: "v", ...volume }] });
const RESTRICTED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  ...secured({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }),
};
const privileged = { name: "e", image: "i", securityContext: { privileged: true } };

/** dev may write pods of both namespaces and every part of them; space may write namespaces but not these; both are no exemption. */
beforeAll(async () => {
  arena = await Arena.open();
  for (const [name, level] of [
    ["safe", "baseline"],
    ["strict", "restricted"],
  ] as const) {
    await arena.create("/api/v1/namespaces", { metadata: { name, labels: { [LABEL]: level } } });
    await arena.create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
  }
  await arena.allow(
    "dev",
    "create,get,list,update,patch,delete pods",
    "update,patch pods/ephemeralcontainers,pods/resize,pods/status",
  );
  await arena.allow("dev", "get,list namespaces", "create,update,patch apps:deployments");
  await arena.create(PODS, pod("p"));
  await arena.create(STRICT, pod("p", RESTRICTED));
});

afterAll(() => arena[Symbol.asyncDispose]());

describe("a pod that the namespace's Pod Security level forbids is refused:", () => {
  const rows: readonly Try[] = [
    ["privileged", "dev", `POST ${PODS}`, REFUSED, pod("x", secured({ privileged: true }))],
    ["privileged, in dry run", "dev", `POST ${PODS}?dryRun=All`, REFUSED, pod("x", secured({ privileged: true }))],
    [
      "privileged, of a generated name",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      { ...pod("x", secured({ privileged: true })), metadata: { generateName: "x-" } },
    ],
    [
      "privileged, created by an apply",
      "dev",
      `PATCH ${PODS}/x?fieldManager=m`,
      REFUSED,
      pod("x", secured({ privileged: true })),
      { type: APPLY },
    ],
    [
      "privileged, in its second container",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", {
        containers: [
          { name: "a", image: "i" },
          { ...privileged, name: "b" },
        ],
      }),
    ],
    ["privileged, in an init container", "dev", `POST ${PODS}`, REFUSED, pod("x", { initContainers: [privileged] })],
    [
      "privileged, in a sidecar",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", { initContainers: [{ ...privileged, restartPolicy: "Always" }] }),
    ],
    ["in the host's network", "dev", `POST ${PODS}`, REFUSED, pod("x", { hostNetwork: true })],
    ["among the host's processes", "dev", `POST ${PODS}`, REFUSED, pod("x", { hostPID: true })],
    ["in the host's memory", "dev", `POST ${PODS}`, REFUSED, pod("x", { hostIPC: true })],
    ["with a folder of the host", "dev", `POST ${PODS}`, REFUSED, pod("x", mounts({ hostPath: { path: "/" } }))],
    [
      "with a port of the host",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", container({ ports: [{ containerPort: 80, hostPort: 80 }] })),
    ],
    ["with a capability", "dev", `POST ${PODS}`, REFUSED, pod("x", secured({ capabilities: { add: ["SYS_ADMIN"] } }))],
    [
      "with a capability in small letters",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", secured({ capabilities: { add: ["sys_admin"] } })),
    ],
    ["with all capabilities", "dev", `POST ${PODS}`, REFUSED, pod("x", secured({ capabilities: { add: ["ALL"] } }))],
    [
      "without a filter of calls",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", secured({ seccompProfile: { type: "Unconfined" } })),
    ],
    [
      "without a profile, by an old annotation",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", {}, { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } }),
    ],
    ["with everything of /proc", "dev", `POST ${PODS}`, INVALID, pod("x", secured({ procMount: "Unmasked" }))],
    [
      "with an unsafe setting of the kernel",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }),
    ],
    [
      "with a type of SELinux",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", secured({ seLinuxOptions: { type: "spc_t" } })),
    ],
    [
      "as a process of the host, on Windows",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", { hostNetwork: true, ...secured({ windowsOptions: { hostProcess: true } }) }),
    ],
    [
      "with a probe of another host",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", container({ livenessProbe: { httpGet: { host: "169.254.169.254", port: 80, path: "/" } } })),
    ],
    [
      "with a hook to another host",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", container({ lifecycle: { postStart: { httpGet: { host: "127.0.0.1", port: 80, path: "/" } } } })),
    ],
    [
      "that says it is for Windows and is privileged",
      "dev",
      `POST ${STRICT}`,
      INVALID,
      pod("x", { os: { name: "windows" }, ...secured({ privileged: true }) }),
    ],
    [
      "as root, where only others may run",
      "dev",
      `POST ${STRICT}`,
      REFUSED,
      pod("x", { ...RESTRICTED, securityContext: { ...RESTRICTED.securityContext, runAsUser: 0 } }),
    ],
    [
      "as root by one container",
      "dev",
      `POST ${STRICT}`,
      REFUSED,
      pod("x", {
        ...RESTRICTED,
        ...secured({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, runAsNonRoot: false }),
      }),
    ],
    [
      "that may become more",
      "dev",
      `POST ${STRICT}`,
      REFUSED,
      pod("x", { ...RESTRICTED, ...secured({ capabilities: { drop: ["ALL"] } }) }),
    ],
    ["with nothing said", "dev", `POST ${STRICT}`, REFUSED, pod("x")],
    [
      "with a label that would exempt it",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", secured({ privileged: true }), { labels: { [LABEL]: "privileged" } }),
    ],
    [
      "with an annotation that would exempt it",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", secured({ privileged: true }), { annotations: { "pod-security.kubernetes.io/exempt": "user" } }),
    ],
    [
      "with a runtime class that would exempt it",
      "dev",
      `POST ${PODS}`,
      REFUSED,
      pod("x", { runtimeClassName: "exempt", ...secured({ privileged: true }) }),
    ],
    [
      "an ephemeral container that is privileged",
      "dev",
      `PATCH ${PODS}/p/ephemeralcontainers`,
      REFUSED,
      { spec: { ephemeralContainers: [privileged] } },
      { type: STRATEGIC },
    ],
    [
      "an ephemeral container by a JSON patch",
      "dev",
      `PATCH ${PODS}/p/ephemeralcontainers`,
      REFUSED,
      [{ op: "add", path: "/spec/ephemeralContainers", value: [privileged] }],
      { type: JSON_PATCH },
    ],
    [
      "an ephemeral container that says nothing, where it must",
      "dev",
      `PATCH ${STRICT}/p/ephemeralcontainers`,
      REFUSED,
      { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } },
      { type: STRATEGIC },
    ],
    [
      "an ephemeral container by an apply",
      "dev",
      `PATCH ${PODS}/p/ephemeralcontainers?fieldManager=m&force=true`,
      REFUSED,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { ephemeralContainers: [privileged] } },
      { type: APPLY },
    ],
    [
      "privileged by a change",
      "dev",
      `PATCH ${PODS}/p`,
      INVALID,
      { spec: secured({ privileged: true }) },
      { type: STRATEGIC },
    ],
    ["in the host's network by a change", "dev", `PUT ${PODS}/p`, INVALID, pod("p", { hostNetwork: true })],
    [
      "unconfined by an annotation that is added",
      "dev",
      `PATCH ${PODS}/p`,
      INVALID,
      { metadata: { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } } },
      { type: MERGE },
    ],
    [
      "by another level on the namespace",
      "dev",
      "PATCH /api/v1/namespaces/safe",
      REFUSED,
      { metadata: { labels: { [LABEL]: "privileged" } } },
      { type: MERGE },
    ],
    [
      "by an apply of another level",
      "dev",
      "PATCH /api/v1/namespaces/safe?fieldManager=m&force=true",
      REFUSED,
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "safe", labels: { [LABEL]: "privileged" } } },
      { type: APPLY },
    ],
    [
      "by the namespace's status",
      "dev",
      "PATCH /api/v1/namespaces/safe/status",
      REFUSED,
      { metadata: { labels: { [LABEL]: null } } },
      { type: MERGE },
    ],
    [
      "by a namespace's subresource of the end",
      "dev",
      "PUT /api/v1/namespaces/safe/finalize",
      REFUSED,
      { metadata: { name: "safe", labels: {} } },
    ],
    [
      "by a level that there is not, written by an administrator",
      "x,system:masters",
      "PATCH /api/v1/namespaces/safe",
      INVALID,
      { metadata: { labels: { [LABEL]: "none" } } },
      { type: MERGE },
    ],
    [
      "by a level in capitals, written by an administrator",
      "x,system:masters",
      "PATCH /api/v1/namespaces/safe",
      INVALID,
      { metadata: { labels: { [LABEL]: "Privileged" } } },
      { type: MERGE },
    ],
  ];
  tryAll(rows, () => arena);
});

test("a pod that the level allows is accepted, and the server reported no error", async () => {
  const taken = await arena.send("dev", { method: "POST", path: `${STRICT}?dryRun=All`, body: pod("ok", RESTRICTED) });
  expect(taken.status, taken.text).toBe(201);
  expect(arena.faults).toEqual([]);
});
