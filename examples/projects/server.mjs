// Projects as OpenShift has them: the namespaces that the caller may get, as objects of a kind of their own. They are computed for each
// request and kept nowhere.
//
//     node examples/projects/server.mjs projects.kubeconfig
//     kubectl --kubeconfig=projects.kubeconfig --as=jane get projects --watch
import { writeFileSync } from "node:fs";
import { startCluster } from "kubets/cluster";
import { string, struct } from "kubets/server";

const GROUP = "project.example.com";

const projects = {
  get: async (name, { objects }) => projectOf(await objects.get("", "namespaces", "", name)),
  list: async ({ objects }) => (await objects.list("", "namespaces")).map(projectOf),
  /** A user sees the project of a namespace that the authorizers let the user get. */
  async isVisible({ metadata: { name } }, { user, authorization, signal }) {
    const path = `/api/v1/namespaces/${name}`;
    const about = { apiGroup: "", apiVersion: "v1", resource: "namespaces", subresource: "", namespace: name, name };
    const request = { user, verb: "get", isResourceRequest: true, path, ...about, signal };
    return (await authorization.authorize(request)).decision === "allow";
  },
};

function projectOf(namespace) {
  if (namespace === undefined) return undefined;
  const { name, uid, creationTimestamp, labels, annotations } = namespace.metadata;
  return { metadata: { name, uid, creationTimestamp, labels, annotations }, status: { phase: namespace.status.phase } };
}

const definition = {
  group: GROUP,
  resource: "projects",
  kind: "Project",
  namespaced: false,
  storage: { objects: projects, poll: 500 },
  versions: [{ version: "v1", schema: struct("Project", { status: struct("ProjectStatus", { phase: string }) }) }],
};

/** Everybody may read projects: each user gets the own ones. */
const readers = ({ apiGroup, verb }) => ({
  decision: apiGroup === GROUP && ["get", "list", "watch"].includes(verb) ? "allow" : "no-opinion",
});

const cluster = await startCluster({
  authorization: { modes: ["RBAC"] },
  authorizers: [readers],
  scheduler: false,
  resources: [definition],
});
writeFileSync(process.argv[2] ?? "projects.kubeconfig", cluster.kubeconfig(), { mode: 0o600 });
process.stdout.write(`projects are served at ${cluster.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => cluster.close());
