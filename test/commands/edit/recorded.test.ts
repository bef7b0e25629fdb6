import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseYaml } from "../../../src/machinery/text/yaml/read.js";
import { runCli } from "../../helpers/run-cli.js";
import { RecordedServer, type RecordedRequest, type RecordedResponse } from "./recorded-server.js";

/** Conversations recorded with kubectl: what it asked, what it was answered, what the editor was shown and left behind. */
const folder = join(import.meta.dirname, "../../../../shared/data/edit-cases");
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("testcase-")) : [];
if (names.length === 0) process.stdout.write("recorded edits are skipped: ../shared/data/edit-cases is not there\n");

interface Step {
  readonly type: "edit" | "request";
  readonly expectedMethod?: string;
  readonly expectedPath?: string;
  readonly expectedContentType?: string;
  readonly expectedInput: string;
  readonly resultingStatusCode?: number;
  readonly resultingOutput: string;
}

interface Conversation {
  readonly mode: "edit" | "create" | "edit-last-applied";
  readonly args?: readonly string[];
  readonly filename?: string;
  readonly outputFormat?: string;
  readonly outputPatch?: string;
  readonly saveConfig?: string;
  readonly subresource?: string;
  readonly namespace: string;
  readonly expectedStdout?: readonly string[];
  readonly expectedStderr?: readonly string[];
  readonly expectedExitCode: number;
  readonly steps: readonly Step[];
}

/** Nobody asked the recorded servers for their schemas. */
const WITHOUT_VALIDATION = "--validate=false";

function commandLine(conversation: Conversation, where: string): string[] {
  const { mode, args = [], filename, outputFormat, outputPatch, saveConfig, subresource, namespace } = conversation;
  const command = { edit: ["edit"], create: ["create", "--edit"], "edit-last-applied": ["apply", "edit-last-applied"] }[
    mode
  ];
  return [
    ...command,
    ...args,
    ...(filename === undefined ? [] : ["-f", join(where, filename)]),
    ...(outputFormat === undefined ? [] : ["-o", outputFormat]),
    ...(outputPatch === undefined ? [] : [`--output-patch=${outputPatch}`]),
    ...(saveConfig === undefined ? [] : [`--save-config=${saveConfig}`]),
    ...(subresource === undefined ? [] : [`--subresource=${subresource}`]),
    WITHOUT_VALIDATION,
    "-n",
    namespace,
  ];
}

/** Plays the other side of a conversation, step by step, and notes what was said otherwise. */
class Player {
  readonly faults: string[] = [];
  private next = 0;

  constructor(
    private readonly steps: readonly Step[],
    private readonly where: string,
  ) {}

  get left(): number {
    return this.steps.length - this.next;
  }

  answer(request: RecordedRequest): RecordedResponse {
    const step = this.take("request", `${request.method} ${request.path}`);
    if (step === undefined) return { status: 500, body: "{}" };
    const { expectedMethod, expectedPath, expectedContentType = "", resultingStatusCode = 200 } = step;
    this.compare(`${request.method} ${request.path}`, `${expectedMethod} ${expectedPath}`);
    this.compare(request.contentType, expectedContentType);
    this.compare(compact(request.body), compact(this.read(step.expectedInput)));
    return { status: resultingStatusCode, body: this.read(step.resultingOutput) };
  }

  edit(file: string): void {
    const step = this.take("edit", file);
    if (step === undefined) return;
    this.compare(readFileSync(file, "utf8"), this.read(step.expectedInput));
    writeFileSync(file, this.read(step.resultingOutput));
  }

  private take(type: Step["type"], what: string): Step | undefined {
    const step = this.steps[this.next++];
    if (step?.type === type) return step;
    this.faults.push(`step ${this.next}: ${type} ${what} where ${step?.type ?? "nothing"} was expected`);
    return undefined;
  }

  private compare(actual: string, expected: string): void {
    if (actual !== expected) this.faults.push(`step ${this.next}: expected\n${expected}\nbut there was\n${actual}`);
  }

  private read(name: string): string {
    return readFileSync(join(this.where, name), "utf8");
  }
}

const compact = (json: string): string => (json.trim() === "" ? "" : JSON.stringify(JSON.parse(json)));

describe.skipIf(names.length === 0)("kubets edit sends and prints what a recorded kubectl edit did:", () => {
  test.each(names)("%s", async (name) => {
    const where = join(folder, name);
    const conversation = parseYaml(readFileSync(join(where, "test.yaml"), "utf8")) as unknown as Conversation;
    const player = new Player(conversation.steps, where);
    await using server = await RecordedServer.start((request) => player.answer(request));
    const home = await mkdtemp(join(tmpdir(), "kubets-recorded-"));
    try {
      const kubeconfig = join(home, "kubeconfig");
      await writeFile(kubeconfig, kubeconfigFor(server.url));
      const { code, stdout, stderr } = await runCli(commandLine(conversation, where), {
        env: { HOME: home, KUBECONFIG: kubeconfig, TMPDIR: home, KUBE_EDITOR: "recorded" },
        cwd: home,
        runProgram: async (editor, [file = ""]) => {
          expect(editor).toBe("recorded");
          player.edit(file);
          return { code: 0 };
        },
      });
      expect(player.faults, stderr).toEqual([]);
      expect(player.left, stderr).toBe(0);
      for (const text of conversation.expectedStdout ?? []) expect(withoutIndents(stdout)).toContain(text);
      for (const text of conversation.expectedStderr ?? []) expect(stderr).toContain(text);
      expect(code).toBe(conversation.expectedExitCode);
      const kept = (await readdir(home)).filter((file) => file.startsWith("kubectl-edit-"));
      expect(kept.length > 0).toBe(stderr.includes("A copy of your changes has been stored to"));
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

const withoutIndents = (text: string): string => text.replace(/^ +/gm, "");

const kubeconfigFor = (server: string): string => `apiVersion: v1
kind: Config
current-context: recorded
clusters: [{name: recorded, cluster: {server: "${server}"}}]
contexts: [{name: recorded, context: {cluster: recorded, user: nobody}}]
users: [{name: nobody, user: {}}]
`;
