import { assert, assertEquals } from "@std/assert";
import { type Command, type Group, isGroup } from "../../commands/command.ts";
import { root } from "../../commands/root.ts";
import { main } from "../../main.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

/** What a command line says that may not get as far as SageMaker or the engine. */
async function refused(line: string): Promise<string> {
  const context = fakeContext();
  const code = await main(line.split(" "), context);
  assertEquals([code, context.out.text], [2, ""]);
  return context.err.text;
}

const HERE = "On this machine, use mlcli local";

/** Commands that there are not, and the hint. */
const COMMANDS: readonly (readonly [line: string, name: string, hint: string])[] = [
  ["bild", "bild", "Did you mean mlcli build? See mlcli --help"],
  ["buidl --no-cache", "buidl", "Did you mean mlcli build? See mlcli --help"],
  ["Build", "Build", "Did you mean mlcli build? See mlcli --help"],
  ["bild --help", "bild", "Did you mean mlcli build? See mlcli --help"],
  ["bild -h", "bild", "Did you mean mlcli build? See mlcli --help"],
  ["help bild", "bild", "Did you mean mlcli build? See mlcli --help"],
  ["inti demo", "inti", "Did you mean mlcli init? See mlcli --help"],
  ["docter", "docter", "Did you mean mlcli doctor? See mlcli --help"],
  ["hlep", "hlep", "Did you mean mlcli help? See mlcli --help"],
  ["LOCAL train", "LOCAL", "Did you mean mlcli local train? See mlcli --help"],
  ["Local STOP", "Local", "Did you mean mlcli local stop? See mlcli --help"],
  ["LOCAL", "LOCAL", "Did you mean mlcli local? See mlcli --help"],
  ["LOCAL nothing", "LOCAL", "Did you mean mlcli local? See mlcli --help"],
  ["list-endpoint", "list-endpoint", "Did you mean mlcli list-endpoints? See mlcli --help"],
  ["list_endpoints", "list_endpoints", "Did you mean mlcli list-endpoints? See mlcli --help"],
  ["comp", "comp", "Did you mean mlcli completions? See mlcli --help"],
  ["upload --input-dir x", "upload", "Did you mean mlcli upload-data? See mlcli --help"],
  [
    "download x",
    "download",
    "Did you mean mlcli download-model or mlcli download-output? See mlcli --help",
  ],
  ["new demo", "new", "Did you mean mlcli init? See mlcli --help"],
  ["version", "version", "Did you mean mlcli --version? See mlcli --help"],
  ["run", "run", "Did you mean mlcli local train or mlcli local process? See mlcli --help"],
  // Both halves have it: nobody is to pay by mistake.
  ["trian", "trian", `${HERE} train. On SageMaker, use mlcli train.`],
  ["delpoy", "delpoy", `${HERE} deploy. On SageMaker, use mlcli deploy.`],
  ["Train", "Train", `${HERE} train. On SageMaker, use mlcli train.`],
  ["log", "log", `${HERE} logs. On SageMaker, use mlcli logs.`],
  ["serve", "serve", `${HERE} deploy. On SageMaker, use mlcli deploy.`],
  ["invoke", "invoke", `${HERE} invoke. On SageMaker, use mlcli invoke-endpoint.`],
  // Of the group that is named, else of the other.
  ["local trian", "trian", "Did you mean mlcli local train? See mlcli local --help"],
  ["local trian --help", "trian", "Did you mean mlcli local train? See mlcli local --help"],
  ["-t v2 local stopp", "stopp", "Did you mean mlcli local stop? See mlcli local --help"],
  ["local build", "build", "Did you mean mlcli build? See mlcli local --help"],
  ["local push -t v2", "push", "Did you mean mlcli push? See mlcli local --help"],
  [
    "local list-endpoint",
    "list-endpoint",
    "Did you mean mlcli list-endpoints? See mlcli local --help",
  ],
  [
    "local run",
    "run",
    "Did you mean mlcli local train or mlcli local process? See mlcli local --help",
  ],
  ["local exec", "exec", "Did you mean mlcli local shell? See mlcli local --help"],
  ["local list", "list", "Did you mean mlcli local list-jobs? See mlcli local --help"],
  ["local delete 3", "delete", "See mlcli local --help"],
  ["local stop-job", "stop-job", "Did you mean mlcli local stop? See mlcli local --help"],
  ["local up", "up", "Did you mean mlcli local deploy? See mlcli local --help"],
  ["local predict", "predict", "Did you mean mlcli local invoke? See mlcli local --help"],
  ["rm churn", "rm", `${HERE} stop. On SageMaker, use mlcli delete-endpoint -n churn.`],
  ["delete churn", "delete", "Did you mean mlcli delete-endpoint -n churn? See mlcli --help"],
  ["invoke churn", "invoke", `${HERE} invoke. On SageMaker, use mlcli invoke-endpoint -n churn.`],
  [
    "stop churn-7",
    "stop",
    `${HERE} stop. On SageMaker, use mlcli stop-job churn-7 or mlcli delete-endpoint -n churn-7.`,
  ],
  [
    "stop 8090",
    "stop",
    `${HERE} stop -p 8090. On SageMaker, use mlcli stop-job or mlcli delete-endpoint.`,
  ],
  ["cloud trian", "trian", "Did you mean mlcli train? See mlcli cloud --help"],
  ["cloud init", "init", "Did you mean mlcli init? See mlcli cloud --help"],
  ["clod train", "clod", "Did you mean mlcli cloud? See mlcli --help"],
  ["completions run", "run", "See mlcli completions --help"],
  ["completions bsh", "bsh", "Did you mean mlcli completions bash? See mlcli completions --help"],
  // Nothing is close.
  ["xyzzy", "xyzzy", "See mlcli --help"],
  ["tst", "tst", "See mlcli --help"],
  ["b", "b", "See mlcli --help"],
  ["endpoints", "endpoints", "Did you mean mlcli list-endpoints? See mlcli --help"],
  ["local complete", "complete", "See mlcli local --help"],
  ["constructor", "constructor", "See mlcli --help"],
  ["completions __proto__", "__proto__", "See mlcli completions --help"],
];

