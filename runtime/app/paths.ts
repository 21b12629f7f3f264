/** Where an app's code, data and results lie. */

import { join } from "@std/path/join";
import type { Confined } from "./confinement.ts";

/** Returns the directory of an app's code and test data, relative to that of `NAME.json`, with slashes. */
export function basePath(name: string): string {
  return `${name}/mlcli_base`;
}

/** Returns the absolute path of `basePath`. */
export function baseOf(directory: string, name: string): string {
  return join(directory, basePath(name));
}

/** Absolute paths on the host of everything below an app's `mlcli_base`. */
export interface Paths extends Confined {
  readonly cwd: string;
  readonly appName: string;
  readonly base: string;
  readonly dockerfile: string;
  readonly training: string;
  readonly prediction: string;
  readonly processing: string;
  /** Code that the three share. */
  readonly common: string;
  readonly localTest: string;
  readonly testDirectory: string;
  readonly input: string;
  readonly configInput: string;
  readonly hyperparameters: string;
  /** Each directory in it is a channel. */
  readonly inputData: string;
  readonly trainingData: string;
  readonly processingData: string;
  readonly model: string;
  readonly output: string;
  readonly checkpoints: string;
  readonly jobs: string;
}

/** Below an app's `mlcli_base`: what its training, prediction and processing share. */
export const COMMON_FOLDER = "common";

/** What the paths of an app depend on. */
interface Place extends Confined {
  readonly name: string;
  readonly cwd: string;
}

/** Returns the paths of an app. None of its files has to exist. */
export function pathsOf({ name, directory, cwd, boundary }: Place): Paths {
  const base = baseOf(directory, name);
  const localTest = join(base, "local_test");
  const testDirectory = join(localTest, "test_dir");
  const input = join(testDirectory, "input");
  const configInput = join(input, "config");
  const inputData = join(input, "data");
  return {
    appName: name,
    directory,
    cwd,
    boundary,
    base,
    dockerfile: join(base, "Dockerfile"),
    training: join(base, "training"),
    prediction: join(base, "prediction"),
    processing: join(base, "processing"),
    common: join(base, COMMON_FOLDER),
    localTest,
    testDirectory,
    input,
    configInput,
    hyperparameters: join(configInput, "hyperparameters.json"),
    inputData,
    trainingData: join(inputData, "training"),
    processingData: join(inputData, "processing"),
    model: join(testDirectory, "model"),
    output: join(testDirectory, "output"),
    checkpoints: join(testDirectory, "checkpoints"),
    jobs: join(localTest, "jobs"),
  };
}
