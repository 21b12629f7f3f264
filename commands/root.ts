import { type Group, under } from "./command.ts";
import cloudGroup, { COSTS_MONEY } from "./cloud/cloud.ts";
import { everywhere } from "./options/standard.ts";

const LOCAL = "On this machine";

const START = "mlcli init flats && mlcli build && mlcli local train && mlcli local deploy";

/** `mlcli` with all its commands. */
export const root: Group = {
  details:
    "Train and serve machine-learning models in local containers, then run the same app on " +
    "Amazon SageMaker",
  options: everywhere,
  examples: [
    ["Create an app, then train and serve it locally", START],
    ["Send a request to the server", "echo 72,3,15 | mlcli local invoke"],
    ["Find out why something fails", "mlcli doctor"],
  ],
  more:
    "For the options of a command, run mlcli COMMAND --help. For the documentation, see the README " +
    "of the release or docs/ in the source code.",
  early: async () => (await import("./options/shared.ts")).earlyOptions,
  commands: {
    ...under(LOCAL, {
      init: { summary: "Create an app with a working example", load: () => import("./init.ts") },
      build: { summary: "Build the app's Docker image", load: () => import("./build.ts") },
      local: {
        summary: "Train, process and serve in local containers",
        load: () => import("./local/local.ts"),
      },
      doctor: {
        summary: "Check this machine and the app for problems",
        load: () => import("./doctor.ts"),
      },
      config: {
        summary: "Show and change your settings",
        load: () => import("./config/config.ts"),
      },
      completions: {
        aliases: ["completion"],
        summary: "Print a completion script for your shell",
        load: () => import("./completions/completions.ts"),
      },
      help: { summary: "Show the help of a command", load: () => import("./help.ts") },
    }),
    ...under(COSTS_MONEY, {
      cloud: {
        isPrefix: true,
        summary: "Run a SageMaker command (mlcli cloud train is mlcli train)",
        load: () => import("./cloud/cloud.ts"),
      },
    }),
    ...cloudGroup.commands,
  },
};
