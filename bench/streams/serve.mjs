// An embedded cluster with a node whose pod "web" makes and takes bytes without keeping them: prints its kubeconfig, answers a line
// on stdin with its resident megabytes, ends with its input.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { startCluster } from "../../dist/cluster.js";
import { content } from "./content.mjs";

const BLOCK = 512;
const SIZE = Number(process.argv[2]);

/** SHA-256 of what comes, as `sha256sum` writes it. */
async function checksum(chunks) {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return `${hash.digest("hex")}\n`;
}

/** The content of the only file of an archive, whose header is one block. */
async function* onlyFile(chunks) {
  let head = Buffer.alloc(0);
  let left = Number.POSITIVE_INFINITY;
  for await (const arrived of chunks) {
    let chunk = arrived;
    if (head.length < BLOCK) {
      head = Buffer.concat([head, chunk]);
      if (head.length < BLOCK) continue;
      left = Number.parseInt(head.toString("latin1", 124, 136), 8);
      chunk = head.subarray(BLOCK);
    }
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
  }
}

let lastUpload = "";
const programs = {
  /** Takes bytes and answers with their checksum. */
  take: async (io) => {
    await io.stdout.write(await checksum(io.stdin));
    return 0;
  },
  /** tar xf -, which keeps nothing but the checksum; `uploaded` prints that. */
  tar: async (io) => {
    if (io.args[0] === "cf")
      return await io.spawn(["/bin/tar", ...io.args], { stdout: (chunk) => io.stdout.write(chunk) }).exited;
    lastUpload = await checksum(onlyFile(io.stdin));
    return 0;
  },
  uploaded: async (io) => {
    await io.stdout.write(lastUpload);
    return 0;
  },
};

/** A port that answers "give SIZE" with so many bytes, and anything else with its checksum once it has ended. */
const port = async (connection) => {
  const chunks = connection[Symbol.asyncIterator]();
  const first = await chunks.next();
  const give = /^give (\d+)\n/.exec(Buffer.from(first.value ?? []).toString("latin1", 0, 32));
  if (give !== null) {
    for (const piece of content(Number(give[1]))) await connection.write(piece);
  } else {
    async function* all() {
      if (!first.done) yield first.value;
      for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) yield chunk;
    }
    await connection.write(Buffer.from(await checksum(all())));
  }
  await connection.end();
};

const image = {
  programs,
  ports: { 80: port },
  files: { "/data/file": { size: SIZE, read: () => content(SIZE), write() {} }, "/data/empty": "" },
};
const cluster = await startCluster({ nodes: [{ name: "bench", images: { streams: image } }] });
process.stdout.write(`${cluster.kubeconfig().replaceAll("\n", " ")}\n`);
const lines = createInterface({ input: process.stdin });
lines.on("line", () => process.stdout.write(`${process.memoryUsage.rss() / 2 ** 20}\n`));
lines.on("close", () => void cluster.close().then(() => process.exit(0)));
