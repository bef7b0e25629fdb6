import { describe, expect, test } from "vitest";
import { controls } from "../../../src/api/pod-security/controls/index.js";
import { evaluatePod, violationDetails, violationReasons } from "../../../src/api/pod-security/evaluate-pod.js";
import { bare, pod } from "./pods.js";
import { publishedControls } from "./published-controls.js";

/** Of Kubernetes. A later version is as the last of these. */
const LAST = 37;

type Case = readonly [
  level: "baseline" | "restricted",
  versions: string,
  name: string,
  row: number,
  from: number,
  to: number,
  text: string,
];

const cases = publishedControls.flatMap(({ control, name, baseline, restricted = baseline }, row): Case[] =>
  (
    [
      ["baseline", baseline],
      ["restricted", restricted],
    ] as const
  ).flatMap(([level, steps]) =>
    steps.map(([from, text], index): Case => {
      const to = (steps[index + 1]?.[0] ?? LAST + 1) - 1;
      const versions = to === LAST ? `since v1.${from}` : `from v1.${from} to v1.${to}`;
      return [level, versions, `${control}: ${name}`, row, from, to, text];
    }),
  ),
);

test("the published table of Pod Security controls has more than two hundred rows", () => {
  expect(cases.length).toBeGreaterThan(200);
});

test.each(cases)(
  "the Pod Security standard rates a pod as published: %s %s: %s",
  (level, _versions, _name, row, from, to, text) => {
    const given = publishedControls[row]?.pod ?? {};
    const versions = Array.from({ length: to - from + 1 }, (_, index) => `v1.${from + index}`);
    if (to === LAST) versions.push("v1.1000", "latest");
    const found = versions.map((version) => [version, violationDetails(evaluatePod({ level, version }, pod(given)))]);
    expect(found).toEqual(versions.map((version) => [version, text]));
  },
);

describe("the list of Pod Security controls", () => {
  test("is sorted by level, then by id, without duplicates, each with its revisions from old to new", () => {
    const key = ({ level, id }: (typeof controls)[number]): string => `${level} ${id}`;
    const keys = controls.map(key);
    expect(keys).toEqual([...new Set(keys)].sort());
    for (const { revisions } of controls) {
      const versions = revisions.map(({ since }) => since);
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    }
  });

  test("has for each control a pod of the table that violates it", () => {
    const reasons = new Set(
      publishedControls.flatMap(({ pod: given }) =>
        ["v1.0", "v1.18", "latest"].flatMap((version) =>
          evaluatePod({ level: "restricted", version }, pod(given)).map(({ reason }) => reason),
        ),
      ),
    );
    expect(reasons.size).toBeGreaterThanOrEqual(controls.length - 3);
  });

  test("reports the violations of one pod always in the same order", () => {
    const bad = pod({
      spec: {
        hostNetwork: true,
        volumes: [{ name: "v", hostPath: { path: "/" } }],
        containers: [{ ...bare("a"), ports: [{ containerPort: 1, hostPort: 1 }] }],
      },
      securityContext: {
        runAsNonRoot: false,
        runAsUser: 0,
        seccompProfile: { type: "Unconfined" },
        sysctls: [{ name: "x", value: "1" }],
      },
    });
    const reasons = (level: "baseline" | "restricted" | "privileged"): string =>
      violationReasons(evaluatePod({ level, version: "latest" }, bad));
    expect(reasons("privileged")).toBe("");
    expect(reasons("baseline")).toBe("host namespaces, hostPath volumes, hostPort, seccompProfile, forbidden sysctls");
    expect(reasons("restricted")).toBe(
      "host namespaces, hostPort, forbidden sysctls, allowPrivilegeEscalation != false, unrestricted capabilities, restricted volume types, runAsNonRoot != true, runAsUser=0, seccompProfile",
    );
  });
});
