import { LAST_USED } from "../../api/service-accounts/token-secrets.js";
import type { Transport } from "../../client/transport/transport.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** Writes to a secret the day on which its token was last used, by a request of the server's own. Reports what goes wrong. */
export async function markUsedToken(
  transport: Transport,
  { metadata }: KubeObject,
  day: string,
  report: (error: unknown) => void,
): Promise<void> {
  const { namespace = "", name = "", uid } = metadata ?? {};
  try {
    const { status, body } = await transport.send({
      method: "PATCH",
      path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
      headers: { "content-type": "application/merge-patch+json", "user-agent": "kube-apiserver" },
      body: Buffer.from(JSON.stringify({ metadata: { uid, labels: { [LAST_USED]: day } } })),
    });
    for await (const _ of body);
    if (status >= 400) report(new Error(`the secret ${namespace}/${name} was not marked as used: status ${status}`));
  } catch (error) {
    report(error);
  }
}
