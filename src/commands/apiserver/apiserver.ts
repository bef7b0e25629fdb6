import { componentCommand } from "../../cli/component-command.js";
import type { Command } from "../../cli/command.js";

export function apiserverCommand(): Command {
  return componentCommand(
    "apiserver [flags]",
    {
      description:
        "Serve the Kubernetes API as kube-apiserver does, with its flags, until SIGINT or SIGTERM.\n\n" +
        "Objects are kept in an etcd. Controllers, scheduler and nodes are programs of their own. Flags that have no effect are named in the log when they are given.",
      examples:
        "  # Every flag, in sections\n" +
        "  {{program}} apiserver --help\n\n" +
        "  # Serve the objects of an etcd\n" +
        "  {{program}} apiserver --etcd-servers=http://127.0.0.1:2379 --authorization-mode=Node,RBAC --client-ca-file=ca.crt " +
        "--cert-dir=./certs --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=sa.pub " +
        "--service-account-signing-key-file=sa.key",
    },
    async () => (await import("../../cluster/apiserver/component.js")).apiserverComponent(),
  );
}
