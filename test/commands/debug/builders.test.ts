import { beforeAll, describe, expect, test } from "vitest";
import {
  type ApplyCustomProfile,
  customProfileMerger,
  debugProfile,
  isHamperedByUser,
} from "../../../src/commands/debug/profiles.js";
import {
  type DebugRequest,
  newContainerName,
  withEphemeralContainer,
  nodePod,
  type CopyRequest,
  podCopy,
} from "../../../src/commands/debug/debugging-pods.js";
import { object, objects } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

const request: DebugRequest = {
  container: "",
  image: "busybox",
  args: [],
  argumentsOnly: false,
  env: [],
  pullPolicy: "",
  stdin: false,
  tty: false,
  profile: "general",
  keep: {
    labels: false,
    annotations: false,
    liveness: false,
    readiness: false,
    startup: false,
    initContainers: true,
  },
  custom: undefined,
};
const copyRequest: CopyRequest = {
  ...request,
  copyTo: "copy",
  sameNode: false,
  shareProcesses: undefined,
  setImages: new Map(),
};
const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", labels: { app: "web" }, annotations: { note: "x" } },
  spec: {
    nodeName: "n1",
    initContainers: [{ name: "setup", image: "a" }],
    containers: [
      {
        name: "app",
        image: "nginx",
        command: ["run"],
        args: ["x"],
        livenessProbe: {},
        securityContext: { runAsUser: 5 },
      },
      { name: "side", image: "redis", readinessProbe: {}, startupProbe: {} },
    ],
    ephemeralContainers: [{ name: "old", image: "b" }],
  },
};

let merge: ApplyCustomProfile;
beforeAll(async () => {
  merge = await customProfileMerger();
});

const ephemeral = (more: Partial<DebugRequest>) =>
  withEphemeralContainer(pod, "dbg", "", { ...request, ...more }, merge).container;
const copy = (more: Partial<CopyRequest>) => podCopy(pod, { ...copyRequest, ...more }, () => "new", merge);
const onNode = (more: Partial<DebugRequest>) =>
  object(nodePod("n1", "pod", "dbg", { ...request, ...more }, merge).spec);
const containers = (of: KubeObject) => objects(object(of.spec).containers);

const PTRACE = { capabilities: { add: ["SYS_PTRACE"] } };
const RESTRICTED = {
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  allowPrivilegeEscalation: false,
  seccompProfile: { type: "RuntimeDefault" },
};
const NET = { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } };

describe("the security context that a debug profile gives the debug container", () => {
  test.each([
    ["legacy", undefined, undefined, undefined],
    ["general", PTRACE, PTRACE, undefined],
    ["baseline", undefined, undefined, undefined],
    ["restricted", RESTRICTED, RESTRICTED, RESTRICTED],
    ["netadmin", NET, NET, NET],
    ["sysadmin", { privileged: true }, { privileged: true }, { privileged: true }],
  ])("with the profile %s, capabilities and user", (profile, inPod, inCopy, node) => {
    expect(ephemeral({ profile })["securityContext"]).toEqual(inPod);
    expect(containers(copy({ profile }).pod).at(-1)?.["securityContext"]).toEqual(inCopy);
    expect(objects(onNode({ profile })["containers"])[0]?.["securityContext"]).toEqual(node);
  });
});

describe("the pod that kubectl debug makes on a node", () => {
  test.each([
    ["legacy", true, true],
    ["general", true, true],
    ["baseline", false, false],
    ["restricted", false, false],
    ["netadmin", true, false],
    ["sysadmin", true, true],
  ])("with the profile %s has the node's namespaces: %s, and its files: %s", (profile, namespaces, files) => {
    const { hostNetwork, hostPID, hostIPC, volumes, tolerations, nodeName } = onNode({ profile });
    expect([hostNetwork, hostPID, hostIPC]).toEqual(Array<unknown>(3).fill(namespaces || undefined));
    expect(volumes).toEqual(files ? [{ name: "host-root", hostPath: { path: "/" } }] : undefined);
    expect({ tolerations, nodeName }).toEqual({ tolerations: [{ operator: "Exists" }], nodeName: "n1" });
  });
});

