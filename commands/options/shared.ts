/** The options that several commands share. */

import { JOB_KINDS } from "../../runtime/contract/jobs.ts";
import { options } from "./option.ts";
import { parsePort, parseTag } from "./parsers.ts";

export const appName = options({
  "--app-name": {
    group: "Your app and image",
    rare: true,
    short: "-a",
    value: "name",
    description: "App to use if this directory contains several apps",
    completion: "app",
    variable: "MLCLI_APP_NAME",
  },
});

/** A condition, so no variable gives it: it is typed each time. */
export const serverOf = options({
  "--app-name": {
    ...appName["--app-name"],
    description: "Fail if the server does not belong to app NAME",
    variable: undefined,
  },
});

export const dockerTag = options({
  "--docker-tag": {
    group: "Your app and image",
    short: "-t",
    value: "tag",
    description: "Tag of the image",
    default: "latest",
    completion: "image-tag",
    variable: "MLCLI_DOCKER_TAG",
    parse: parseTag,
  },
});

export const DEFAULT_PORT = "8080";

export const serverPort = options({
  "--port": {
    short: "-p",
    value: "port",
    description: "Port of the server",
    default: DEFAULT_PORT,
    completion: "server-port",
    variable: "MLCLI_PORT",
    parse: parsePort,
  },
});

/** The port for commands that only read from a server. */
export const onlyServerPort = options({
  "--port": {
    ...serverPort["--port"],
    description: "Port of the server (default: the port of the app's only server)",
    default: undefined,
  },
});

export const outputFormat = options({
  "--output": {
    group: "Results",
    short: "-o",
    value: "format",
    choices: ["text", "json"],
    shorthand: ["--json", "json"],
    description: "Output format: text or json",
    default: "text",
    variable: "MLCLI_OUTPUT",
    setting: "output",
  },
});

/** How a command that takes a while shows it. */
export const progressOptions = options({
  "--quiet": {
    group: "Results",
    short: "-q",
    description: "Print only the result, warnings and errors",
  },
  "--progress": {
    group: "Results",
    rare: true,
    value: "mode",
    choices: ["auto", "plain"],
    description: "Style of the progress output: plain adds lines, and auto updates lines on a " +
      "terminal",
    default: "auto",
    variable: "MLCLI_PROGRESS",
  },
});

/** Of every command that asks AWS: account, region and role. */
export const cloudOptions = options({
  "--iam-role-arn": {
    group: "AWS",
    rare: true,
    short: "-r",
    value: "arn",
    description: "IAM role that mlcli assumes (env: PLATFORM_ROLE)",
  },
  ...appName,
  "--region": {
    group: "AWS",
    value: "region",
    description: "AWS region (default: cloud_region in NAME.json, AWS_REGION or the profile)",
    completion: "region",
  },
  "--profile": {
    group: "AWS",
    value: "profile",
    description: "AWS profile (default: cloud_profile in NAME.json, or AWS_PROFILE)",
    completion: "profile",
  },
});

export const jobKind = options({
  "--kind": {
    value: "kind",
    choices: JOB_KINDS,
    description: "List only one kind: train, process or transform",
  },
});

export const jobOrEndpoint = options({
  "<name>": {},
  "--kind": {
    value: "kind",
    choices: [...JOB_KINDS, "endpoint"],
    description: "Kind of the resource, if several resources have this NAME: train, process, " +
      "transform or endpoint",
  },
  ...cloudOptions,
});

/** Those that may stand before the command, too: the same in all commands that have them. */
export const earlyOptions = options({
  ...dockerTag,
  ...cloudOptions,
  ...outputFormat,
  ...progressOptions,
});
