import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ControllerRevision } from "../../../src/api/types/apps/v1.js";
import type { StartController } from "../../../src/controllers/context.js";
import { daemonSetController } from "../../../src/controllers/daemon-set/daemon-set-controller.js";
import { deploymentController } from "../../../src/controllers/deployment/deployment-controller.js";
import { replicaSetController } from "../../../src/controllers/replica-set/replica-controller.js";
import { statefulSetController } from "../../../src/controllers/stateful-set/stateful-set-controller.js";
import { revisionText } from "../../../src/controllers/history/revision-data.js";
import { revisionHash } from "../../../src/controllers/template-hash/template-hash.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { ApiObject } from "../../../src/machinery/meta/object.js";
import { eventually } from "../../helpers/eventually.js";
import { controllerManagerMissing as missing } from "../../helpers/kube-controller-manager.js";
import { type ControllersOfServer, controllersOf } from "../../helpers/controllers-of.js";
import { type JudgedCluster, judgedCluster } from "./judged-cluster.js";
import { change, daemonSet, deployment, type Session, statefulSet, update } from "./scenario.js";
import { isComplete, isObserved } from "./seen.js";

// What kube-controller-manager 1.20 made is taken over by our controllers as it is: nothing is rolled out.
if (missing !== undefined) process.stdout.write(`the take-over from 1.20 is skipped: ${missing}\n`);

const OURS: readonly StartController[] = [
  deploymentController,
  replicaSetController,
  statefulSetController,
  daemonSetController,
];

describe.skipIf(missing !== undefined)("objects of kube-controller-manager 1.20 under our controllers", () => {
  let theirs: JudgedCluster;
  let session: Session;
  let ours: ControllersOfServer | undefined;

  const done = () =>
    eventually(() => {
      expect(session.isCurrent() && isObserved(session.seen) && isComplete(session.seen)).toBe(true);
    });
  const uids = (objects: readonly ApiObject[]) => new Set(objects.map(({ metadata }) => metadata?.uid));

  let revisionsOf: (kind: string) => readonly ControllerRevision[];

  beforeAll(async () => {
    theirs = await judgedCluster("theirs");
    session = await theirs.session("shop");
    await session.create(deployment(), statefulSet(), daemonSet());
    await done();
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"]) await update(kind, "web:2")(session);
    await done();
    await theirs.stopControllers();
    const { revisions } = session.seen;
    revisionsOf = (kind) => revisions.filter(({ metadata }) => metadata?.ownerReferences?.[0]?.kind === kind);
  });
  afterAll(async () => {
    await ours?.close();
    await theirs?.close();
  });

  test("are kept: ReplicaSets, revisions and pods", async () => {
    const before = session.seen;
    ours = controllersOf(theirs.cluster.transport(), OURS);
    // Each workload changes once, so that our controllers have surely worked on it.
    await change("Deployment", { replicas: 4 })(session);
    await change("StatefulSet", { replicas: 4 })(session);
    await session.patch("Node", "batch", { spec: { taints: null } });
    await eventually(() => {
      const { pods } = session.seen;
      expect(pods.length).toBe(before.pods.length + 3);
    });
    await done();
    await setTimeout(500);
    const after = session.seen;
    expect(ours.problems).toEqual([]);
    expect(uids(after.replicaSets)).toEqual(uids(before.replicaSets));
    expect(before.pods.filter(({ metadata }) => !uids(after.pods).has(metadata?.uid))).toEqual([]);
    const numbers = (seen: typeof before) => seen.statefulSets.map(({ status }) => status?.updateRevision);
    expect(numbers(after)).toEqual(numbers(before));
    const kept = before.revisions.map(({ metadata }) => metadata?.name);
    const added = after.revisions.filter(({ metadata }) => !kept.includes(metadata?.name));
    // As in Kubernetes, a DaemonSet's revision has other data and another hash in 1.36, and its pods count as updated by their generation.
    expect(added.map(({ metadata }) => metadata?.ownerReferences?.[0]?.kind)).toEqual(["DaemonSet"]);
    expect(after.revisions.length).toBe(before.revisions.length + 1);
  });

  test("are updated and rolled back, and an old ReplicaSet is used again", async () => {
    const before = session.seen;
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"]) await update(kind, "web:1")(session);
    await done();
    expect(uids(session.seen.replicaSets)).toEqual(uids(before.replicaSets));
    const images = session.seen.pods.map(({ spec }) => spec?.containers[0]?.image);
    expect(new Set(images)).toEqual(new Set(["web:1"]));
  });

  test("have the names and hashes that our controllers compute from the same data", () => {
    const sets = revisionsOf("StatefulSet");
    expect(sets.length).toBe(2);
    for (const { metadata, data } of sets) {
      expect(metadata?.labels?.["controller.kubernetes.io/hash"]).toBe(
        revisionHash(revisionText(data as JsonObject), 0),
      );
    }
  });
});
