import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realTool } from "../../helpers/real-tools.js";
import { type CliResult, runCli } from "../../helpers/run-cli.js";
import { type MetricsServer, startMetricsServer } from "./metrics-server.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`top is not compared: ${kubectl.missing}\n`);

const COMMAND_LINES = [
  "top node",
  "top node --no-headers",
  "top node --sort-by=cpu",
  "top node --sort-by=memory",
  "top node one",
  "top node one --show-swap",
  "top node --show-capacity",
  "top node --show-swap",
  "top node --show-capacity --show-swap --no-headers",
  "top node --use-protocol-buffers=false",
  "top node three",
  "top pod",
  "top pod --no-headers",
  "top pod --sort-by=cpu",
  "top pod --sort-by=memory",
  "top pod --containers",
  "top pod --containers --sort-by=memory",
  "top pod -A",
  "top pod -A --containers --sum",
  "top pod -A --sort-by=memory --sum",
  "top pod --sum",
  "top pod --sum --show-swap",
  "top pod --sum --no-headers",
  "top pod -A --sum --no-headers",
  "top pod --show-swap",
  "top pod web",
  "top pod web --containers",
  "top pod none",
  "top pod -l app=web",
  "top pod --field-selector=metadata.name=batch",
  "top pod --field-selector=metadata.name=none",
  "top pod --use-protocol-buffers=false",
  "top pod -n empty",
  "top pod -n empty -l app=web",
  "top pod -n default -l app=web --containers --no-headers",
  "top node -l none=here",
  "top node --request-timeout=5s",
  "top pod -n young",
  "top pod -n down",
  "top pod --request-timeout=5s",
];

/** Fields are pods': kubectl 1.36 sent the selector to the metrics API, 1.37 lists the pods and picks their metrics. */
const BY_FIELDS = COMMAND_LINES.filter((line) => line.includes("--field-selector"));

describe.skipIf(kubectl.missing !== undefined).each([
  ["top prints what kubectl prints of the same metrics", "v1beta1", COMMAND_LINES],
  [
    "K37-216: metrics.k8s.io/v1",
    "v1",
    ["top node", "top node one", "top pod", "top pod web", "top pod -A", ...BY_FIELDS],
  ],
] as const)("kubectl and kubets: %s", (_title, version, lines) => {
  let server: MetricsServer;
  const home = mkdtempSync(join(tmpdir(), "kubets-top-"));

  beforeAll(async () => {
    server = await startMetricsServer(version);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  test.each(lines)("%s", async (line) => {
    const argv = [...line.split(" "), `--server=${server.url}`];
    const env = { HOME: home, KUBECONFIG: join(home, "none"), PATH: "" };
    const requested = async (run: () => Promise<CliResult>) => {
      server.requests.length = 0;
      const result = await run();
      return { ...result, requests: [...server.requests] };
    };
    const real = await requested(() => runReal(argv, env));
    const ours = await requested(() => runCli(argv, { env }));
    expect(ours).toEqual(real);
    expect(real.stdout + real.stderr).not.toBe("");
  });
});

function runReal(argv: readonly string[], env: Record<string, string>): Promise<CliResult> {
  const child = spawn(kubectl.path, argv, { env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
