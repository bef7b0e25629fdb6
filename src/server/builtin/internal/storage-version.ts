import type { StorageVersion } from "../../../api/types/apiserverinternal/v1alpha1.js";
import { object, objects, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, listWithMore, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const storageVersionRecord: RecordOf<StorageVersion> = {
  group: "internal.apiserver.k8s.io",
  resource: "storageversions",
  strategy: {
    columns: columns(
      [
        "Name",
        ["CommonEncodingVersion", "The version that all servers store objects in."],
        ["StorageVersions", "The first servers, and the versions that they store objects in."],
        "Age",
      ],
      (storageVersion, now) => {
        const status = object(storageVersion.status);
        const servers = objects(status.storageVersions).map(
          (server) => `${text(server.apiServerID)}=${text(server.encodingVersion)}`,
        );
        return [
          name(storageVersion),
          status.commonEncodingVersion === undefined ? "<unset>" : text(status.commonEncodingVersion),
          listWithMore(servers, 3) || "<unset>",
          age(storageVersion, now),
        ];
      },
    ),
  },
};
