import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { Attach, Cp, Exec, KubeConfig, PortForward, type V1Status } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

/** Keeps what is written. */
class Kept extends Writable {
  readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

describe("@kubernetes/client-node 1.4.0, unchanged", () => {
  let shared: StreamingCluster;
  let config: KubeConfig;
  let folder: string;

  beforeAll(async () => {
    shared = await streamingCluster(
      [
        pod("web", [{ name: "main", image: "echoing" }]),
        pod("chat", [{ name: "main", image: "shell", stdin: true, stdinOnce: true, command: ["cat"] }]),
      ],
      {
        echoing: {
          ports: {
            7: async (connection) => {
              for await (const chunk of connection) await connection.write(chunk);
              await connection.end();
            },
          },
        },
      },
    );
    config = new KubeConfig();
    config.loadFromString(shared.cluster.kubeconfig());
    folder = await mkdtemp(join(tmpdir(), "kubets-client-node-"));
  });
  afterAll(async () => {
    await shared[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const exec = async (command: string[], stdin: Readable | null = null) => {
    const [out, err] = [new Kept(), new Kept()];
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(config).exec("default", "web", "main", command, out, err, stdin, false, resolve).catch(reject);
    });
    return { out: out.text, err: err.text, status };
  };

  test("Exec receives both outputs and the exit code", async () => {
    const { out, err, status } = await exec(["sh", "-c", "echo out; echo err >&2; exit 3"]);
    expect([out, err, status.status, status.reason]).toEqual(["out\n", "err\n", "Failure", "NonZeroExitCode"]);
    expect(status.details?.causes).toEqual([{ reason: "ExitCode", message: "3" }]);
  });

  test("Exec sends input", async () => {
    const text = "x".repeat(300_000);
    const { out, status } = await exec(["head", "-c", "300000"], Readable.from([Buffer.from(text)]));
    expect([out === text, status.status]).toEqual([true, "Success"]);
  });

  test("Attach joins the running program", async () => {
    const [out, input] = [new Kept(), new PassThrough()];
    const socket = await new Attach(config).attach("default", "chat", "main", out, null, input, false);
    input.write("hello\n");
    await expect.poll(() => out.text).toBe("hello\n");
    socket.close();
  });

  test("Cp copies a file there and back", async () => {
    const content = createHash("sha512").update("content").digest();
    await mkdir(join(folder, "there"));
    await writeFile(join(folder, "there", "file"), content);
    const cp = new Cp(config);
    await cp.cpToPod("default", "web", "main", join(folder, "there"), "/tmp");
    await mkdir(join(folder, "back"));
    // Both promises resolve before the copy is done.
    await expect.poll(async () => (await exec(["ls", "/tmp"])).out).toContain("file");
    await cp.cpFromPod("default", "web", "main", "file", join(folder, "back"), "/tmp");
    await expect.poll(() => readFile(join(folder, "back", "file")).catch(() => undefined)).toEqual(content);
  });

  test("PortForward carries a connection to the pod", async () => {
    const forward = new PortForward(config);
    const server: Server = createServer((socket) => {
      void forward.portForward("default", "web", [7], socket, null, socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const socket = createConnection(port, "127.0.0.1");
    socket.write("through");
    expect(String(await new Promise((resolve) => socket.once("data", resolve)))).toBe("through");
    socket.destroy();
    server.close();
  });
});
