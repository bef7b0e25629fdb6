import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { clusterPeer } from "./cluster-peer.js";
import { type Answer, configMap, json, silence, startFaultyServer, stallAfter } from "./faulty-server.js";
import { describeBesideKubectl, type Outcome, type Running, sideBySide } from "./side-by-side.js";
import { message, webSocket } from "./web-socket-answers.js";

const THREE = ["a", "b", "c"]
  .map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`)
  .join("---\n");
const ONE = json(configMap("a"));
const POD = json({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default" },
  spec: { containers: [{ name: "c", image: "i" }] },
});
const NONE = json({ kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] });
const EVENT = `${JSON.stringify({ type: "ADDED", object: configMap("a") })}\n`;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Sends the signal once `when` holds. */
async function outcomeOf(
  line: string,
  signal: NodeJS.Signals,
  answers: readonly Answer[],
  when: (running: Running) => boolean,
): Promise<Outcome> {
  const { real, ours } = await sideBySide(`exec ${line}`, {
    peer: () => startFaultyServer(answers),
    files: { "three.yaml": THREE },
    meanwhile: async (running) => {
      await eventually(async () => expect(when(running)).toBe(true));
      running.child.kill(signal);
    },
  });
  expect(ours).toEqual(real);
  return real;
}

async function interrupt(...given: Parameters<typeof outcomeOf>): Promise<void> {
  await outcomeOf(...given);
}

const asked =
  (times: number) =>
  ({ peer }: Running): boolean =>
    peer.requests.filter((request) => /\/(?:configmaps|pods)/.test(request)).length >= times;

describeBesideKubectl("a signal ends kubets as it ends kubectl, during", () => {
  test.each(SIGNALS)("a request that waits for its answer: %s", (signal) =>
    interrupt("kubectl get cm", signal, [silence], asked(1)),
  );

  test.each(SIGNALS)("a watch: %s", (signal) =>
    interrupt("kubectl get cm -w -o name --watch-only", signal, [NONE, stallAfter(EVENT, {})], ({ stdout }) =>
      stdout().includes("configmap/a"),
    ),
  );

  test.each(SIGNALS)("logs -f: %s", (signal) =>
    interrupt("kubectl logs -f a", signal, [POD, stallAfter("one\n", {})], ({ stdout }) => stdout() === "one\n"),
  );

  test.each(SIGNALS)("wait: %s", (signal) =>
    interrupt("kubectl wait cm a --for=delete", signal, [ONE, ONE, stallAfter(EVENT, {})], asked(3)),
  );

  test.each(SIGNALS)("delete, during the deletion: %s", (signal) =>
    interrupt("kubectl delete cm a", signal, [ONE, stallAfter(EVENT, {})], asked(2)),
  );

  test.each(SIGNALS)("delete, while it waits for the end: %s", (signal) =>
    interrupt("kubectl delete cm a", signal, [ONE, ONE, stallAfter(EVENT, {})], asked(3)),
  );

  test.each(SIGNALS)("apply of several files, which reports what it has done: %s", async (signal) => {
    const { stdout } = await outcomeOf(
      "kubectl apply -f three.yaml --validate=false --server-side",
      signal,
      [ONE, silence],
      ({ stdout, peer }) => asked(2)({ peer } as Running) && stdout() !== "",
    );
    expect(stdout).toBe("configmap/a serverside-applied\n");
  });
});

const OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n";

describeBesideKubectl("a signal while kubets or kubectl has an editor open", () => {
  /** Says that it runs, and stays. */
  const EDITOR = "#!/bin/sh\necho open\nsleep 20 & wait\n";

  async function interruptEditor(signal: NodeJS.Signals, whom: "kubectl" | "both"): Promise<void> {
    const { real, ours } = await sideBySide("exec kubectl edit cm a", {
      peer: () => clusterPeer(OBJECT),
      files: { editor: EDITOR },
      env: { EDITOR: "<FOLDER>/editor" },
      meanwhile: async ({ child, stdout }) => {
        await eventually(async () => expect(stdout()).toBe("open\n"));
        const { pid = 0 } = child;
        process.kill(whom === "both" ? -pid : pid, signal);
        // The editor outlives a command that was ended alone, and holds its streams.
        if (whom === "kubectl") {
          await new Promise((resolve) => child.once("exit", resolve));
          process.kill(-pid, "SIGKILL");
        }
      },
    });
    expect(ours).toEqual(real);
  }

  test.each(["SIGINT", "SIGTERM"] as const)("that reaches both processes, like Ctrl-C on a terminal: %s", (signal) =>
    interruptEditor(signal, "both"),
  );
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("that reaches only the command: %s", (signal) =>
    interruptEditor(signal, "kubectl"),
  );
});

describeBesideKubectl("a signal to kubets or kubectl during a session in a container", () => {
  const RUNNING = json({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "a", namespace: "default" },
    spec: { containers: [{ name: "c", image: "i", tty: true }] },
    status: { phase: "Running" },
  });

  /** Sends the signals, 300 ms apart, once the session has printed something. */
  async function outcomeOf(line: string, signals: readonly NodeJS.Signals[]): Promise<Outcome> {
    const { real, ours } = await sideBySide(line, {
      peer: () => startFaultyServer([RUNNING], { upgrade: webSocket(message(1, "out\n"), undefined, "stay") }),
      meanwhile: async ({ child, stdout }) => {
        await eventually(async () => expect(stdout()).toContain("out\n"));
        for (const [index, signal] of signals.entries()) {
          if (index > 0) await pause(300);
          process.kill(-(child.pid ?? 0), signal);
        }
      },
    });
    expect(ours).toEqual(real);
    return real;
  }

  test.each(
    ["kubectl exec a -- x", "kubectl exec -t a -- x", "kubectl attach a"].flatMap((line) =>
      SIGNALS.map((signal) => ({ line, signal })),
    ),
  )("ends $line by $signal", async ({ line, signal }) =>
    expect(await outcomeOf(`exec ${line}`, [signal])).toMatchObject({ code: null, signal }),
  );

  test.each(SIGNALS)("ends port-forward, which handles SIGINT itself: %s", async (signal) => {
    // The two take different ports, which the file has.
    const { real, ours } = await sideBySide("exec kubectl port-forward a :80 >ports", {
      peer: () => startFaultyServer([RUNNING], { upgrade: webSocket([], undefined, "stay") }),
      meanwhile: async ({ child, folder }) => {
        const ports = (): string => readFileSync(join(folder, "ports"), "utf8");
        await eventually(async () => expect(ports()).toContain("Forwarding from"));
        child.kill(signal);
      },
    });
    expect(ours).toEqual(real);
    expect(real).toMatchObject(signal === "SIGINT" ? { code: 0, signal: null } : { code: null, signal });
  });

  test("as SIGINT ends also the shell's loop around the command", async () => {
    const line = "for i in 1 2 3; do kubectl exec a -- x; done; echo after";
    expect((await outcomeOf(line, ["SIGINT"])).stdout).toBe("out\n");
  });

  test("as SIGUSR1 changes nothing", async () =>
    expect(await outcomeOf("exec kubectl exec a -- x", ["SIGUSR1", "SIGINT"])).toMatchObject({
      signal: "SIGINT",
      stderr: "",
    }));
});
