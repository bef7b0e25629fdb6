import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { systemTimers, type Timers } from "../../../../src/base/time/timers.js";
import type { AuthorizationMode } from "../../../../src/server/authz/authorizer.js";
import { ConfigurationFile } from "../../../../src/server/authz/configuration/configuration-file.js";
import { asks, user } from "../asked.js";
import { replaceFile } from "../../../helpers/replace-file.js";
import { FAST, review, ReviewWebhook } from "../webhook/review-webhook.js";

/** Timers that fire when they are told to: the polls. */
class Polls implements Timers {
  #callbacks = new Set<() => void>();

  start(_: number, callback: () => void): () => void {
    const once = (): void => {
      this.#callbacks.delete(once);
      callback();
    };
    this.#callbacks.add(once);
    return () => this.#callbacks.delete(once);
  }

  get waiting(): number {
    return this.#callbacks.size;
  }

  fire(): void {
    const due = [...this.#callbacks];
    for (const callback of due) callback();
  }
}

let folder: string;
let file: string;
let faults: string[];
let polls: Polls;
const opened: ConfigurationFile[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-file-"));
  file = join(folder, "authorization.yaml");
  faults = [];
  polls = new Polls();
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

const RBAC = { type: "RBAC", name: "rbac" };
const ALLOW = { type: "AlwaysAllow", name: "alwaysallow" };
const DENY = { type: "AlwaysDeny", name: "alwaysdeny" };

const textOf = (authorizers: unknown): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers });
const write = (authorizers: unknown): void => replaceFile(file, textOf(authorizers));

const hookOf = (kubeConfigFile: string, more: object = {}): object => ({
  type: "Webhook",
  name: "hook",
  webhook: {
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    failurePolicy: "NoOpinion",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
    ...more,
  },
});

/** RBAC of these tests: it allows get. */
const rbac: AuthorizationMode = {
  name: "RBAC",
  authorize: ({ verb }) => ({ decision: verb === "get" ? "allow" : "no-opinion", reason: `RBAC: ${verb}` }),
};

async function open() {
  const configuration = await ConfigurationFile.open(file, {
    clock: systemClock,
    timers: polls,
    random: systemRandom,
    env: {},
    reportError: (error) => faults.push(error instanceof Error ? error.message : String(error)),
    backoff: FAST,
  });
  opened.push(configuration);
  const mode = configuration.start({ RBAC: rbac });
  const decides = async (verb: string) => mode.authorize(asks(user("jane"), `${verb} pods shop/web`));
  return { configuration, mode, decides };
}

const healthy = (configuration: ConfigurationFile) =>
  configuration.check().then(
    () => "ok",
    (error: Error) => error.message,
  );

