// The main job in one go: a fresh cluster with a node, the example application applied to it and rolled out, and what it holds then.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const bin = join(import.meta.dirname, "..", "bin", "kubets.js");

if (process.argv[2] !== "inside") {
  const { status } = spawnSync(
    process.execPath,
    [bin, "cluster", "run", "--", process.execPath, import.meta.filename, "inside"],
    { stdio: "inherit" },
  );
  process.exit(status ?? 1);
}

step("apply", "--recursive", "-f", join(import.meta.dirname, "shop"));
step("rollout", "status", "statefulset/database", "-n", "shop", "--timeout=60s");
step("rollout", "status", "deployment/web", "-n", "shop", "--timeout=60s");
step(
  "get",
  "all,configmaps,secrets,ingresses,pvc,pdb,networkpolicies,roles,rolebindings,serviceaccounts",
  "-n",
  "shop",
);

function step(...args) {
  process.stdout.write(`\n$ kubets ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [bin, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
