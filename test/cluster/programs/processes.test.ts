import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { eventually } from "../../helpers/eventually.js";
import { programIsBuilt, programUnderTest } from "../../helpers/program-under-test.js";
import { SilentListener } from "../../helpers/silent-listener.js";
import { type BareServer, startBareServer } from "./running-component.js";

interface Process {
  readonly child: ChildProcess;
  log(): string;
  /** Resolves with the exit code, or the signal that the process died of. */
  readonly ended: Promise<number | string>;
}

let server: BareServer;
let client: KubernetesClient;
const started: Process[] = [];

function begin(...args: string[]): Process {
  const [program = "", ...words] = programUnderTest;
  const child = spawn(program, [...words, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const process_ = { child, log: () => log, ended };
  started.push(process_);
  return process_;
}

// The programs are started from dist/, which `npm run build` makes.
describe.skipIf(!programIsBuilt)("apiserver, controller-manager and scheduler as separate processes", () => {
  beforeAll(async () => {
    server = await startBareServer();
    client = kubernetesClient(server.cluster);
  });
  afterAll(async () => {
    for (const { child, ended } of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await ended;
    }
    await client.close();
    await server[Symbol.asyncDispose]();
  });

  test("C-CHAIN-01: roll out a Deployment together, and each ends with code 0 at SIGTERM", async () => {
    const connection = `--kubeconfig=${server.kubeconfig}`;
    const programs = [
      begin("controller-manager", connection, "--secure-port=0"),
      begin("scheduler", connection, "--secure-port=0"),
      begin("node", connection, "--nodes=2"),
    ];
    const deployments = client.of("apps/v1", "Deployment").namespace("default");
    await deployments.create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "nginx" }] },
        },
      },
    });
    await eventually(async () => expect((await deployments.get("web")).status?.availableReplicas).toBe(3));
    for (const { child } of programs) child.kill("SIGTERM");
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  });

  test("end with code 1 at a second signal", async () => {
    const program = begin("scheduler", `--kubeconfig=${server.kubeconfig}`, "--secure-port=0");
    await eventually(() => expect(program.log()).toContain("Starting Kubernetes Scheduler"));
    // Both arrive before the program runs again.
    program.child.kill("SIGSTOP");
    program.child.kill("SIGTERM");
    program.child.kill("SIGINT");
    program.child.kill("SIGCONT");
    expect(await program.ended).toBe(1);
  });

  test.each([["controller-manager"], ["scheduler"], ["node"]])(
    "end at SIGTERM although the API server never answers: %s",
    async (command) => {
      let connect = (): void => {};
      const connected = new Promise<void>((resolve) => (connect = resolve));
      await using silent = await SilentListener.open(() => connect());
      const port = command === "node" ? [] : ["--secure-port=0", "--leader-elect=false"];
      const program = begin(command, `--master=${silent.url}`, ...port);
      await connected;
      program.child.kill("SIGTERM");
      expect(await program.ended).toBe(0);
    },
  );
});
