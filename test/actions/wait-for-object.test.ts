import { afterAll, beforeAll, expect, test } from "vitest";
import { created, deleted, hasCondition, hasValue, holds, waitForObject } from "../../src/actions/index.js";
import { isNoMatchError, isNotFound, type KubeObject } from "../../src/client/index.js";
import { ManualTime } from "../helpers/manual-time.js";
import { type ActionCluster, actionCluster } from "./action-cluster.js";

let running: ActionCluster;
beforeAll(async () => {
  running = await actionCluster();
});
afterAll(() => running[Symbol.asyncDispose]());

const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...more },
  spec: { containers: [{ name: "main", image: "nginx" }] },
});
const reference = (name: string) => ({ apiVersion: "v1", kind: "Pod", namespace: "default", name });
const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });

test("waitForObject() ends when the condition is met, and resolves with the object as it is then", async () => {
  const { client } = running;
  const made = await running.create(pod("becomes-ready"));
  const states: string[] = [];
  const waiting = waitForObject({
    client,
    object: reference("becomes-ready"),
    until: hasCondition("ready"),
    onState: ({ status }) => {
      const { conditions = [] } = status as { conditions?: { status: string }[] };
      states.push(conditions[0]?.status ?? "none");
      if (states.length === 1) void running.writeStatus(made, ready("False"));
      if (states.length === 2) void running.writeStatus(made, ready("True"));
    },
  });
  expect(await waiting).toMatchObject({ type: "met", object: { status: ready("True") } });
  expect(states).toEqual(["none", "False", "True"]);
});

test("waitForObject() by a JSONPath ends when the field has the value, or without a value when the field exists", async () => {
  const { client } = running;
  await running.writeStatus(await running.create(pod("phased")), { phase: "Running" });
  const object = reference("phased");
  expect(await waitForObject({ client, object, until: hasValue("{.status.phase}", "Running") })).toMatchObject({
    type: "met",
  });
  expect(await waitForObject({ client, object, until: hasValue(".spec.containers[0].image") })).toMatchObject({
    type: "met",
  });
});

test("waitForObject() throws at once for a JSONPath that cannot be parsed", () => {
  expect(() => hasValue("")).toThrow("jsonpath expression cannot be empty");
  expect(() => hasValue("{.status")).toThrow("unexpected path string");
});

test("waitForObject() can wait until an object is created and then meets a condition", async () => {
  const { client } = running;
  const object = reference("comes-later");
  const check = holds(({ metadata }) => metadata?.labels?.["app"] === "web");
  const waiting = waitForObject({ client, object, until: [created, check] });
  await running.create(pod("comes-later", { labels: { app: "web" } }));
  expect(await waiting).toMatchObject({ type: "met", object: { metadata: { name: "comes-later" } } });
});

test("waitForObject() resolves with the outcome notFound for a missing object, unless it waits for the creation", async () => {
  const { client } = running;
  const outcome = await waitForObject({ client, object: reference("missing"), until: hasCondition("Ready") });
  expect(outcome.type).toBe("notFound");
  expect(outcome).toSatisfy((one: { error: unknown }) => isNotFound(one.error));
});

test("waitForObject() waits for a deletion, finalizers included, and resolves with the last state of the object", async () => {
  const { client } = running;
  await running.create(pod("held", { finalizers: ["example.com/hold"] }));
  const pods = client.resource({ group: "", version: "v1", resource: "pods" }).namespace("default");
  let seenDeleting = (): void => undefined;
  const deleting = new Promise<void>((resolve) => (seenDeleting = resolve));
  const onState = ({ metadata }: KubeObject): void => {
    if (metadata?.deletionTimestamp !== undefined) seenDeleting();
  };
  const waiting = waitForObject({ client, object: reference("held"), until: deleted, onState });
  await pods.delete("held", { gracePeriodSeconds: 0 });
  await deleting;
  await pods.patch("held", { metadata: { finalizers: null } }, { type: "merge" });
  expect(await waiting).toMatchObject({ type: "met", object: { metadata: { name: "held" } } });
  expect(await waitForObject({ client, object: reference("held"), until: deleted })).toEqual({
    type: "met",
    object: undefined,
  });
});

test("waitForObject() ends at once when a condition of failure is met, and names that condition", async () => {
  const { client } = running;
  await running.writeStatus(await running.create(pod("fails")), { phase: "Failed" });
  const failure = hasValue("{.status.phase}", "Failed");
  const outcome = await waitForObject({
    client,
    object: reference("fails"),
    until: hasCondition("Ready"),
    failOn: [hasValue("{.status.phase}", "Unknown"), failure],
  });
  expect(outcome).toMatchObject({ type: "failed", condition: failure, object: { metadata: { name: "fails" } } });
});

test("waitForObject() with several conditions ends when any is met (any), or when each has been met once", async () => {
  const { client } = running;
  await running.writeStatus(await running.create(pod("one-of-two")), { phase: "Running" });
  const object = reference("one-of-two");
  const until = [hasCondition("Ready"), hasValue("{.status.phase}", "Running")];
  expect(await waitForObject({ client, object, until, any: true, timeout: 0 })).toMatchObject({ type: "met" });
  expect(await waitForObject({ client, object, until, timeout: 0 })).toMatchObject({ type: "timedOut" });
});

test("waitForObject() resolves with a time-out outcome at its time limit, and with the object's last state", async () => {
  const { client } = running;
  await running.create(pod("slow"));
  const timers = new ManualTime();
  const outcome = await waitForObject({
    client,
    object: reference("slow"),
    until: hasCondition("Ready"),
    timeout: 60_000,
    timers,
    onState: () => timers.pass(60_000),
  });
  expect(outcome).toMatchObject({ type: "timedOut", object: { metadata: { name: "slow" } } });
});

test("waitForObject() ends with its signal's reason", async () => {
  const { client } = running;
  await running.create(pod("stopped"));
  const stop = new AbortController();
  const reason = new Error("the operator stops");
  const waiting = waitForObject({
    client,
    object: reference("stopped"),
    until: hasCondition("Ready"),
    signal: stop.signal,
    onState: () => stop.abort(reason),
  });
  await expect(waiting).rejects.toBe(reason);
});

test("waitForObject() throws the error of a condition that cannot be evaluated for the object", async () => {
  const { client } = running;
  await running.create(pod("odd"));
  const until = hasValue("{.spec.containers[0]}", "nginx");
  await expect(waitForObject({ client, object: reference("odd"), until })).rejects.toThrow(
    "jsonpath leads to a nested object or list",
  );
});

test("waitForObject() names an unknown kind, and a missing namespace on a client without one", async () => {
  const { client } = running;
  const until = created;
  const unknown = { apiVersion: "shop.example.com/v1", kind: "Cart", name: "a" };
  await expect(waitForObject({ client, object: unknown, until })).rejects.toSatisfy(isNoMatchError);
  const homeless = { apiVersion: "v1", kind: "Pod", name: "a" };
  const { rest, mapper } = client;
  const waiting = waitForObject({ client: { rest, mapper }, object: homeless, until });
  await expect(waiting).rejects.toThrow('the Pod "a" has no namespace');
});
