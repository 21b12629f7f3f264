import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SAMPLE_METRIC } from "../../../runtime/contract/metric_definitions.ts";
import { completeApp } from "../../helpers/app.ts";
import {
  type FakeContainer,
  fakeContainers,
  frame,
  HARNESS_IMAGE,
} from "../../helpers/fake_containers.ts";
import { type InProcessOptions, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { drawnOnce } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

const LOSS = { Name: "loss", Regex: "loss=(\\S+)" };

async function train(
  definitions: unknown,
  program: (container: FakeContainer) => void,
  options: Partial<InProcessOptions> = {},
  args: readonly string[] = [],
): Promise<ProgramResult> {
  await using app = await completeApp({ configuration: { metric_definitions: definitions } });
  await using engine = await fakeContainers({ program, image: HARNESS_IMAGE });
  const result = besidesRun(
    await runInProcess(["local", "train", ...args], {
      cwd: app.directory,
      engine,
      ...options,
    }),
  );
  return { ...result, stderr: result.stderr.replaceAll(app.name, "NAME") };
}

const epochs = ({ out, err, end }: FakeContainer): void => {
  out("epoch 1 loss=0.5\n");
  err("epoch 2 loss=0.25\n");
  out("acc=0.9");
  end(0);
};

suite("mlcli local train with metric_definitions", () => {
  it("passes the output through as it is, and says nothing in a pipe", async () => {
    assertEquals(await train([LOSS], epochs), {
      code: 0,
      stdout: "epoch 1 loss=0.5\nacc=0.9",
      stderr: "epoch 2 loss=0.25\n",
    });
  });

  for (const columns of [80, 40]) {
    it(`local train shows the last metrics while it runs, on a terminal of ${columns} columns`, async () => {
      const long = { Name: "a metric with quite a long name", Regex: "acc=(\\S+)" };
      const program = ({ out, end }: FakeContainer): void => {
        out("loss=0.5 acc=0.9\n");
        out("loss=0.123456789\n");
        end(0);
      };
      using _clocks = drawnOnce();
      const { stderr } = await train([LOSS, long], program, { isTerminal: true, columns });
      const line = (loss: string): string => {
        const all = `loss ${loss}  a metric with quite a long name 0.9`;
        const cut = all.length < columns ? all : `${all.slice(0, columns - 2)}…`;
        return `\r${cut}\x1b[K\r\r\x1b[K`;
      };
      const [shown = "", end = ""] = stderr.split("Metrics: ");
      assertEquals(shown, line("0.5") + line("0.123457"));
      assertMatch(
        end,
        /^loss 0\.123457\s+a metric with\squite a long name 0\.9\nCurves: mlcli local ui\n$/,
      );
    });
  }

  it("does not warn if other code prints no loss for the definition of the sample", async () => {
    const program = ({ out, end }: FakeContainer): void => {
      out("val_loss=3\nhinge loss: enabled\n");
      end(0);
    };
    assertEquals((await train([SAMPLE_METRIC], program)).stderr, "");
    assertEquals((await train([SAMPLE_METRIC], ({ end }) => end(0))).stderr, "");
    const named = { Name: "mine", Regex: SAMPLE_METRIC.Regex.slice(2) };
    assertEquals(
      (await train([named], program, { isTerminal: true })).stderr.includes("mine 3"),
      true,
    );
  });

  it("tells of the backspace that JSON makes of one backslash before a b", async () => {
    const { stderr } = await train([{ Name: "acc", Regex: "\bacc=(\\S+)" }], ({ out, end }) => {
      out("acc=1\n");
      end(0);
    });
    assertStringIncludes(stderr, '. In JSON, "\\b" is a backspace: write "\\\\b".\n');
  });

  it("warns of what matched nothing, and of what was no number", async () => {
    const definitions = [
      LOSS,
      { Name: "gain", Regex: "gain=(\\S+)" },
      { Name: "acc", Regex: "accuracy is (\\S+)" },
    ];
    const program = ({ out, end }: FakeContainer): void => {
      out("loss=1 accuracy is 12%\n");
      end(0);
    };
    assertEquals(
      (await train(definitions, program)).stderr,
      [
        'warning: Metric definition "gain" matched no line of the log\n',
        'hint: Change or remove it in "metric_definitions" of NAME.json: its regex is "gain=(\\\\S+)"\n',
        'warning: Metric definition "acc" found "12%", which is not a number\n',
        'hint: Change or remove it in "metric_definitions" of NAME.json: its regex is "accuracy is (\\\\S+)"\n',
      ].join(""),
    );
  });

  it("finds a last line without an end, and values in pieces", async () => {
    const program = ({ raw, end }: FakeContainer): void => {
      for (const letter of "\r 50% loss=3\n") raw(frame(2, letter));
      end(0);
    };
    assertEquals((await train([LOSS], program)).stderr, "\r 50% loss=3\n");
  });

  it("does not warn where the training failed", async () => {
    const { code, stderr } = await train([LOSS], ({ end }) => end(3));
    assertEquals([code, stderr], [3, "error: Training failed: exit code 3\n"]);
  });

  it("refuses an expression that means nothing, before anything runs", async () => {
    const ran: string[] = [];
    const { code, stderr } = await train([LOSS, { Name: "x", Regex: "(" }], ({ end }) => {
      ran.push("it");
      end(0);
    });
    assertEquals([code, ran], [1, []]);
    assertMatch(
      stderr,
      /^error: NAME\.json: the regex of metric "x" is invalid: .*\nhint: /,
    );
  });

  it("skips expressions that would take too long, and names each once", async () => {
    const Regex = `(${".{0,999}".repeat(50)})z`;
    const definitions = [
      LOSS,
      ...Array.from({ length: 39 }, (_, at) => ({ Name: `m${at}`, Regex })),
    ];
    const { code, stderr } = await train(definitions, ({ out, end }) => {
      out(`${"a".repeat(4096)}\n`.repeat(100));
      out("loss=0.5\n");
      end(0);
    }, { isTerminal: true });
    assertEquals(code, 0, stderr);
    assertEquals(
      [...stderr.matchAll(
        /^warning: Local runs skip metric\s"(\w+)", because mlcli cannot run its regex:\s+together/gm,
      )]
        .map(([, name]) => name),
      definitions.slice(1).map(({ Name }) => Name),
    );
    assertStringIncludes(stderr, "Metrics: loss 0.5\n");
  });

  it("says which expressions it does not try", async () => {
    const { code, stderr } = await train([{ Name: "x", Regex: "(?<=loss=)(.)" }], epochs);
    assertEquals(code, 0);
    assertStringIncludes(
      stderr,
      'warning: Local runs skip metric "x", because mlcli cannot run its regex: ',
    );
    assert(!stderr.includes("matched no line"), stderr);
  });

  it("names what is wrong in the configuration file", async () => {
    const { code, stderr } = await train({ loss: "x" }, epochs);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: NAME\.json: "metric_definitions" must be a list, but is an object\n/,
    );
  });
});