describe("changing the AuthorizationConfiguration file of a running server", () => {
  test("changes the authorizers and their order at once", async () => {
    write([RBAC, DENY]);
    const { decides } = await open();
    expect(await decides("get")).toMatchObject({ decision: "allow" });
    expect(await decides("list")).toEqual({ decision: "no-opinion", reason: "RBAC: list\nEverything is forbidden." });
    write([DENY, RBAC]);
    await expect
      .poll(() => decides("list"))
      .toEqual({ decision: "no-opinion", reason: "Everything is forbidden.\nRBAC: list" });
    expect(faults).toEqual([]);
  });

  test("works also when a shell writes the file in place", async () => {
    write([RBAC, DENY]);
    const { decides } = await open();
    writeFileSync(file, textOf([DENY, RBAC]));
    await expect.poll(async () => (await decides("list")).reason).toBe("Everything is forbidden.\nRBAC: list");
  });

  test("works also in a volume whose link is replaced", async () => {
    for (const [name, authorizers] of [
      ["one", [RBAC, DENY]],
      ["two", [DENY, RBAC]],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "authorization.yaml"), textOf(authorizers));
    }
    symlinkSync("one", join(folder, "..data"));
    symlinkSync(join("..data", "authorization.yaml"), file);
    const { decides } = await open();
    symlinkSync("two", join(folder, "..new"));
    renameSync(join(folder, "..new"), join(folder, "..data"));
    await expect.poll(async () => (await decides("list")).reason).toBe("Everything is forbidden.\nRBAC: list");
  });

  test("is noticed by the next poll when the folder sends no events", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "a"), textOf([RBAC, DENY]));
    symlinkSync(join(elsewhere, "a"), file);
    const { decides } = await open();
    writeFileSync(join(elsewhere, "a"), textOf([DENY, RBAC]));
    polls.fire();
    await expect.poll(async () => (await decides("list")).reason).toBe("Everything is forbidden.\nRBAC: list");
    expect(polls.waiting).toBe(1);
  });

  test("in comments alone keeps the authorizers and their caches", async () => {
    await using webhook = await ReviewWebhook.start();
    const text = textOf([hookOf(webhook.kubeconfig())]);
    replaceFile(file, text);
    const { decides, configuration } = await open();
    await decides("list");
    replaceFile(file, `# the same\n${text}`);
    polls.fire();
    await configuration.close();
    expect(await decides("list")).toEqual({ decision: "allow" });
    expect(webhook.reviews).toHaveLength(1);
  });

  test("can add a webhook, change it and remove it", async () => {
    await using webhook = await ReviewWebhook.start();
    webhook.answers = [review({ allowed: false, reason: "asked" })];
    write([RBAC]);
    const { decides } = await open();
    expect(await decides("list")).toMatchObject({ reason: "RBAC: list" });
    write([hookOf(webhook.kubeconfig()), RBAC]);
    await expect.poll(async () => (await decides("list")).reason).toBe("asked\nRBAC: list");
    const never = { matchConditionSubjectAccessReviewVersion: "v1", matchConditions: [{ expression: "false" }] };
    write([hookOf(webhook.kubeconfig(), never), RBAC]);
    await expect.poll(async () => (await decides("list")).reason).toBe("RBAC: list");
    write([RBAC]);
    polls.fire();
    await expect.poll(async () => (await decides("list")).reason).toBe("RBAC: list");
    expect(faults).toEqual([]);
  });

  test("does not interrupt calls under way", async () => {
    await using webhook = await ReviewWebhook.start();
    webhook.answers = ["silence", review({ allowed: true })];
    write([hookOf(webhook.kubeconfig(), { timeout: "200ms", failurePolicy: "Deny" }), RBAC]);
    const { decides } = await open();
    const deciding = decides("list");
    await expect.poll(() => webhook.reviews.length).toBe(1);
    write([RBAC]);
    await expect.poll(async () => (await decides("list")).reason).toBe("RBAC: list");
    expect((await deciding).error).toContain("Client.Timeout exceeded");
  });
});

