// Makes the pictures of docs/pictures: what the program shows on terminals of 80 and 160 columns, run in tmux against a cluster of this process.
//   node build.mjs --fast && node tools/pictures/make.mjs [FOLDER]
// Needs tmux. Ages, names of pods and times differ from run to run; nothing else does.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { terminalSvg } from "./terminal-svg.mjs";

const root = resolve(import.meta.dirname, "../..");
const WIDTHS = [80, 160];

/** Each picture: the commands that are typed, and what a screen reader says of it. */
const PICTURES = {
  "get-pods": { title: "kubets get pods, with colours for what is wrong", lines: ["kubets get pods -n shop -o wide"] },
  tree: { title: "kubets tree shows what belongs to a Deployment", lines: ["kubets tree deployment/web -n shop"] },
  describe: { title: "kubets describe pod, with its events", lines: ["kubets describe pod/stuck -n shop"] },
  hints: {
    title: "errors that say what was probably meant",
    lines: ["kubets get pods -n shpo", "kubets get deploymnets", "kubets scale deployment/wbe --replicas=2 -n shop"],
  },
  status: { title: "kubets cluster status names what is wrong", lines: ["kubets cluster status"] },
};

const folder = resolve(process.argv[2] ?? join(root, "docs/pictures"));
const home = mkdtempSync(join(tmpdir(), "kubets-pictures-"));
const socket = join(home, "tmux");
const bin = join(home, "bin");
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  KUBECONFIG: join(home, ".kube/config"),
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  TZ: "UTC",
};

const run = (...words) =>
  execFileSync(words[0], words.slice(1), { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const kubets = (...words) => run(process.execPath, join(root, "bin/kubets.js"), ...words);
const tmux = (...words) => run("tmux", "-S", socket, "-f", "/dev/null", ...words);

try {
  mkdirSync(bin);
  writeFileSync(join(bin, "kubets"), `#!/bin/sh\nexec ${process.execPath} ${join(root, "bin/kubets.js")} "$@"\n`, {
    mode: 0o755,
  });
  mkdirSync(folder, { recursive: true });
  kubets("cluster", "start", "dev", "--detach", "--storage=memory", "--nodes=2");
  try {
    await fillCluster();
    for (const columns of WIDTHS) {
      for (const [name, { lines, title }] of Object.entries(PICTURES)) {
        const screen = await screenOf(lines, columns);
        writeFileSync(join(folder, `${name}-${columns}.svg`), terminalSvg(screen, { columns, title }));
      }
    }
  } finally {
    kubets("cluster", "delete", "dev");
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function fillCluster() {
  const { configFromFile, kubernetesClient } = await import(pathToFileURL(join(root, "dist/index.js")));
  const client = kubernetesClient(await configFromFile(env.KUBECONFIG));
  await client.applyFiles(join(import.meta.dirname, "shop.yaml"));
  kubets("rollout", "status", "deployment/web", "-n", "shop");
  kubets(
    "wait",
    "pod/stuck",
    "-n",
    "shop",
    "--for=jsonpath={.status.containerStatuses[0].restartCount}=1",
    "--timeout=60s",
  );
  kubets("wait", "pod/nowhere", "-n", "shop", "--for=condition=PodScheduled=False", "--timeout=60s");
  await client.close();
}

/** What a terminal shows after the lines were typed into it. */
async function screenOf(lines, columns) {
  const script = lines.map((line) => `printf '$ %s\\n' ${quoted(line)}\n${line}\n`).join("");
  writeFileSync(join(home, "script.sh"), `${script}tmux -S ${socket} wait-for -S done\nsleep 60\n`);
  tmux("new-session", "-d", "-x", String(columns), "-y", "200", "-s", "picture", `sh ${join(home, "script.sh")}`);
  try {
    tmux("wait-for", "done");
    return tmux("capture-pane", "-e", "-p", "-t", "picture").replaceAll(home, "/home/you");
  } finally {
    tmux("kill-session", "-t", "picture");
  }
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
