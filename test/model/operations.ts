import { turn } from "../../src/base/async/turns.js";
import { isStatusError } from "../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import {
  DELETE,
  type ListObjectsOptions,
  type Preconditions,
  type StoredObject,
} from "../../src/server/storage/store.js";
import { pod } from "../suites/store-harness.js";
import { type Condition, type Look, type Operation, PAGERS, type Wanted, WATCHERS } from "./commands.js";
import { type Content, must, same, type Scope, type Version } from "./model.js";
import { Pager } from "./pager.js";
import { complaintAbout, localPrefix, predicateOf, Watcher } from "./watcher.js";
import type { World } from "./world.js";

type Doing<D extends Operation["do"]> = Extract<Operation, { do: D }>;

const PLACES = ["pods/", "pods/a/", "pods/b/", "configmaps/", "configmaps/a/", "pods/"];

/** Carries out operations as a client would, and has every answer held against the history. */
export class Operations {
  readonly #watchers: (Watcher | undefined)[] = Array.from({ length: WATCHERS }, () => undefined);
  readonly #pagers: Pager[];
  /** Watchers that are just being started or broken. */
  readonly #busy = new Set<number>();

  constructor(
    private readonly world: World,
    private readonly keys: number,
  ) {
    this.#pagers = Array.from({ length: PAGERS }, () => new Pager(world));
  }

  async perform(operation: Operation): Promise<void> {
    this.world.count("operations");
    switch (operation.do) {
      case "create":
        return this.#create(operation);
      case "update":
        for (let racer = 1; racer < operation.racers; racer++) this.world.count("operations");
        await Promise.all(Array.from({ length: operation.racers }, () => this.#update(operation)));
        return;
      case "delete":
        return this.#delete(operation);
      case "get":
        return this.#get(operation);
      case "list":
        return this.#list(operation);
      case "page": {
        const options = this.#versionOf(operation.wanted, operation.back);
        const { resource, scope } = this.#scope(operation.look);
        const pager = this.#pagers[operation.pager] as Pager;
        return pager.next(this.world.server(operation.server, pager.resource ?? resource), resource, scope, {
          ...options,
          limit: operation.limit,
        });
      }
      case "watch":
        return this.#watch(operation);
      case "stall":
        this.#watchers[operation.watcher]?.stall();
    }
  }

  /** Starts the watchers that the end of their server broke. */
  async resumeWatchers(): Promise<void> {
    await Promise.all(
      this.world.watchers.map((watcher, index) => watcher.start(this.world.server(index, watcher.resource))),
    );
  }

  async #create({ key, node, ttl, dry, server }: Doing<"create">): Promise<void> {
    const { world } = this;
    const { resource, local, path } = this.#key(key);
    const store = world.server(server, resource);
    const low = world.known();
    const write = world.ledger.begin(path);
    const content = this.#content({ write, basedOn: 0, node: `n${node}`, uid: write }, ttl);
    try {
      const object = await store.create(local, objectOf(local, content), { ttlSeconds: ttl, dryRun: dry });
      if (dry) {
        world.ledger.end(write, { kind: "failed" });
        world.later((high) =>
          this.#mustHaveHeld(path, low, high, "a dry run created", (version) => version === undefined),
        );
      } else {
        this.#acknowledged(write, object, content, low);
      }
    } catch (error) {
      if (world.wasCutOff(error)) return world.ledger.end(write, { kind: dry ? "failed" : "unknown" });
      world.ledger.end(write, { kind: "failed" });
      this.#mustBe(error, 409, "AlreadyExists");
      world.count("conflicts");
      world.later((high) =>
        this.#mustHaveHeld(path, low, high, "create was refused", (version) => version !== undefined),
      );
    }
  }

  async #update(operation: Doing<"update">): Promise<void> {
    const { key, node, ttl, dry, condition, orCreate, pause, outcome, server } = operation;
    const { world } = this;
    const { resource, local, path } = this.#key(key);
    const store = world.server(server, resource);
    const low = world.known();
    const preconditions = this.#preconditions(condition, path);
    /** The attempt of the moment. */
    let write: string | undefined;
    let content: Content | undefined;
    let read: StoredObject | undefined;
    const change = async (current: StoredObject | undefined): Promise<KubeObject | typeof DELETE> => {
      if (write !== undefined) {
        world.ledger.end(write, { kind: "failed" });
        world.count("conflicts");
      }
      write = undefined;
      read = current;
      this.#mustHaveBeen(path, current, low, "an update read");
      for (let turns = 0; turns < pause; turns++) await turn();
      if (current !== undefined && outcome === "delete") return DELETE;
      if (current !== undefined && outcome === "same") return current.object();
      write = world.ledger.begin(path);
      const uid = current === undefined ? write : contentOfObject(current).uid;
      content = this.#content({ write, basedOn: current?.revision ?? 0, node: `n${node}`, uid }, ttl);
      return objectOf(local, content);
    };
    try {
      const options = { preconditions, ignoreNotFound: orCreate, dryRun: dry, ttlSeconds: ttl };
      const result = await store.guaranteedUpdate(local, change, options);
      const before = read as StoredObject | undefined;
      this.#mustHaveMet(preconditions, before, path);
      must(result.created === (before === undefined), () => `an update of ${path} says created: ${result.created}`);
      must(
        result.deleted === (before !== undefined && outcome === "delete"),
        () => `an update of ${path} says deleted`,
      );
      must(result.changed === (write !== undefined || result.deleted), () => `an update of ${path} says changed`);
      if (write !== undefined && dry) world.ledger.end(write, { kind: "failed" });
      else if (write !== undefined && content !== undefined) this.#acknowledged(write, result.object, content, low);
      else if (result.deleted && before !== undefined && !dry) this.#deleted(result.object, before, low);
      else if (!result.changed) this.#mustHaveBeen(path, result.object, low, "an update that changed nothing answered");
    } catch (error) {
      if (world.wasCutOff(error)) {
        if (write !== undefined) world.ledger.end(write, { kind: dry ? "failed" : "unknown" });
        else if (outcome === "delete" && !dry) world.ledger.mayBeDeleted(path);
        return;
      }
      if (write !== undefined) world.ledger.end(write, { kind: "failed" });
      this.#refused(error, path, low, preconditions);
    }
  }

