/** An app as a value, for what is computed from it: none of its files has to exist. */

import { join } from "@std/path";
import type { App } from "../../runtime/app/app.ts";
import type { Configuration } from "../../runtime/app/configuration.ts";
import { pathsOf } from "../../runtime/app/paths.ts";

/** The app of a directory, configured by its defaults but for what the test gives. */
export function appObject(
  directory: string,
  name: string,
  configuration: Partial<Configuration> = {},
): App {
  const base = join(directory, name, "mlcli_base");
  return {
    name,
    directory,
    cwd: directory,
    boundary: directory,
    base,
    paths: pathsOf({ name, directory, cwd: directory, boundary: directory }),
    mark: `mark of ${directory}`,
    configurationPath: join(directory, `${name}.json`),
    configuration: {
      image: undefined,
      sourceDir: undefined,
      launcher: undefined,
      distribution: undefined,
      context: undefined,
      dockerfile: undefined,
      imageName: name,
      pythonVersion: "3.12",
      requirements: "requirements.txt",
      certificateFile: undefined,
      baseImage: undefined,
      platform: undefined,
      cloudRegion: undefined,
      cloudProfile: undefined,
      s3Prefix: undefined,
      executionRole: undefined,
      metricDefinitions: [],
      sections: {},
      ignoresPythonVersion: false,
      otherKeys: [],
      ...configuration,
    },
    image: configuration.image ?? `${configuration.imageName ?? name}:latest`,
  };
}
