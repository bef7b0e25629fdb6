import type { Pod, Volume } from "../../../../api/types/core/v1.js";
import type { PodCertificateRequest } from "../../../../api/types/certificates/v1beta1.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { isNotFound, unclassified } from "../../../../machinery/errors/status-error.js";
import { object, objects, type Received, type ReceivedObject, text } from "../../../../machinery/meta/received.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { checkOf } from "../../resource-check.js";
import { isMirrorPod } from "./mirror-pod.js";
import { listed, NODE, nodeOf, type NodeRequest, POD, permitIf, SERVICE_ACCOUNT } from "./node-request.js";

/**
 * A node asks for certificates of its own pods. What a cache that lags behind may be the reason of is kube-apiserver's 500 without a
 * reason, so that the kubelet tries again.
 */
export async function checkPodCertificate(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const { operation, subresource, namespace } = attributes;
  const asked: ReceivedObject<PodCertificateRequest> | undefined = attributes.object;
  permitIf(operation === "CREATE", request, `unexpected operation ${operation}`);
  permitIf(subresource === "", request, `unexpected subresource ${subresource}`);
  const spec = object(asked?.spec);
  const [podName, accountName, nodeName] = [spec.podName, spec.serviceAccountName, spec.nodeName].map((name) =>
    text(name),
  );
  const pod = goQuote(`${namespace}/${podName}`);
  const of = `PodCertificateRequest for pod ${pod}`;
  const requesting = `which is not the requesting node ${goQuote(node)}`;
  const isOwn = nodeName === node;
  permitIf(isOwn, request, `PodCertificateRequest.Spec.NodeName=${goQuote(nodeName ?? "")}, ${requesting}`);
  const nodeUid = uidOf(await named(request, NODE, "", node, `node ${goQuote(node)}`));
  const askedNode = text(spec.nodeUID);
  mayLag(
    askedNode === nodeUid,
    `${of} names node UID ${goQuote(askedNode)}, inconsistent with the running node (${goQuote(nodeUid)})`,
  );
  const running = await named(request, POD, namespace, podName ?? "", `pod ${pod}`);
  const [askedPod, podUid] = [text(spec.podUID), uidOf(running)];
  mayLag(
    askedPod === podUid,
    `${of} contains pod UID (${goQuote(askedPod)}) which differs from running pod ${goQuote(podUid)}`,
  );
  const elsewhere = `pod ${pod} is not running on node ${goQuote(node)} named in the PodCertificateRequest`;
  permitIf(nodeOf(running) === node, request, elsewhere);
  permitIf(!isMirrorPod(running), request, `pod ${pod} is a mirror pod`);
  await checkAccount({ of, name: accountName ?? "", uid: text(spec.serviceAccountUID), running }, request);
  // K37-111
  if (request.context.release.atLeast("1.37")) await checkSigner(text(spec.signerName), running, request);
}

/** A signer that no volume of the pod names needs a right: the verb below on a resource of the signer's name. */
async function checkSigner(signer: string, pod: ReceivedObject<Pod>, request: NodeRequest): Promise<void> {
  if (objects(object(pod.spec).volumes).some(({ projected }) => names(projected, signer))) return;
  const { user, namespace, name } = request.attributes;
  const check = { verb: "request-podcertificate-signer", group: "", version: "v1", resource: signer, namespace, name };
  const { decision } = await request.context.authorize(checkOf(user, check));
  const unused = `signerName ${goQuote(signer)} not found in pod spec volume`;
  const message = `${unused}, ${user.name} is not authorized to request pod certificates from this signer`;
  permitIf(decision === "allow", request, message);
}

const names = (projected: Received<Volume>["projected"], signer: string): boolean =>
  objects(object(projected).sources).some(({ podCertificate }) => object(podCertificate).signerName === signer);

interface Account {
  /** How errors begin. */
  readonly of: string;
  readonly name: string;
  readonly uid: string;
  readonly running: ReceivedObject<Pod>;
}

async function checkAccount({ of, name, uid, running }: Account, request: NodeRequest): Promise<void> {
  const { namespace } = request.attributes;
  const account = text(object(running.spec).serviceAccountName);
  const other = `contains serviceAccountName (${goQuote(name)}) that differs from running pod (${goQuote(account)})`;
  permitIf(name === account, request, `${of} ${other}`);
  const what = `service account ${goQuote(`${namespace}/${name}`)}`;
  const accountUid = uidOf(await named(request, SERVICE_ACCOUNT, namespace, name, what));
  const differs = `which differs from the running service account (${goQuote(accountUid)})`;
  mayLag(uid === accountUid, `${of} names service account UID ${goQuote(uid)}, ${differs}`);
}

const uidOf = ({ metadata }: KubeObject): string => metadata?.uid ?? "";

async function named(
  request: NodeRequest,
  resource: Parameters<typeof listed>[1],
  namespace: string,
  name: string,
  what: string,
): Promise<KubeObject> {
  try {
    return await listed(request, resource, namespace, name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw unclassified(`while retrieving ${what} named in the PodCertificateRequest: ${error.message}`);
  }
}

function mayLag(condition: boolean, message: string): void {
  if (!condition) throw unclassified(message);
}