describe("the copy of a pod that kubectl debug makes", () => {
  test("belongs to no service, controller or node, and has no probes and no ephemeral containers", () => {
    const { metadata, spec } = copy({}).pod;
    expect(metadata).toEqual({ name: "copy", namespace: "shop" });
    const { nodeName, ephemeralContainers, shareProcessNamespace } = object(spec);
    expect({ nodeName, ephemeralContainers, shareProcessNamespace }).toEqual({ shareProcessNamespace: true });
    expect(JSON.stringify(spec)).not.toContain("Probe");
  });

  test.each([
    ["labels", { labels: { app: "web" } }],
    ["annotations", { annotations: { note: "x" } }],
  ] as const)("keeps %s when the user asks for it", (field, kept) => {
    expect(copy({ keep: { ...request.keep, [field]: true } }).pod.metadata).toMatchObject(kept);
  });

  test.each(["liveness", "readiness", "startup"] as const)("keeps the %s probe when the user asks for it", (probe) => {
    const kept = copy({ keep: { ...request.keep, [probe]: true } }).pod;
    expect(JSON.stringify(kept)).toContain(`${probe}Probe`);
  });

  test.each([
    ["a container more", { image: "busybox" }, "new", ["app=nginx", "side=redis", "new=busybox"]],
    ["a named one", { image: "busybox", container: "dbg" }, "dbg", ["app=nginx", "side=redis", "dbg=busybox"]],
    ["another image of its own", { image: "debian", container: "side" }, "side", ["app=nginx", "side=debian"]],
    [
      "other images alone",
      {
        image: "",
        setImages: new Map([
          ["*", "x"],
          ["app", "y"],
        ]),
      },
      "",
      ["app=y", "side=x"],
    ],
  ] as const)("has %s", (_what, more, container, images) => {
    const made = copy(more);
    expect(made.container).toBe(container);
    expect(containers(made.pod).map(({ name, image }) => `${String(name)}=${String(image)}`)).toEqual(images);
  });

  test("runs another command without the old arguments, or the old command with other arguments", () => {
    const changed = (argumentsOnly: boolean) =>
      containers(copy({ image: "", container: "app", args: ["sh"], argumentsOnly }).pod)[0];
    expect(changed(false)).toMatchObject({ command: ["sh"] });
    expect(changed(false)).not.toHaveProperty("args");
    expect(changed(true)).toMatchObject({ command: ["run"], args: ["sh"] });
  });

  test("needs an image for an additional container", () => {
    expect(() => copy({ image: "", container: "none", args: ["sh"] })).toThrow(
      "you must specify image when creating new container",
    );
  });

  test("does not change the original pod", () => {
    const before = structuredClone(pod);
    copy({ container: "app", args: ["sh"], sameNode: true, shareProcesses: false, setImages: new Map([["*", "x"]]) });
    expect(pod).toEqual(before);
  });
});

describe("a custom profile of kubectl debug", () => {
  const custom = { env: [{ name: "B", value: "2" }], securityContext: { runAsUser: 0 } };

  test("is merged over the chosen profile", () => {
    expect(ephemeral({ custom, env: [{ name: "A", value: "1" }] })).toMatchObject({
      name: "dbg",
      securityContext: { ...PTRACE, runAsUser: 0 },
      env: [
        { name: "B", value: "2" },
        { name: "A", value: "1" },
      ],
    });
  });

  test("changes no other container", () => {
    expect(containers(copy({ custom, container: "dbg" }).pod)[0]).not.toHaveProperty("env");
  });
});

test("kubectl debug refuses an unknown profile", () => {
  expect(() => debugProfile("toString")).toThrow("unknown profile: toString");
});

test.each([
  ["no user", {}, PTRACE, false],
  ["root", { runAsUser: 0 }, PTRACE, false],
  ["another user and capabilities", { runAsUser: 5 }, PTRACE, true],
  ["another user and a privileged container", { runAsUser: 5 }, { privileged: true }, true],
  ["another user and no rights", { runAsUser: 5 }, {}, false],
  ["another user, and root in the container", { runAsUser: 5 }, { ...PTRACE, runAsUser: 0 }, false],
])("kubectl debug warns about a pod with %s: %j %j %s", (_case, podContext, context, warned) => {
  expect(isHamperedByUser({ spec: { securityContext: podContext } }, { securityContext: context })).toBe(warned);
});

test("the name that kubectl debug generates for a container is not one of the pod's", () => {
  const draws = [Uint8Array.of(0, 0, 0, 0, 0), Uint8Array.of(1, 1, 1, 1, 1)];
  const random = { bytes: () => draws.shift() ?? new Uint8Array(5) };
  expect(newContainerName(new Set(["debugger-bbbbb"]), random)).toBe("debugger-ccccc");
});
