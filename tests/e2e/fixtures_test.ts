import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { copyTree, makeDirectory } from "../helpers/directory.ts";
import { baseImage, pipImage, removeImage, sklearnImage } from "../helpers/engine.ts";
import { runProgram } from "../helpers/program.ts";
import { itByPypi, PYPI_TIMEOUT } from "../helpers/pypi.ts";
import { it, suite } from "../helpers/suite.ts";

/** A sample app, and what to ask it. */
interface Sample {
  readonly name: string;
  readonly base: () => string;
  /** Whether its packages come from PyPI. */
  readonly needsPypi?: boolean;
  readonly csv: string;
  readonly json: string;
  /** What `local process` says. */
  readonly processed: RegExp;
  /** Whether a prediction makes sense for what was asked. */
  readonly isPlausible: (prediction: number) => boolean;
}

const SAMPLES: readonly Sample[] = [
  {
    name: "housing",
    base: baseImage,
    csv: "120,3,15,4.2",
    json: '{"features": [120, 3, 15, 4.2]}',
    processed: /kept 54 of 60 rows/,
    isPlausible: (price) => price > 200_000 && price < 500_000,
  },
  {
    name: "churn",
    base: sklearnImage,
    csv: "3,79.5,4,monthly,card",
    json: '{"features": [3, 79.5, 4, "monthly", "card"]}',
    processed: /kept \d+ of \d+/,
    // New, on a monthly contract, and four calls to the support: they leave.
    isPlausible: (probability) => probability > 0.5 && probability <= 1,
  },
  {
    name: "rentals",
    base: pipImage,
    needsPypi: true,
    csv: "2025-06-03 08:00,21,sunny",
    json: '{"features": ["2025-06-03 08:00", 21, "sunny"]}',
    processed: /kept 49 of 67/,
    // Sunny, warm, and on the way to work.
    isPlausible: (bikes) => bikes > 40 && bikes < 150,
  },
];

async function ask(address: string, type: string, body: string): Promise<string> {
  const response = await fetch(`${address.replace("localhost", "127.0.0.1")}/invocations`, {
    method: "POST",
    headers: { "Content-Type": type, Accept: type },
    body,
  });
  assertEquals([response.status, response.headers.get("Content-Type")?.split(";")[0]], [200, type]);
  return (await response.text()).trim();
}

suite("the sample apps", () => {
  for (const sample of SAMPLES) {
    // Its packages are the image's, and the same on the binary.
    if (sample.needsPypi && Deno.env.get("MLCLI_UNDER_TEST")) continue;
    const declare = sample.needsPypi ? itByPypi : it;
    declare(
      `${sample.name} is built, processes, trains, and answers CSV and JSON alike`,
      async () => {
        await using cwd = await makeDirectory();
        const tag = ["--docker-tag", `test-${crypto.randomUUID().slice(0, 8)}`];
        const mlcli = async (...args: readonly string[]): Promise<string> => {
          const timeout = sample.needsPypi && args[0] === "build" ? { timeout: PYPI_TIMEOUT } : {};
          const options = { cwd: cwd.path, ...timeout };
          const { code, stdout, stderr } = await runProgram([...args, ...tag], options);
          assertEquals(code, 0, `mlcli ${args.join(" ")}: ${stderr}`);
          return stdout;
        };
        try {
          const source = fromFileUrl(
            new URL(`../../fixtures/apps/${sample.name}`, import.meta.url),
          );
          await copyTree(source, cwd.path);
          assertEquals(
            await mlcli("build", "--base-image", sample.base()),
            `${sample.name}:${tag[1]}\n`,
          );
          assertMatch(await mlcli("local", "process", "--file", "processing.py"), sample.processed);
          await mlcli("local", "train");
          // What SageMaker keeps of a training's output.
          const output = join(cwd.path, sample.name, "mlcli_base/local_test/test_dir/output");
          const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);
          assertEquals(namesIn(join(output, "data")), ["metrics.json"]);
          assertEquals(namesIn(output).includes("metrics.json"), false);
          const address = (await mlcli("local", "deploy", "--port", "0")).trim();
          try {
            const csv = Number(await ask(address, "text/csv", sample.csv));
            const json = JSON.parse(await ask(address, "application/json", sample.json));
            assert(sample.isPlausible(csv), `${csv}`);
            assertEquals(json, { predictions: [csv] });
          } finally {
            await mlcli("local", "stop", "--port", new URL(address).port);
          }
        } finally {
          await removeImage(`${sample.name}:${tag[1]}`);
        }
      },
    );
  }
});