  async #delete({ key, condition, refuse, dry, server }: Doing<"delete">): Promise<void> {
    const { world } = this;
    const { resource, local, path } = this.#key(key);
    const store = world.server(server, resource);
    const low = world.known();
    const preconditions = this.#preconditions(condition, path);
    const refusal = new Error("refused by the test");
    let read: StoredObject | undefined;
    const validate = async (current: StoredObject): Promise<void> => {
      if (read !== undefined) world.count("conflicts");
      read = current;
      this.#mustHaveBeen(path, current, low, "a deletion read");
      if (refuse) throw refusal;
    };
    try {
      const object = await store.delete(local, { preconditions, validate, dryRun: dry });
      must(read !== undefined && !refuse, () => `a deletion of ${path} did not ask`);
      this.#mustHaveMet(preconditions, read, path);
      if (!dry) this.#deleted(object, read, low);
    } catch (error) {
      if (error === refusal) return;
      if (!world.wasCutOff(error)) return this.#refused(error, path, low, preconditions);
      if (!dry) world.ledger.mayBeDeleted(path);
    }
  }

  async #get({ key, wanted, back, server }: Doing<"get">): Promise<void> {
    const { world } = this;
    const { resource, local, path } = this.#key(key);
    const { resourceVersion = "" } = this.#versionOf(wanted, back);
    const low = resourceVersion === "" ? world.known() : Number(resourceVersion);
    let object: StoredObject | undefined;
    try {
      object = await world.server(server, resource).get(local, { resourceVersion });
    } catch (error) {
      if (world.wasCutOff(error)) return;
      this.#mustBe(error, 404, "NotFound");
    }
    this.#mustHaveBeen(path, object, low, `get with version ${JSON.stringify(resourceVersion)} answered`);
  }

  async #list({ look, wanted, back, server }: Doing<"list">): Promise<void> {
    const { world } = this;
    const { resource, scope } = this.#scope(look);
    const version = this.#versionOf(wanted, back);
    const { resourceVersion = "", resourceVersionMatch } = version;
    const low = resourceVersion === "" ? world.known() : Number(resourceVersion);
    try {
      const store = world.server(server, resource);
      const list = await store.list(localPrefix(scope), { ...predicateOf(scope), ...version });
      must(list.continue === undefined && list.remainingItemCount === undefined, () => "a whole list has a next page");
      if (resourceVersionMatch === "Exact") {
        must(Number(list.resourceVersion) === low, () => `asked exactly for ${low}, listed ${list.resourceVersion}`);
      }
      world.checkList(list, scope, low);
    } catch (error) {
      if (world.wasCutOff(error)) return;
      this.#mustBe(error, 410, "Expired");
      world.count("expired");
      const complaint = () => `${low} cannot be forgotten, but a list says so`;
      must(resourceVersionMatch === "Exact", complaint);
      await world.mustBeForgettable(low, complaint);
    }
  }

  async #watch({ watcher: slot, look, start, bookmarks, server }: Doing<"watch">): Promise<void> {
    if (this.#busy.has(slot)) return;
    this.#busy.add(slot);
    try {
      let watcher = this.#watchers[slot];
      if (watcher === undefined) {
        const { scope } = this.#scope(look);
        const name = `watcher ${slot} of ${scope.prefix}${scope.node === undefined ? "" : ` on ${scope.node}`} (${start})`;
        this.#watchers[slot] = watcher = new Watcher(this.world, name, scope, start, bookmarks);
        this.world.watchers.push(watcher);
      }
      await watcher.break();
      const { resource } = watcher;
      await watcher.start(this.world.server(server, resource));
    } catch (error) {
      if (!this.world.wasCutOff(error)) throw error;
    } finally {
      this.#busy.delete(slot);
    }
  }

  #acknowledged(write: string, object: StoredObject, content: Content, low: number): void {
    const { world } = this;
    const { revision } = object;
    must(revision > low, () => `${write} was acknowledged at ${revision} though ${low} was known before it began`);
    const complaint = complaintAbout(object, revision, content);
    must(complaint === undefined, () => `the answer to ${write}: ${complaint}`);
    world.saw(revision);
    world.ledger.end(write, { kind: "acknowledged", revision });
  }

  #deleted(object: StoredObject, before: StoredObject, low: number): void {
    const { key, revision } = object;
    must(revision > low, () => `a deletion of ${key} was acknowledged at ${revision} though ${low} was known before`);
    const complaint = complaintAbout(object, revision, contentOfObject(before));
    must(complaint === undefined, () => `the answer to a deletion of ${key}: ${complaint}`);
    this.world.saw(revision);
    this.world.ledger.deleted(key, revision, before.revision);
  }

  /** NotFound and Conflict, where there was a moment for it. */
  #refused(error: unknown, path: string, low: number, preconditions: Preconditions | undefined): void {
    const { world } = this;
    if (isStatusError(error) && error.status.code === 404) {
      world.later((high) => this.#mustHaveHeld(path, low, high, "not found", (version) => version === undefined));
      return;
    }
    this.#mustBe(error, 409, "Conflict");
    world.count("conflicts");
    must(preconditions !== undefined, () => `a conflict at ${path} without a precondition`);
    world.later((high) => this.#mustHaveHeld(path, low, high, "conflict", (version) => !meets(preconditions, version)));
  }

  #mustHaveMet(preconditions: Preconditions | undefined, before: StoredObject | undefined, path: string): void {
    const version = before && { revision: before.revision, content: contentOfObject(before) };
    must(meets(preconditions, version), () => `${path} was written against ${JSON.stringify(preconditions)}`);
  }

  /** `object`, undefined for none, must be what the key held at some moment not before `low`. */
  #mustHaveBeen(path: string, object: StoredObject | undefined, low: number, about: string): void {
    const seen = object && { revision: object.revision, content: contentOfObject(object) };
    const complaint = seen && object && complaintAbout(object, seen.revision, seen.content);
    must(complaint === undefined, () => `${about} ${path}: ${complaint}`);
    this.world.later((high) =>
      this.#mustHaveHeld(path, low, high, `${about} ${seen?.revision ?? "nothing"}`, (version) =>
        version === undefined
          ? seen === undefined
          : version.revision === seen?.revision && same(version.content, seen.content),
      ),
    );
    if (object !== undefined) this.world.saw(object.revision);
  }

  #mustHaveHeld(
    path: string,
    low: number,
    high: number,
    about: string,
    holds: (version: Version | undefined) => boolean,
  ): void {
    const moments = this.world.history.moments(path, low, high);
    must(moments.some(holds), () => {
      const held = moments.map((version) => version?.revision ?? "nothing").join();
      return `${path}: ${about}, but from ${low} to ${high} it held ${held}`;
    });
  }

  #mustBe(error: unknown, code: number, reason: string): void {
    if (!isStatusError(error) || error.status.code !== code || error.status.reason !== reason) throw error;
  }

  #content(content: Content, ttl: number): Content {
    return ttl === 0 ? content : { ...content, expires: this.world.clock.now() + ttl * 1000 };
  }

  #preconditions(condition: Condition, path: string): Preconditions | undefined {
    const version = this.world.history.latest(path);
    switch (condition) {
      case "none":
        return undefined;
      case "seen":
        return { resourceVersion: String(version?.revision ?? 1) };
      case "stale":
        return { resourceVersion: String(version?.before?.revision ?? 1) };
      case "uid":
        return { uid: version?.content?.uid ?? "none" };
      case "other-uid":
        return { uid: "other" };
    }
  }

  #versionOf(wanted: Wanted, back: number): Pick<ListObjectsOptions, "resourceVersion" | "resourceVersionMatch"> {
    const seen = String(Math.max(this.world.history.first, this.world.known() - back));
    switch (wanted) {
      case "latest":
        return {};
      case "any":
        return { resourceVersion: "0" };
      case "not-older":
        return { resourceVersion: seen, resourceVersionMatch: "NotOlderThan" };
      case "exact":
        return { resourceVersion: seen, resourceVersionMatch: "Exact" };
    }
  }

  #key(index: number): { resource: string; local: string; path: string } {
    const number = index % this.keys;
    const resource = number % 5 === 0 ? "configmaps" : "pods";
    const local = `${number % 3 === 0 ? "b" : "a"}/k${number}`;
    return { resource, local, path: `/registry/${resource}/${local}` };
  }

  #scope({ place, node }: Look): { resource: string; scope: Scope } {
    const prefix = PLACES[place] ?? "pods/";
    const scope = { prefix: `/registry/${prefix}`, node: node === undefined ? undefined : `n${node}` };
    return { resource: prefix.split("/")[0] ?? "", scope };
  }
}

function objectOf(local: string, content: Content): KubeObject {
  const [namespace = "", name = ""] = local.split("/");
  return { ...pod(namespace, name, { node: content.node, content }), metadata: { name, namespace, uid: content.uid } };
}

function contentOfObject(object: StoredObject): Content {
  return object.object()["content"] as Content;
}

function meets(
  preconditions: Preconditions | undefined,
  version: { readonly revision: number; readonly content: Content | undefined } | undefined,
): boolean {
  if (preconditions?.uid !== undefined && preconditions.uid !== version?.content?.uid) return false;
  return preconditions?.resourceVersion === undefined || preconditions.resourceVersion === String(version?.revision);
}
