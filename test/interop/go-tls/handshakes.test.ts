import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { certificateIn } from "../../security/arena.js";

/** Where the program of this folder is; undefined where there is no Go. */
const folder = mkdtempSync(join(tmpdir(), "kubets-go-tls-"));
const program = built();

function built(): string | undefined {
  const path = join(folder, "program");
  try {
    execFileSync("go", ["build", "-o", path, "."], { cwd: import.meta.dirname, stdio: "pipe" });
    return path;
  } catch (error) {
    process.stdout.write(`handshakes of Go's crypto/tls are skipped: ${String(error).split("\n")[0]}\n`);
    return undefined;
  }
}

interface Seen {
  readonly Served: boolean;
  readonly Resumed: boolean;
  readonly Fault: string;
  readonly Beside: number;
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(program === undefined)("our TLS server and a client of Go's crypto/tls", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: false, scheduler: false });
  });
  afterAll(() => cluster.close());

  /** Without blocking this process, which is the server. */
  function dial(options: { readonly Sessions?: boolean; readonly AtOnce?: boolean; readonly Count: number }) {
    const { certificate: Cert, key: Key } = certificateIn(cluster.kubeconfig());
    const task = { Port: Number(new URL(cluster.url).port), Ca: cluster.caCertificate, Cert, Key, ...options };
    return new Promise<readonly Seen[]>((resolve, reject) => {
      const child = execFile(program ?? "", { maxBuffer: 2 ** 24 }, (error, stdout) => {
        if (error === null)
          resolve(
            stdout
              .trimEnd()
              .split("\n")
              .map((line) => JSON.parse(line) as Seen),
          );
        else reject(error);
      });
      child.stdin?.end(JSON.stringify(task));
    });
  }

  test("exchange no session ticket when the client keeps no sessions", async () => {
    const [first] = await dial({ Count: 1 });
    expect(first).toMatchObject({ Served: true, Resumed: false });
    // Two tickets that hold the session of a client with a certificate have 1,400 bytes; two that only name one have 200.
    expect(first?.Beside).toBeLessThan(500);
  });

  test("resume sessions that the client keeps", async () => {
    const seen = await dial({ Count: 3, Sessions: true });
    expect(seen.map(({ Served, Resumed }) => [Served, Resumed])).toEqual([
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  test("complete a thousand handshakes at once", async () => {
    const seen = await dial({ Count: 1000, AtOnce: true });
    expect(seen.filter(({ Served }) => !Served)).toEqual([]);
    expect(seen).toHaveLength(1000);
  });
});
