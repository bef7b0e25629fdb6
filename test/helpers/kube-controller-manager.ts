import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubernetesFolder } from "./kubernetes-1.20.js";

const program = join(kubernetesFolder, "bin", "kube-controller-manager");

/** Why tests with a kube-controller-manager 1.20 are skipped; undefined when there is one. */
export const controllerManagerMissing: string | undefined = existsSync(program)
  ? undefined
  : `there is no ${program} (on Debian: PEER=${kubernetesFolder} ../shared/tools/build-kubernetes-1.20.sh builds it in 4 minutes)`;

export interface RealControllerManager {
  /** The last of its log. */
  log(): string;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

/** A kube-controller-manager 1.20.2 that runs these controllers, by their names before 1.28. It opens no port. */
export function startControllerManager(options: {
  /** The text of a kubeconfig. */
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  /** Further flags; they win over those that it has here. */
  readonly more?: readonly string[];
}): RealControllerManager {
  const folder = mkdtempSync(join(tmpdir(), "kubets-controller-manager-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, options.kubeconfig, { mode: 0o600 });
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${options.controllers.join(",")}`,
    "--leader-elect=false",
    "--port=0",
    "--secure-port=0",
    "--kube-api-qps=500",
    "--kube-api-burst=500",
    ...(options.more ?? []),
  ];
  const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"] });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-100_000);
  });
  return {
    log: () => log,
    async stop() {
      process.off("exit", killAtExit);
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
