import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathComponent } from "../../base/files/path-component.js";
import { PathError } from "../../base/files/path-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { makeTempFolder, removeTemp } from "../../cli/editing/temp-files.js";
import type { Factory } from "../../cli/connect/factory.js";

/** A temporary folder with one version of each object, a file an object. */
export class VersionsFolder {
  private constructor(readonly path: string) {}

  static async make(
    name: "LIVE" | "MERGED",
    host: Pick<Factory, "env" | "platform" | "random">,
  ): Promise<VersionsFolder> {
    return new VersionsFolder(await makeTempFolder(`${name}-`, host));
  }

  /** `name` may hold words of the server. undefined makes an empty file, null one that says so. */
  async write(name: string, object: KubeObject | null | undefined): Promise<void> {
    const text = object === undefined ? "" : emitYaml(object);
    const path = join(this.path, pathComponent(name));
    await writeFile(path, text, { mode: 0o700 }).catch((error: unknown) => {
      throw new PathError("open", path, error);
    });
  }

  remove(): Promise<void> {
    return removeTemp(this.path);
  }
}