describe("an AuthorizationConfiguration file that becomes invalid keeps the former authorizers, is reported and fails the health check", () => {
  const rows: readonly (readonly [name: string, text: () => string, message: string])[] = [
    ["half of a file", () => textOf([ALLOW]).slice(0, 60), "failed to load AuthorizationConfiguration from file: "],
    ["an empty file", () => "", "authorizers: Required value: at least one authorization mode must be defined"],
    [
      "a type that there is not",
      () => textOf([{ type: "Magic", name: "m" }]),
      'authorizers[0].type: Unsupported value: "Magic"',
    ],
    ["a type that is gone", () => textOf([DENY]), "missing required types: [RBAC]"],
    [
      "a type that was not there at the start",
      () => textOf([RBAC, DENY, { type: "Node", name: "node" }]),
      "authorizer type Node is not allowed if it was not enabled at initial server startup",
    ],
    [
      "a kubeconfig that is not there",
      () => textOf([RBAC, DENY, hookOf("/no/such")]),
      'authorizers[2].connectionInfo.kubeConfigFile: Invalid value: "/no/such": error loading file: ',
    ],
    [
      "a kubeconfig at fault",
      () => {
        writeFileSync(join(folder, "kc"), "clusters: 3\nusers: [{name: a, user: {token: very-secret}}]\n");
        return textOf([RBAC, DENY, hookOf(join(folder, "kc"))]);
      },
      "clusters",
    ],
  ];
  test.each(rows)("%s", async (_, text, message) => {
    write([RBAC, DENY]);
    const { decides, configuration } = await open();
    replaceFile(file, text());
    await expect.poll(() => faults.length).toBeGreaterThan(0);
    await expect.poll(() => healthy(configuration)).toContain(message);
    expect(faults.at(-1)).toContain(`reloading authorization config file ${file}: `);
    expect(faults.at(-1)).toContain(message);
    expect(faults.join()).not.toContain("very-secret");
    expect(await decides("list")).toEqual({ decision: "no-opinion", reason: "RBAC: list\nEverything is forbidden." });
    write([DENY, RBAC]);
    await expect.poll(() => healthy(configuration)).toBe("ok");
    expect((await decides("list")).reason).toBe("Everything is forbidden.\nRBAC: list");
  });

  test("once, while the fault lasts", async () => {
    write([RBAC]);
    const { configuration } = await open();
    write([]);
    await expect.poll(() => healthy(configuration)).not.toBe("ok");
    for (let round = 0; round < 3; round++) {
      polls.fire();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await configuration.close();
    expect(faults.filter((one) => one.includes("at least one authorization mode"))).toHaveLength(1);
  });

  test("also when it is deleted, until it exists again", async () => {
    write([RBAC]);
    const { configuration, decides } = await open();
    unlinkSync(file);
    await expect.poll(() => healthy(configuration)).toBe(`open ${file}: no such file or directory`);
    expect(await decides("get")).toMatchObject({ decision: "allow" });
    write([RBAC]);
    await expect.poll(() => healthy(configuration)).toBe("ok");
  });

  test("also when a kubeconfig is missing, until that exists", async () => {
    await using webhook = await ReviewWebhook.start();
    write([RBAC]);
    const { configuration, decides } = await open();
    const later = join(folder, "later");
    write([RBAC, hookOf(later)]);
    await expect.poll(() => healthy(configuration)).toContain("/later: no such file or directory");
    renameSync(webhook.kubeconfig(), later);
    polls.fire();
    await expect.poll(() => decides("list")).toEqual({ decision: "allow" });
    expect(await healthy(configuration)).toBe("ok");
  });
});

describe("an invalid AuthorizationConfiguration file at the start", () => {
  test("is an error that names file and field", async () => {
    write([{ type: "RBAC", name: "other" }]);
    await expect(open()).rejects.toThrow(
      `authorization config file ${file}: expected name rbac for authorizer RBAC instead of other`,
    );
  });

  test("is an error when it does not exist", async () => {
    await expect(open()).rejects.toThrow(`authorization config file ${file}: open ${file}: no such file or directory`);
  });

  test("is an error for a wrong kubeconfig, without its secrets", async () => {
    const kubeconfig = join(folder, "kc");
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", "certificate-authority": "/no/ca.pem" } }],
        users: [{ name: "u", user: { token: "very-secret" } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
    write([hookOf(kubeconfig)]);
    const message = await open().then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toContain(`authorization config file ${file}: `);
    expect(message).toContain("/no/ca.pem");
    expect(message).not.toContain("very-secret");
  });
});

test("a closed AuthorizationConfiguration file is not read any more", async () => {
  write([RBAC, DENY]);
  const { configuration, decides } = await open();
  await configuration.close();
  write([DENY, RBAC]);
  polls.fire();
  await new Promise((resolve) => systemTimers.start(20, () => resolve(undefined)));
  expect((await decides("list")).reason).toBe("RBAC: list\nEverything is forbidden.");
  expect(polls.waiting).toBe(0);
});
