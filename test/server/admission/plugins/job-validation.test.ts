import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOf } from "../../../../src/api/facts/index.js";
import { jobValidation } from "../../../../src/server/admission/plugins/job-validation.js";
import type { AdmissionAttributes } from "../../../../src/server/admission/attributes.js";
import type { AdmissionContext } from "../../../../src/server/admission/plugin.js";
import { text } from "../../../../src/machinery/meta/access.js";
import { create, expectAnswer, expectTaken, tryMerge } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const refusal = (job: string, group: string): string =>
  `jobs.batch "${job}" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "${group}"`;

let server: AdmittingServer;

/** Creates a Job, and answers its uid. */
async function job(name: string): Promise<string> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const made = await expectTaken(create(server.api, JOBS, { metadata: { name }, spec: { parallelism: 2, template } }));
  return text(made.at("metadata.uid"));
}

async function group(name: string, policy: object, owner?: { name: string; uid: string; controller: boolean }) {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: "batch/v1", kind: "Job", ...owner }];
  await expectTaken(
    create(server.api, GROUPS, { metadata: { name, ownerReferences }, spec: { schedulingPolicy: policy } }),
  );
}

beforeAll(async () => {
  server = await admittingServer({}, undefined, undefined, {
    release: await releaseOf("1.36"),
    runtimeConfig: { "scheduling.k8s.io/v1alpha2": true },
  });
  await group("gang", { gang: { minCount: 2 } });
  await job("plain");
  const controlling = await job("controlling");
  await group("controlled", { gang: { minCount: 2 } }, { name: "controlling", uid: controlling, controller: true });
  const owning = await job("owning");
  await group("owned", { gang: { minCount: 2 } }, { name: "owning", uid: owning, controller: false });
  const relaxed = await job("relaxed");
  await group("relaxed", { basic: {} }, { name: "relaxed", uid: relaxed, controller: true });
  const earlier = await job("earlier");
  await group("elder", { gang: { minCount: 2 } }, { name: "earlier", uid: `${earlier}0`, controller: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const to = (parallelism: number): object => ({ spec: { parallelism } });

describe("changing the parallelism of a Job", () => {
  const rows: readonly (readonly [title: string, name: string, patch: object, message: string])[] = [
    ["may change without a group", "plain", to(3), ""],
    ["may not change where it controls a gang", "controlling", to(3), refusal("controlling", "controlled")],
    ["may not become less either", "controlling", to(1), refusal("controlling", "controlled")],
    ["may not become nothing either", "controlling", to(0), refusal("controlling", "controlled")],
    ["may stay where it controls a gang", "controlling", to(2), ""],
    ["may change where it owns a gang and does not control it", "owning", to(3), ""],
    ["may change where it controls a group that is no gang", "relaxed", to(3), ""],
    ["may change where an earlier Job of its name controlled a gang", "earlier", to(3), ""],
    ["does not keep a Job of a gang from being labelled", "controlling", { metadata: { labels: { a: "b" } } }, ""],
    ["does not keep a Job of a gang from being suspended", "controlling", { spec: { suspend: true } }, ""],
  ];
  test.each(rows)("%s", (_, name, patch, message) =>
    expectAnswer(tryMerge(server.api, `${JOBS}/${name}`, patch), message),
  );
});

// The strategy drops the field in which a template names a group: kube-apiserver has it behind a gate that is off.
describe("changing the parallelism of a Job whose pods name a PodGroup", () => {
  const named = (parallelism: number): object => ({
    metadata: { name: "j", namespace: "default", uid: "u" },
    spec: { parallelism, template: { spec: { schedulingGroup: { podGroupName: "g" } } } },
  });
  const judge = (policy: object | undefined, parallelism: number) => {
    const found = policy && { metadata: { name: "g" }, spec: { schedulingPolicy: policy } };
    const context = { objects: { cached: { get: async () => found, list: async () => [] } } };
    const attributes = {
      resource: { group: "batch", version: "v1", resource: "jobs" },
      name: "j",
      object: named(parallelism),
      oldObject: named(2),
    };
    return (async () =>
      jobValidation.validate?.(attributes as unknown as AdmissionAttributes, context as unknown as AdmissionContext))();
  };

  test("is refused for a gang", async () => {
    await expect(judge({ gang: { minCount: 2 } }, 3)).rejects.toThrow(refusal("j", "g"));
  });
  test.each([
    ["may stay for a gang", { gang: { minCount: 2 } }, 2],
    ["may change for a group that is no gang", { basic: {} }, 3],
    ["may change where the group does not exist", undefined, 3],
  ])("%s", async (_, policy, parallelism) => {
    await expect(judge(policy, parallelism)).resolves.toBeUndefined();
  });
});
