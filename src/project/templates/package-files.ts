import type { ProjectFiles } from "../project-files.js";
import type { ProjectNames } from "../project-names.js";

/** What makes the folder a package that is built, tested, run and put into an image. `version` is that of kubets. */
export const packageFiles = (names: ProjectNames, version: string): ProjectFiles => ({
  "package.json": packageJson(names, version),
  "tsconfig.json": TSCONFIG,
  "vitest.config.ts": VITEST,
  ".gitignore": "node_modules/\ndist/\nbuild/\n.dev/\n",
  ".dockerignore": ".git/\nnode_modules/\ndist/\nbuild/\n.dev/\n",
  Dockerfile: DOCKERFILE,
  ".github/workflows/test.yaml": WORKFLOW,
  "scripts/dev.mjs": DEV,
  "README.md": readme(names),
});

function packageJson({ name }: ProjectNames, version: string): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      build: "tsc",
      manifests: "tsc && kubets project generate",
      "manifests:verify": "tsc && kubets project generate --verify",
      test: "npm run --silent manifests && vitest run",
      dev: "node scripts/dev.mjs",
      start: "tsc && node dist/main.js",
      "install-crds": "npm run --silent manifests && kubets apply --server-side -k config/crd",
      "uninstall-crds": "kubets delete --ignore-not-found -k config/crd",
      deploy: "npm run --silent manifests && kubets apply --server-side -k config",
      undeploy: "kubets delete --ignore-not-found -k config",
      "build:executable": `tsc && bun build --compile --minify dist/main.js --outfile build/${name}`,
    },
    dependencies: { kubets: `^${version}` },
    devDependencies: { "@types/node": "^20.19.0", typescript: ">=5.7", vitest: "^4.1.0" },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "skipLibCheck": true,
    "types": ["node"],
    "rootDir": "src",
    "outDir": "dist"
  },
  "include": ["src"]
}
`;

const VITEST = `import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/**/*.test.ts"] } });
`;

const DOCKERFILE = `FROM node:24-slim AS build
WORKDIR /operator
COPY package*.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src src
RUN npx tsc && npm prune --omit=dev

FROM node:24-slim
WORKDIR /operator
COPY --from=build /operator/package.json ./
COPY --from=build /operator/node_modules node_modules
COPY --from=build /operator/dist dist
USER 65532:65532
CMD ["node", "dist/main.js"]
`;

const WORKFLOW = `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run manifests:verify
      - run: npm test
`;

const DEV = `// Runs the operator on a cluster of this machine, and again whenever a file of src changes: the cluster and its objects stay.
import { spawn } from "node:child_process";

const inside = process.argv.includes("--inside");
const run = (command, options = {}) => {
  const child = spawn(command, { shell: true, stdio: "inherit", ...options });
  child.on("exit", (code) => (process.exitCode = code ?? 1));
  return child;
};
const finished = (child) => new Promise((resolve) => child.on("exit", resolve));

if (!inside) {
  // Ends with the last line below; its KUBECONFIG leads to the cluster.
  run("kubets cluster run -- node scripts/dev.mjs --inside");
} else {
  const { WEBHOOK_PORT = "9443" } = process.env;
  const env = { ...process.env, WEBHOOK_HOST: "127.0.0.1", WEBHOOK_PORT };
  const manifests = "tsc && kubets project generate --to=.dev --webhook-url=https://127.0.0.1:" + WEBHOOK_PORT;
  const apply = "kubets apply --server-side";
  await finished(run(\`\${manifests} && \${apply} -k .dev/crd && \${apply} -f .dev/webhook\`));
  if (process.exitCode !== 0) process.exit();
  console.log("The operator runs. In another terminal: export KUBECONFIG=" + process.env.KUBECONFIG);
  const children = [run("tsc --watch --preserveWatchOutput"), run("node --watch --watch-preserve-output dist/main.js", { env })];
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => children.forEach((child) => child.kill(signal)));
}
`;

const readme = ({ name, kind, group, plural }: ProjectNames): string => `# ${name}

An operator for objects of the kind ${kind} (${plural}.${group}), made with [kubets](https://www.npmjs.com/package/kubets).

| | |
|---|---|
| \`npm test\` | builds, writes the manifests, and tests the operator against a Kubernetes API in the test's process |
| \`npm run dev\` | a cluster on this machine with the operator at work; it is started again when a file changes |
| \`npm run manifests\` | writes config/crd, config/rbac/role.yaml and config/webhook from the code |
| \`npm run install-crds\`, \`npm start\` | the operator on this machine, against the cluster of the kubeconfig (\`ENABLE_WEBHOOKS=false\` where that cannot reach this machine) |
| \`npm run deploy\`, \`npm run undeploy\` | everything of config into the cluster of the kubeconfig. Build and push the image first, and name it in config/manager/deployment.yaml |
| \`npm run build:executable\` | one file without Node, by [bun](https://bun.sh) |

| Folder | |
|---|---|
| src/api | the kinds: fields, defaults, rules, columns |
| src/controllers | what reconciles them |
| src/webhooks | what completes and judges them before they are stored |
| src/rights.ts | what the operator may do |
| config | manifests; what \`npm run manifests\` writes says so in its first line |
`;
