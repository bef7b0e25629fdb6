/**
 * A session of commands with what they print. Found by reading this folder, run by kubets and by the real kubectl;
 * UPDATE_SCRIPTS=1 writes down what kubectl prints.
 *
 *     # words for the reader
 *     cluster
 *     $ kubectl get cm kube-root-ca.crt -o name
 *     | configmap/kube-root-ca.crt
 *     $ kubectl get cm nope
 *     ! Error from server (NotFound): configmaps "nope" not found
 *     ? 1
 *     -- app.yaml --
 *     ...
 *
 * `cluster` asks for an embedded cluster. `kubets` says that the session shows what kubectl cannot do: only kubets runs it, and
 * UPDATE_SCRIPTS=1 writes down what kubets prints. `|` is stdout, `!` is stderr (`|~` and `!~` when no line break ends it), `?`
 * the exit code when it is not 0. Besides kubectl there are `cat FILE`, `$(command)` for what a command prints, `> FILE`
 * behind a command, and `kubectl later & kubectl first`.
 */
export interface Script {
  readonly cluster: boolean;
  /** Of what kubectl cannot do. */
  readonly kubetsOnly: boolean;
  readonly steps: readonly Step[];
  readonly files: ReadonlyMap<string, string>;
}

export interface Step {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

const FILE_HEADER = /^-- (\S+) --$/;

export function parseScript(text: string): Script {
  const [head = "", ...rest] = text.split(/^(?=-- \S+ --$)/m);
  const files = new Map<string, string>();
  for (const section of rest) {
    const end = section.indexOf("\n");
    files.set(FILE_HEADER.exec(section.slice(0, end))?.[1] ?? "", section.slice(end + 1));
  }
  const lines = head.split("\n");
  const steps: Step[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), stdout: "", stderr: "", code: 0 });
    else if (last !== undefined) steps.splice(-1, 1, withLine(last, line));
  }
  return { cluster: lines.includes("cluster"), kubetsOnly: lines.includes("kubets"), steps, files };
}

function withLine(step: Step, line: string): Step {
  const text = line[1] === "~" ? line.slice(3) : `${line.slice(2)}\n`;
  if (line.startsWith("|")) return { ...step, stdout: step.stdout + text };
  if (line.startsWith("!")) return { ...step, stderr: step.stderr + text };
  if (line.startsWith("? ")) return { ...step, code: Number(line.slice(2)) };
  if (line === "" || line.startsWith("#")) return step;
  throw new Error(`neither a step, output nor a comment: ${line}`);
}

/** The text of a script with other results; everything else stays as it was written. */
export function rewriteScript(text: string, results: readonly Step[]): string {
  const [head = "", ...files] = text.split(/^(?=-- \S+ --$)/m);
  let index = 0;
  const lines = head
    .split("\n")
    .filter((line) => !/^[|!?]/.test(line))
    .flatMap((line) => (line.startsWith("$ ") ? [line, ...outputLines(results[index++])] : [line]));
  return [lines.join("\n"), ...files].join("");
}

function outputLines(step: Step | undefined): readonly string[] {
  if (step === undefined) return [];
  return [...marked("|", step.stdout), ...marked("!", step.stderr), ...(step.code === 0 ? [] : [`? ${step.code}`])];
}

function marked(mark: string, text: string): readonly string[] {
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  const ended = lines.map((line) => (line === "" ? mark : `${mark} ${line}`));
  return rest === "" ? ended : [...ended, `${mark}~ ${rest}`];
}

/** Splits a command line at spaces; single and double quotes hold words together. */
export function words(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"),
  );
}
