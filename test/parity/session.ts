/**
 * A parity session: a text file of command lines and the files they use.
 *
 *     # words for the reader
 *     $ kubectl apply -f app.yaml
 *     $ kubectl get cm -o wide | head -1
 *     -- app.yaml --
 *     apiVersion: v1
 *     ...
 *
 * Every `$ ` line is run by a shell, first with the real kubectl under that name, then with kubets.
 */
export interface Session {
  readonly name: string;
  readonly steps: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

const FILE_HEADER = /^-- (\S+) --$/;

export function parseSession(name: string, text: string): Session {
  const steps: string[] = [];
  const files = new Map<string, string>();
  let current: string | undefined;
  for (const line of text.split("\n")) {
    const header = FILE_HEADER.exec(line)?.[1];
    if (header !== undefined) {
      current = header;
      files.set(current, "");
    } else if (current !== undefined) {
      files.set(current, `${files.get(current)}${line}\n`);
    } else if (line.startsWith("$ ")) {
      steps.push(line.slice(2));
    } else if (line !== "" && !line.startsWith("#")) {
      throw new Error(`${name}: neither a step, a comment nor a file header: ${line}`);
    }
  }
  // The split leaves one line too many after the last file.
  if (current !== undefined) files.set(current, (files.get(current) ?? "").replace(/\n$/, ""));
  return { name, steps, files };
}
