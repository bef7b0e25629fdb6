import { afterAll, beforeAll, expect, test } from "vitest";
import { aborted } from "../../../src/base/async/until-aborted.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { configFromFile, kubernetesClient } from "../../../src/client/index.js";
import { openConnection } from "../../../src/cluster/programs/connection.js";
import { prepareLeadership } from "../../../src/cluster/programs/lead.js";
import { ComponentLog } from "../../../src/component/logging/component-log.js";
import { type BareServer, startBareServer } from "./running-component.js";

let server: BareServer;
beforeAll(async () => {
  server = await startBareServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test("LE-2: a leader that stood still until its term ended sends nothing more, before any of its timers has fired", async () => {
  const config = await configFromFile(server.kubeconfig);
  // The process stands still for a minute: its clock has jumped, and none of its timers has fired yet.
  let stoodStill = 0;
  const clock = { now: () => Date.now() + stoodStill };
  let log = "";
  const leads = deferred<void>();
  const logging = { clock, log: new ComponentLog({ write: (line) => void (log += line), clock, verbosity: 0 }) };
  const leadership = prepareLeadership({
    program: "tested-program",
    settings: {
      enabled: true,
      namespace: "kube-system",
      name: "tested-program",
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2000,
      releases: false,
    },
    transport: openConnection(config, logging),
    ...logging,
    signal: new AbortController().signal,
    async work(ending) {
      leads.resolve();
      await aborted(ending);
    },
  });
  const transport = openConnection(config, logging, { mayAct: () => leadership.mayAct() });
  const client = kubernetesClient({ transport: () => transport }, {});
  const create = (name: string) =>
    client
      .of("v1", "ConfigMap")
      .namespace("default")
      .create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  await expect(create("before-the-term")).rejects.toThrow("the sender's term as the leader is over");
  const lost = expect(leadership.run()).rejects.toThrow("leaderelection lost");
  await leads.promise;
  await create("in-the-term");
  stoodStill = 60_000;
  await expect(create("after-the-term")).rejects.toThrow("the sender's term as the leader is over");
  await lost;
  expect(log).toContain('"Successfully acquired lease" lock="kube-system/tested-program"');
  await client.close();
});