/** Options that a command has not, and what is said before the hint to its help. */
const OPTIONS: readonly (readonly [line: string, flag: string, hint: string])[] = [
  ["build --no-cach", "--no-cach", "Did you mean --no-cache? "],
  ["build --nocache", "--nocache", "Did you mean --no-cache? "],
  ["local train --docker-tga=v2", "--docker-tga", "Did you mean --docker-tag? "],
  ["local train --docker_tag v2", "--docker_tag", "Did you mean --docker-tag? "],
  ["local train --dockerTag v2", "--dockerTag", "Did you mean --docker-tag? "],
  ["local train --HYPERPARAMETER a=1", "--HYPERPARAMETER", "Did you mean --hyperparameter? "],
  ["local train --hyperparameters a=1", "--hyperparameters", "Did you mean --hyperparameter? "],
  ["local train --hyper a=1", "--hyper", "Did you mean --hyperparameter? "],
  ["train --instance-typ ml.m5.large", "--instance-typ", "Did you mean --instance-type? "],
  ["deploy --endpoint shop", "--endpoint", "Did you mean --endpoint-name? "],
  ["deploy --time-out 3", "--time-out", "Did you mean --timeout? "],
  ["local stop -P 80", "-P", "Did you mean -p? "],
  ["--hepl", "--hepl", "Did you mean --help? "],
  ["-H", "-H", "Did you mean -h? "],
  ["local status --no-colour", "--no-colour", "Did you mean --no-color? "],
  // What other programs call so.
  ["-v", "-v", "Did you mean --version? "],
  ["train --local", "--local", "To run locally: mlcli local train. "],
  ["local train --timeout 5m", "--timeout", "Did you mean --stop-after? "],
  ["local train --data x", "--data", "Did you mean --input? "],
  [
    "list-jobs --jq .[]",
    "--jq",
    "To select from the JSON, use jq: mlcli list-jobs --output json | jq FILTER. ",
  ],
  [
    "local status --format x",
    "--format",
    "To select from the JSON, use jq: mlcli local status --output json | jq FILTER. ",
  ],
  ["--region x local status", "--region", ""],
  [
    "--region x local train",
    "--region",
    "--region belongs to mlcli train, which runs on SageMaker. ",
  ],
  ["invoke-endpoint --json", "--json", "Did you mean --content-type application/json? "],
  ["deploy --name shop", "--name", "Did you mean --endpoint-name? "],
  ["delete-endpoint --name=shop", "--name", "Did you mean --endpoint-name? "],
  ["train --name churn", "--name", "Did you mean --base-job-name? "],
  ["list-jobs --name churn", "--name", "Did you mean --name-contains? "],
  ["push --name team/churn", "--name", "Did you mean --repository? "],
  ["build --name churn", "--name", "Did you mean --app-name? "],
  ["local deploy --name churn", "--name", "Did you mean --app-name? "],
  ["describe --name churn", "--name", "Pass the name without an option: mlcli describe NAME. "],
  ["init --name churn", "--name", "Pass the name without an option: mlcli init NAME. "],
  ["build --tag v2", "--tag", "Did you mean --docker-tag? "],
  ["local deploy -e A=B", "-e", "Did you mean --env? "],
  ["local logs -n 20", "-n", "Did you mean --tail? "],
  ["transform --batch-strategy x", "--batch-strategy", "Did you mean --strategy? "],
  ["local transform --filter x", "--filter", "Did you mean --input-filter? "],
  ["transform --split-type Line", "--split-type", "Did you mean --split? "],
  ["transform --assemble-with Line", "--assemble-with", "Did you mean --assemble? "],
  ["transform --join-source Input", "--join-source", "Did you mean --join? "],
  ["transform --max-payload-in-mb 6", "--max-payload-in-mb", "Did you mean --max-payload? "],
  [
    "transform --max-concurrent-transforms 2",
    "--max-concurrent-transforms",
    "Did you mean --max-concurrency? ",
  ],
  ["transform --input-dir x", "--input-dir", "Did you mean --input-s3-location? "],
  [
    "local train --epochs 3",
    "--epochs",
    "Pass a hyperparameter like this: --hyperparameter epochs=VALUE. ",
  ],
  // The other half has it.
  [
    "deploy -n shop --port=80",
    "--port",
    "--port belongs to mlcli local deploy, which runs on this machine. ",
  ],
  ["local deploy -n shop", "-n", "-n belongs to mlcli deploy, which runs on SageMaker. "],
  [
    "local deploy --s3-model-location s3://bucket/m",
    "--s3-model-location",
    "--s3-model-location belongs to mlcli deploy, which runs on SageMaker. ",
  ],
  // It stands before the command that has it.
  ["-p 8081 local stop", "-p", "Put it after the command: mlcli local stop -p. "],
  ["local --port 8081 stop", "--port", "Put it after the command: mlcli local stop --port. "],
  // Nothing is close.
  ["local --port 8081", "--port", ""],
  ["list-endpoints --port 80", "--port", ""],
  ["build --verbose", "--verbose", "Did you mean --debug? "],
  ["build --x", "--x", ""],
  ["build -x", "-x", ""],
  ["build --constructor", "--constructor", ""],
  ["local train --json", "--json", ""],
];

