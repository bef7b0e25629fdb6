import type { ServerGates } from "../../api/gates/feature-gates.js";
import { stat } from "node:fs/promises";
import type { Release } from "../../api/facts/index.js";
import { PathError } from "../../base/files/path-error.js";
import { WatchedFile } from "../../base/files/watched-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import { admissionFailure } from "../../server/admission/configuration/admission-configuration.js";
import {
  folderFault,
  type ManifestPlugin,
  manifestFolderFault,
} from "../../server/admission/configuration/manifest-folder.js";
import type { AdmissionManifests } from "../../server/admission/plugin.js";
import { FileFaults } from "../reload/watch-files.js";
import { type LoadedManifests, loadManifests, type ManifestFile, readManifestFiles } from "./load-manifests.js";

/** For each plugin's name the folder that its configuration names: webhooks or policies as files. */
export type ManifestFolders = ReadonlyMap<ManifestPlugin, string>;

export interface ManifestSurroundings {
  readonly release: Release;
  readonly gates: ServerGates;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Gets what is wrong with a folder that has changed. The server goes on with what it held before. */
  readonly report: (error: unknown) => void;
}

export interface OpenedManifests extends AdmissionManifests {
  close(): Promise<void>;
}

/** Loads the webhooks and policies of folders, and follows them. Rejects in kube-apiserver's words for one that is wrong. */
export async function openManifests(folders: ManifestFolders, around: ManifestSurroundings): Promise<OpenedManifests> {
  const opened = new Map<string, FollowedFolder>();
  for (const [plugin, folder] of folders) opened.set(plugin, await FollowedFolder.open(plugin, folder, around));
  return {
    now: (plugin, resource) => opened.get(plugin)?.loaded.get(resource),
    async close() {
      await Promise.all([...opened.values()].map((one) => one.close()));
    },
  };
}

/** The folder of one plugin. */
class FollowedFolder {
  readonly #watched: WatchedFile;
  /** What is wrong with the last files. */
  #fault: string | undefined;

  private constructor(
    /** Of the last files that were right. */
    public loaded: LoadedManifests,
    /** The last files that were looked at. */
    private files: readonly ManifestFile[],
    private readonly load: (files: readonly ManifestFile[]) => LoadedManifests,
    folder: string,
    timers: Timers,
    private readonly tell: (fault: string | undefined) => void,
  ) {
    this.#watched = new WatchedFile({ file: folder, isFolder: true, timers, look: () => this.#look(folder) });
  }

  static async open(plugin: ManifestPlugin, folder: string, around: ManifestSurroundings): Promise<FollowedFolder> {
    const { release, gates, clock, timers, report } = around;
    const fault = manifestFolderFault(folder, gates) ?? (await faultOf(folder));
    if (fault !== undefined) throw admissionFailure(`couldn't init admission plugin ${goQuote(plugin)}: ${fault}`);
    const load = (files: readonly ManifestFile[]): LoadedManifests =>
      loadManifests(plugin, files, release, clock.now());
    try {
      const files = await readManifestFiles(folder);
      const what = `the manifests of the admission plugin ${plugin} in ${folder}`;
      const { of } = new FileFaults("admission-manifests", report);
      return new FollowedFolder(load(files), files, load, folder, timers, of(what));
    } catch (error) {
      const kind = plugin.endsWith("Webhook") ? "webhook" : "policy";
      throw admissionFailure(
        `failed to initialize admission plugin ${goQuote(plugin)}: failed to load static ${kind} manifests from ${goQuote(folder)}: ${errorMessage(error)}`,
      );
    }
  }

  close(): Promise<void> {
    return this.#watched.close();
  }

  async #look(folder: string): Promise<void> {
    let files;
    try {
      files = await readManifestFiles(folder);
    } catch (error) {
      return this.tell(errorMessage(error));
    }
    if (!areSame(files, this.files)) this.#take(files);
    this.tell(this.#fault);
  }

  #take(files: readonly ManifestFile[]): void {
    this.files = files;
    try {
      this.loaded = this.load(files);
      this.#fault = undefined;
    } catch (error) {
      this.#fault = errorMessage(error);
    }
  }
}

const areSame = (a: readonly ManifestFile[], b: readonly ManifestFile[]): boolean =>
  a.length === b.length && a.every(({ path, text }, index) => path === b[index]?.path && text === b[index]?.text);

async function faultOf(folder: string): Promise<string | undefined> {
  try {
    return (await stat(folder)).isDirectory() ? undefined : folderFault(folder, "must be a directory");
  } catch (error) {
    return folderFault(folder, `unable to read: ${new PathError("stat", folder, error).message}`);
  }
}
