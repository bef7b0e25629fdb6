import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../helpers/eventually.js";
// @ts-expect-error plain JavaScript
import { toolsFolder } from "../helpers/fetch-real-tools.mjs";
import { freePorts } from "../helpers/free-ports.js";

const VERDACCIO = "6.8.0";
/** One of its dependencies asks for a tag of node-fetch, which is not in every registry. */
const NODE_FETCH = "2.7.0";

/** An npm registry on the loopback that holds what is published to it, and knows no other registry. */
export interface LocalRegistry {
  /** Runs npm with this registry alone: without the user's configuration, cache and scripts' variables. */
  npm(words: readonly string[], surroundings?: NpmSurroundings): NpmOutcome;
  /** Starts to publish a tarball. Rejects with npm's words where npm fails. */
  publish(tarball: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface NpmSurroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface NpmOutcome {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Fetches verdaccio from npm once, into the folder of the other tools. Throws where npm cannot fetch it. */
export function fetchVerdaccio(): string {
  const folder = join(toolsFolder, "..", `verdaccio-${VERDACCIO}`);
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return program;
  const making = `${folder}.${process.pid}`;
  try {
    mkdirSync(making, { recursive: true });
    const manifest = { private: true, dependencies: { verdaccio: VERDACCIO }, overrides: { "node-fetch": NODE_FETCH } };
    writeFileSync(join(making, "package.json"), JSON.stringify(manifest));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    execFileSync("npm", ["install", ...options], { cwd: making, stdio: ["ignore", "ignore", "pipe"] });
    rmSync(folder, { recursive: true, force: true });
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return program;
}

export async function startRegistry(verdaccio: string): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "kubets-registry-"));
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const config = join(folder, "config.yaml");
  // No uplinks: a package that was not published does not exist.
  writeFileSync(
    config,
    `storage: ${folder}/storage
packages:
  "**": {access: $all, publish: $anonymous}
max_body_size: 500mb
web: {enable: false}
log: {type: stdout, format: json, level: error}
`,
  );
  const server = spawn(process.execPath, [verdaccio, "--config", config, "--listen", address], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await eventually(() => fetch(`http://${address}/-/ping`));
  const npmrc = join(folder, "npmrc");
  // npm publishes only with a token; the registry takes any publisher.
  writeFileSync(npmrc, `registry=http://${address}/\n//${address}/:_authToken=none\n`);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    npm_config_userconfig: npmrc,
    npm_config_globalconfig: join(folder, "no-global-npmrc"),
    npm_config_cache: join(folder, "cache"),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  return {
    npm(words, surroundings = {}) {
      const { cwd = folder, env: more = {} } = surroundings;
      const { status, stdout, stderr } = spawnSync("npm", words, { cwd, env: { ...env, ...more }, encoding: "utf8" });
      return { code: status, stdout, stderr };
    },
    publish: (tarball) => promisify(execFile)("npm", ["publish", tarball], { cwd: folder, env }),
    async stop() {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