/** Values that an option does not take. */
const VALUES: readonly (readonly [line: string, message: string])[] = [
  ["local deploy -p23001x", 'Option "--port" must be a number from 0 to 65535, but got "23001x"'],
  [
    "list-jobs --kind trianing",
    'Option "--kind" must be train, process or transform, but got "trianing"',
  ],
  ["list-jobs --output jsn", 'Option "--output" must be text or json, but got "jsn"'],
  [
    "describe a --kind job",
    'Option "--kind" must be train, process, transform or endpoint, but got "job"',
  ],
];

suite("what is mistyped", () => {
  for (const [line, name, hint] of COMMANDS) {
    it(`mlcli ${line}`, async () => {
      assertEquals(await refused(line), `error: Unknown command "${name}"\nhint: ${hint}\n`);
    });
  }

  for (const [line, flag, hint] of OPTIONS) {
    it(`mlcli ${line}`, async () => {
      const [error, hinted = ""] = (await refused(line)).split("\nhint: ");
      assertEquals(error, `error: Unknown option "${flag}"`);
      assertEquals(hinted.replace(/See mlcli[a-z -]* --help\n$/, ""), hint);
    });
  }

  for (const [line, message] of VALUES) {
    it(`mlcli ${line}`, async () => {
      assertEquals((await refused(line)).split("\n")[0], `error: ${message}`);
    });
  }

  for (
    const [line, argument, hint] of [
      ["local stop 8090", "8090", "Pass it as an option: mlcli local stop --port 8090"],
      [
        "delete-endpoint shop",
        "shop",
        "Pass it as an option: mlcli delete-endpoint --endpoint-name shop",
      ],
      ["local deploy 4", "4", "Pass it as an option: mlcli local deploy --run 4"],
      ["local train --stop-after 1 m", "m", "Write a value and its unit as one word, such as 5m"],
      ["local train x", "x", "See mlcli local train --help"],
      ["push x", "x", "See mlcli push --help"],
    ] as const
  ) {
    it(`mlcli ${line}`, async () => {
      assertEquals(
        await refused(line),
        `error: Unexpected argument: "${argument}"\nhint: ${hint}\n`,
      );
    });
  }

  it("an unknown command is answered with commands that exist", async () => {
    for (const [, , hint] of COMMANDS) {
      for (
        const [, words = ""] of hint.matchAll(/mlcli ([a-z][a-z -]*?)(?=[,;.?]| or | --help)/g)
      ) {
        let group: Group | undefined = root;
        for (const name of words.replace(/^help | -\w .*$/g, "").split(" ")) {
          assert(group !== undefined && Object.hasOwn(group.commands, name), words);
          const declared: Command | Group = (await group.commands[name]!.load()).default;
          group = isGroup(declared) ? declared : undefined;
        }
      }
    }
  });
});
