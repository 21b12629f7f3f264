/** The options that several commands share. */

import { JOB_KINDS } from "../../runtime/contract/jobs.ts";
import { options } from "./option.ts";
import { parsePort, parseTag, parseTail } from "./parsers.ts";

export const appName = options({
  "-a, --app-name NAME": {
    group: "Your app and image",
    rare: true,
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
  "-t, --docker-tag TAG": {
    group: "Your app and image",
    description: "Tag of the image",
    default: "latest",
    completion: "image-tag",
    variable: "MLCLI_DOCKER_TAG",
    onlyWithout: "--image",
    hint: "Write the tag into the name of the image, such as NAME:TAG",
    parse: parseTag,
  },
});

export const DEFAULT_PORT = "8080";

export const serverPort = options({
  "-p, --port PORT": {
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
  "-o, --output FORMAT": {
    group: "Results",
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
  "-q, --quiet": {
    group: "Results",
    description: "Print only the result, warnings and errors",
  },
  "--progress MODE": {
    group: "Results",
    rare: true,
    choices: ["auto", "plain"],
    description: "Style of the progress output: plain adds lines, and auto updates lines on a " +
      "terminal",
    default: "auto",
    variable: "MLCLI_PROGRESS",
  },
});

/** Of every command that asks AWS: account, region and role. */
export const cloudOptions = options({
  "-r, --iam-role-arn ARN": {
    group: "AWS",
    rare: true,
    description: "IAM role that mlcli assumes",
    variable: "PLATFORM_ROLE",
    traced: true,
  },
  ...appName,
  "--region REGION": {
    group: "AWS",
    description: "AWS region (default: cloud_region in NAME.json, AWS_REGION or the profile)",
    completion: "region",
    traced: true,
  },
  "--profile PROFILE": {
    group: "AWS",
    description: "AWS profile (default: cloud_profile in NAME.json, or AWS_PROFILE)",
    completion: "profile",
    traced: true,
  },
});

export const jobKind = options({
  "--kind KIND": {
    choices: JOB_KINDS,
    description: "List only one kind: train, process or transform",
  },
});

export const jobOrEndpoint = options({
  "<name>": {},
  "--kind KIND": {
    choices: [...JOB_KINDS, "endpoint"],
    description: "Kind of the resource, if several resources have this NAME: train, process, " +
      "transform or endpoint",
  },
  ...cloudOptions,
});

export const tailOption = options({
  "--tail LINES": {
    description: "Number of last lines to show, or all for the whole log",
    default: "all",
    parse: parseTail,
  },
});

/** Those that may stand before the command, too: the same in all commands that have them. */
export const earlyOptions = options({
  ...dockerTag,
  ...cloudOptions,
  ...outputFormat,
  ...progressOptions,
});
