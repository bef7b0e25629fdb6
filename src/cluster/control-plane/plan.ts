import type { ControllerName } from "../../api/controllers/index.js";
import { enabledControllers } from "../../api/controllers/index.js";
import type { Ipv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ImageScript } from "../../node/scripted/images/image-script.js";
import type { PodForwards } from "../../node/scripted/network/pod-forwards.js";
import type { Listener } from "../../server/generic/secure-listener.js";
import type { Server } from "../../server/generic/server.js";
import type { TokenIssuer } from "../../server/request/token-issuer.js";
import type { CompositionParts } from "../composition.js";
import type { GivenSetup } from "../given-setup.js";
import { checkNodes } from "../nodes/nodes-network.js";
import type { NodeOptions } from "../nodes/start-nodes.js";
import { HOST } from "../open-socket.js";
import { electionHasNoEffect, isKeptAlone, isShared } from "../open-storage.js";
import { type ClusterOptions, forwardsOf, givenScripts, loadBalancersOf, nodesOf } from "../options/cluster-options.js";
import type { ClusterPki } from "../pki/cluster-pki.js";
import { tokenIssuer } from "../pki/signers.js";
import { checkServerName } from "../server-name.js";
import { kubernetesService, SERVICE_CIDR, type ServerAddress } from "../system-objects.js";

/** A part of a control plane, which starts in a step of the server's start. The step has kube-apiserver's name where there is one. */
export interface ControlPlanePart {
  readonly name: string;
  /** Resolves when the part works. */
  start(server: Server, listener: Listener | undefined, parts: CompositionParts): void | Promise<void>;
  /** Ends what {@link start} began, while the API still answers. */
  stop?(): Promise<void>;
}

/** The plan of a control plane: its options, validated before anything is opened. */
export class ControlPlanePlan {
  readonly options: ClusterOptions;
  /** What flags of kube-apiserver say; undefined for a cluster, which decides by itself. */
  readonly given: GivenSetup | undefined;
  readonly controllers: ReadonlySet<ControllerName>;
  /** The nodes of this process. Their names on a shared storage are known once the server has its own. */
  nodes: readonly NodeOptions[];
  readonly loadBalancerAddresses: Ipv4Prefix | undefined;
  imageScripts: readonly ImageScript[] = [];
  forwards: PodForwards | undefined;

  private constructor(options: ClusterOptions, given: GivenSetup | undefined) {
    const { controllers = ["*"], nodes = [], serverName } = options;
    this.options = options;
    this.given = given;
    this.controllers = enabledControllers(controllers === false ? [] : controllers);
    this.nodes = nodesOf(nodes);
    checkNodes(this.nodes);
    if (serverName !== undefined) checkServerName(serverName, this.isOneOfSeveral);
    this.loadBalancerAddresses = loadBalancersOf(options, this.hasNodes);
  }

  /** Rejects for what cannot be right. */
  static async of(options: ClusterOptions, given?: GivenSetup): Promise<ControlPlanePlan> {
    const plan = new ControlPlanePlan(options, given);
    plan.forwards = await forwardsOf(options);
    plan.imageScripts = await givenScripts(options);
    const warn = (text: string): void => options.onWarning?.(text);
    if (plan.forwards !== undefined && !plan.hasNodes) {
      warn("forward and allowForward have no effect: the cluster has no nodes of its own, whose pods could lead out");
    }
    if (!isShared(options) && (options.leaderElect ?? false) !== false) warn(electionHasNoEffect(options));
    return plan;
  }

  get hasNodes(): boolean {
    return this.nodes.length > 0;
  }

  /** Whether other servers may work on the same storage. What stands for kube-apiserver has no nodes, and is no server among others. */
  get isOneOfSeveral(): boolean {
    return isShared(this.options) && this.given === undefined;
  }

  /** Whether the storage may hold Nodes of an earlier start, which no other server runs. */
  get mayHaveFormerNodes(): boolean {
    return isKeptAlone(this.options) && this.given === undefined;
  }

  /** Whether controllers and scheduler of one server work at a time. */
  get elects(): boolean {
    return isShared(this.options) && this.options.leaderElect !== false;
  }

  get serviceCidr(): string {
    return this.given?.serviceCidr ?? SERVICE_CIDR;
  }

  issuerOfTokens(pki: ClusterPki): TokenIssuer {
    return this.given?.tokenIssuer ?? tokenIssuer(pki, this.options.random);
  }

  /** The address that the endpoints of the Service kubernetes name. */
  addressOf(listener: Listener | undefined): ServerAddress {
    return {
      ip: this.given?.advertisedAddress ?? HOST,
      port: this.given?.advertisedPort ?? listener?.port ?? 6443,
    };
  }

  /** The Service kubernetes. */
  serviceOf(listener: Listener | undefined): KubeObject {
    return kubernetesService(this.addressOf(listener).port, this.serviceCidr, this.given?.serviceNodePort);
  }
}
