import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ACCOUNT, REGION } from "../../../helpers/box/account.ts";
import { errorAnswer, jsonAnswer } from "../../../helpers/box/answers.ts";
import { Box } from "../../../helpers/box/box.ts";
import type { EndpointStatus } from "../../../helpers/box/endpoints/endpoint.ts";
import { arnOf } from "../../../helpers/box/endpoints/resource.ts";
import { Refused } from "../../../helpers/box/service.ts";
import { startCloud } from "../../../helpers/cloud.ts";
import {
  ALL,
  CONFIGURATION_BY_HAND,
  deletions,
  deployed,
  GOING,
  MODEL_BY_HAND,
  remains,
  run,
} from "../../../helpers/endpoint_to_delete.ts";
import { Keys, runCloudInProcess } from "../../../helpers/in_process.ts";
import { resultOf } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LEFT_CONFIGURATION =
  `warning: Not deleted: endpoint configuration shop-config\nhint: Delete it: ${CONFIGURATION_BY_HAND} shop-config\n`;
const LEFT_MODEL =
  `warning: Not deleted: model shop-mlcli\nhint: Delete it: ${MODEL_BY_HAND} shop-mlcli\n`;
const LEFT_OTHER =
  "warning: Not deleted: endpoint configuration shop-v2 (other endpoints might use it)\nhint: Delete it: " +
  `${CONFIGURATION_BY_HAND} shop-v2\n`;
const CONFIGURATION = ["--delete-config"];

/** The status of `shop` becomes another one, right after it has been described. */
function changeAfterDescribing(box: Box, change: () => void): void {
  box.faults.after = ({ operation }) => {
    if (operation === "DescribeEndpoint" && deletions(box).length === 0) change();
    return undefined;
  };
}

/** `shop` serves with another configuration than the one of its name. */
function useOther({ endpoints }: Box): void {
  const { current } = endpoints.endpoint("shop");
  const variant = endpoints.configurations.get("shop-config")!.request.ProductionVariants[0];
  const request = { ProductionVariants: [{ ...variant, ModelName: "shop-mlcli" }] };
  const configuration = endpoints.addConfiguration("shop-v2", request);
  endpoints.endpoint("shop").current = { ...current, configuration };
}

/** A deletion that is done: how SageMaker is, what is asked for, what is said. */
interface Done {
  readonly title: string;
  readonly prepare?: (box: Box) => void;
  readonly args?: readonly string[];
  readonly stderr?: string;
  readonly asked?: readonly string[];
  /** What is left besides `GOING`. */
  readonly left?: readonly string[];
}

const BOTH = ["DeleteEndpoint", "DeleteEndpointConfig"];

const DONE: readonly Done[] = [
  ...["InService", "Failed", "OutOfService", "UpdateRollbackFailed", "NotInventedYet"].map(
    (status) => ({
      title: `an endpoint that is ${status}`,
      prepare: ({ endpoints }: Box) => endpoints.endpoint("shop").enter(status as EndpointStatus),
      stderr: LEFT_CONFIGURATION + LEFT_MODEL,
      asked: ["DeleteEndpoint"],
      left: ["shop-config", "shop-mlcli"],
    }),
  ),
  {
    title: "the rest of an endpoint that is being deleted already",
    prepare: ({ endpoints }) => endpoints.endpoint("shop").beginDelete(),
    args: ALL,
    stderr: "Endpoint shop is already being deleted\n",
    asked: ["DeleteEndpointConfig", "DeleteModel"],
  },
  {
    title: "the configuration last",
    prepare: ({ endpoints }) => void endpoints.add("other"),
    args: CONFIGURATION,
    stderr: LEFT_MODEL,
    asked: BOTH,
    left: ["other InService", "other-config", "shop-mlcli", "other-model"],
  },
  {
    title: "a configuration that an endpoint uses which is going away",
    prepare: ({ endpoints }) =>
      void endpoints.add("zebra", { configuration: "shop-config", status: "Deleting" }),
    args: CONFIGURATION,
    stderr: LEFT_MODEL,
    asked: BOTH,
  },
  {
    title: "where another endpoint is gone before it is asked",
    prepare(box) {
      box.endpoints.add("other", { configuration: "shop-config" });
      box.faults.before = ({ operation, input }) => {
        if (operation === "DescribeEndpoint" && input.EndpointName === "other") {
          box.endpoints.endpoints.delete("other");
        }
        return undefined;
      };
    },
    args: CONFIGURATION,
    stderr: LEFT_MODEL,
    asked: BOTH,
  },
  {
    title: "where the answers are lost, taking a retry that meets its own success for one",
    prepare({ endpoints, faults }) {
      faults.loseAnswer("sagemaker:DeleteEndpoint");
      faults.loseAnswer("sagemaker:DeleteEndpointConfig");
      endpoints.deletesAtOnce = true;
    },
    args: CONFIGURATION,
    stderr: LEFT_MODEL,
    asked: [...BOTH, ...BOTH].toSorted(),
  },
  {
    title: "where the answer is lost, and the retry meets an endpoint that is being deleted",
    prepare: ({ faults }) => faults.loseAnswer("sagemaker:DeleteEndpoint"),
    args: CONFIGURATION,
    stderr: LEFT_MODEL,
    asked: ["DeleteEndpoint", ...BOTH],
  },
  {
    title: "without a look at the status that nobody may see",
    prepare: ({ faults }) => faults.deny("sagemaker:DescribeEndpoint"),
    stderr:
      "note: Cannot check the status of endpoint shop: AccessDeniedException: sagemaker:DescribeEndpoint\n" +
      LEFT_CONFIGURATION + LEFT_MODEL,
    asked: ["DeleteEndpoint"],
  },
  {
    title: "without both checks, said in one line",
    prepare(box) {
      box.faults.deny("sagemaker:DescribeEndpoint");
      box.faults.deny("sagemaker:ListEndpoints");
    },
    args: ALL,
    stderr:
      "note: Cannot check the status of endpoint shop or whether another endpoint uses shop-config or " +
      "its models: AccessDeniedException: sagemaker:DescribeEndpoint\n",
    left: [],
  },
  {
    title: "without a search for other users where endpoints may not be listed",
    prepare: ({ faults }) => faults.deny("sagemaker:ListEndpoints"),
    args: CONFIGURATION,
    stderr: "note: Cannot check whether another endpoint uses shop-config: " +
      `AccessDeniedException: sagemaker:ListEndpoints\n${LEFT_MODEL}`,
  },
  {
    title: "though some of the others may not be described",
    prepare({ endpoints, faults }) {
      for (const name of ["one", "two", "three"]) endpoints.add(name);
      faults.deny("sagemaker:DescribeEndpoint", "*endpoint/one");
      faults.deny("sagemaker:DescribeEndpoint", "*endpoint/two");
    },
    args: CONFIGURATION,
    stderr: "note: Cannot check whether any of 2 endpoints uses shop-config: " +
      `AccessDeniedException: sagemaker:DescribeEndpoint\n${LEFT_MODEL}`,
  },
  {
    title: "an endpoint without a configuration of its name",
    prepare: ({ endpoints }) => endpoints.configurations.clear(),
    args: ALL,
    stderr: "note: Endpoint configuration shop-config does not exist\n",
    left: [],
  },
  {
    title: "the configuration of its name, and keeps the one that it uses",
    prepare: useOther,
    args: ALL,
    stderr: LEFT_OTHER,
    left: ["shop-v2"],
  },
  {
    title: "an endpoint alone that uses another configuration, where none has its name",
    prepare(box) {
      useOther(box);
      box.endpoints.configurations.delete("shop-config");
    },
    args: ALL,
    stderr: `note: Endpoint configuration shop-config does not exist\n${LEFT_OTHER}`,
    left: ["shop-v2"],
  },
];

suite("mlcli delete-endpoint", () => {
  for (const { title, prepare = () => {}, args = [], stderr = "", asked, left } of DONE) {
    it(`delete-endpoint deletes ${title}`, async () => {
      await using box = await deployed();
      prepare(box);
      assertEquals(await run(box, args), { code: 0, stdout: "shop\n", stderr });
      if (asked) assertEquals(deletions(box), asked);
      if (left) assertEquals(remains(box), [GOING, ...left]);
    });
  }

  it("delete-endpoint notes that a long name is too long for a configuration", async () => {
    await using box = await Box.open();
    const name = "e".repeat(57);
    box.endpoints.add(name, { configuration: "short" });
    const { code, stdout, stderr } = await run(box, ["-n", name, ...CONFIGURATION]);
    assertEquals([code, stdout], [0, `${name}\n`]);
    assertMatch(
      stderr,
      /^note: No configuration to delete: the name e{57}-config is too long for SageMaker/,
    );
    assertEquals(box.endpoints.configurations.names, ["short"]);
    assert(!box.operations.includes("sagemaker:ListEndpoints"));
  });

  it("delete-endpoint deletes the configuration if the reader of the name has exited", async () => {
    await using box = await deployed();
    const child = startCloud(box, ["delete-endpoint", "-n", "shop", ...ALL]);
    await child.stdout.cancel();
    const stderr = await new Response(child.stderr).text();
    assertEquals([(await child.status).code, stderr], [141, ""]);
    assertEquals(remains(box), [GOING]);
  });

  it("delete-endpoint finds one user of a part among many endpoints, with eight requests at once", async () => {
    await using box = await deployed();
    for (let index = 0; index < 120; index++) {
      const configuration = index === 70 ? "shop-config" : "shared";
      box.endpoints.add(`e${index}`, { configuration, model: "shared" });
    }
    const eight = Promise.withResolvers<void>();
    let described = 0;
    box.faults.before = async ({ operation, input }) => {
      if (operation !== "DescribeEndpoint" || input.EndpointName === "shop") return undefined;
      // The first eight are answered when all of them are there, and a ninth would be, too.
      if (++described === 8) {
        for (let turn = 0; turn < 50; turn++) await new Promise((next) => setTimeout(next));
        eight.resolve();
      }
      await eight.promise;
      return undefined;
    };
    const { code, stderr } = await run(box, CONFIGURATION);
    assertEquals([code, box.mostAtOnce, described], [1, 8, 120]);
    assertMatch(stderr, /still in use: shop-config \(by e70\)\n/);
    assertEquals(deletions(box), []);
  });
});

/** A deletion that is refused: what is said, and what was deleted before (nothing by default). */
interface RefusedDeletion {
  readonly title: string;
  readonly prepare?: (box: Box) => void;
  readonly args?: readonly string[];
  readonly stderr: string | RegExp;
  readonly asked?: readonly string[];
}

const AUTOSCALING =
  "An Application AutoScaling scalable target exists for a variant being deleted, and the IAM " +
  "identity used to invoke DeleteEndpoint does not have " +
  "application-autoscaling:DeregisterScalableTarget permission to deregister the scalable target.";

const NOT_FOUND = "error: ResourceNotFound: endpoint shop\n" +
  `hint: Check the name and the region: mlcli searched in ${REGION} (AWS_REGION)\n`;

const REFUSED: readonly RefusedDeletion[] = [
  ...["Creating", "Updating", "SystemUpdating", "RollingBack"].map((status) => ({
    title: `an endpoint that is ${status}`,
    prepare: ({ endpoints }: Box) => endpoints.endpoint("shop").enter(status as EndpointStatus),
    stderr: `error: Endpoint is updating, cannot delete: shop (${status})\n` +
      "hint: Wait until mlcli list-endpoints shows InService or Failed, then delete it\n",
  })),
  {
    title: "an endpoint that is updating, in a dry run, too",
    prepare: ({ endpoints }) => endpoints.endpoint("shop").enter("Updating"),
    args: ["--dry-run"],
    stderr: /^error: Endpoint is updating, cannot delete: shop \(Updating\)\n/,
  },
  {
    title: "an endpoint that begins to update after it was described",
    prepare: (box) =>
      changeAfterDescribing(box, () => box.endpoints.endpoint("shop").enter("Updating")),
    stderr: /^error: Endpoint is updating, cannot delete: shop \(in progress\)\nhint: /,
    asked: ["DeleteEndpoint"],
  },
  {
    title: "an endpoint that is updating, which the deletion alone tells",
    prepare(box) {
      box.endpoints.endpoint("shop").enter("Updating");
      box.faults.deny("sagemaker:DescribeEndpoint");
    },
    stderr:
      /^note: Cannot check the status of endpoint shop or .*\nerror: Endpoint is updating, .*: shop \(in progress\)/,
    asked: ["DeleteEndpoint"],
  },
  {
    title: "an endpoint that is not there, and says where it looked",
    prepare({ endpoints }) {
      for (const all of [endpoints.endpoints, endpoints.configurations, endpoints.models]) {
        all.clear();
      }
    },
    stderr: NOT_FOUND,
  },
  {
    title: "an endpoint that is not there in the words of emulators",
    prepare: ({ faults }) =>
      faults.refuse(
        "sagemaker:DescribeEndpoint",
        new Refused(
          "ValidationException",
          `Could not find endpoint '${arnOf("endpoint", "shop")}'.`,
        ),
      ),
    args: [],
    stderr: /^error: ResourceNotFound: endpoint shop\n/,
  },
  {
    title: "an endpoint that is not there, which the deletion alone tells",
    prepare(box) {
      box.endpoints.endpoints.clear();
      box.faults.deny("sagemaker:DescribeEndpoint");
    },
    stderr:
      /^note: Cannot check the status of endpoint shop or .*\nerror: ResourceNotFound: endpoint shop\n/,
    asked: ["DeleteEndpoint"],
  },
  {
    title: "an endpoint that somebody else deleted meanwhile",
    prepare: (box) => changeAfterDescribing(box, () => box.endpoints.endpoints.clear()),
    stderr: /^error: ResourceNotFound: endpoint shop\n/,
    asked: ["DeleteEndpoint"],
  },
  ...[
    `Could not find project "${arnOf("endpoint", "shop")}".`,
    `Cannot create already existing endpoint "${arnOf("endpoint", "shop")}".`,
  ].map((message) => ({
    title: `what SageMaker refuses, in its words: ${message.slice(0, 30)}`,
    prepare: ({ faults }: Box) =>
      faults.refuse("sagemaker:DeleteEndpoint", new Refused("ValidationException", message)),
    stderr: new RegExp(`^error: sagemaker:DeleteEndpoint was refused: ${message}\nhint: `),
    asked: ["DeleteEndpoint"],
  })),
  {
    title: "what may not be deleted",
    prepare: ({ faults }) => faults.deny("sagemaker:DeleteEndpoint"),
    stderr: /^error: AccessDeniedException: sagemaker:DeleteEndpoint\n {2}User: .*\nhint: /,
    asked: ["DeleteEndpoint"],
  },
  {
    // https://github.com/awslabs/stable-diffusion-aws-extension/issues/161
    title: "an endpoint with autoscaling that the caller may not remove",
    prepare: ({ faults }) =>
      faults.refuse("sagemaker:DeleteEndpoint", new Refused("ValidationException", AUTOSCALING)),
    stderr: `error: AccessDeniedException: application-autoscaling:DeregisterScalableTarget\n` +
      `  ${AUTOSCALING}\n` +
      "hint: Add the permission application-autoscaling:DeregisterScalableTarget to your user or " +
      "role. To see its name, run aws sts get-caller-identity\n",
    asked: ["DeleteEndpoint"],
  },
  {
    title: "a configuration that others use, whose names it tells in order",
    prepare({ endpoints }) {
      for (const name of ["antelope", "zebra"]) {
        endpoints.add(name, { configuration: "shop-config" });
      }
      endpoints.add("other");
    },
    stderr:
      "error: Cannot delete endpoint config, still in use: shop-config (by antelope, zebra)\n" +
      "hint: Nothing was deleted. Delete the endpoints that use it first, or omit " +
      "--delete-config.\n",
  },
  {
    title: "a configuration that one uses where another may not be described",
    prepare({ endpoints, faults }) {
      endpoints.add("one");
      endpoints.add("two", { configuration: "shop-config" });
      faults.deny("sagemaker:DescribeEndpoint", "*endpoint/one");
    },
    stderr: /still in use: shop-config \(by two\)/,
  },
  {
    title: "a configuration whose other users SageMaker cannot list",
    prepare: ({ faults }) => faults.fail("sagemaker:ListEndpoints"),
    stderr: /^error: sagemaker:ListEndpoints failed: HTTP 500\nhint: /,
  },
  {
    title: "a configuration whose other users SageMaker cannot describe",
    prepare({ endpoints, faults }) {
      endpoints.add("other");
      faults.before = ({ operation, input }) =>
        operation === "DescribeEndpoint" && input.EndpointName === "other"
          ? new Response("{}", { status: 500 })
          : undefined;
    },
    stderr: /^error: sagemaker:DescribeEndpoint failed: HTTP 500\nhint: /,
  },
  {
    title: "--wait where the endpoint may not be described",
    prepare: ({ faults }) => faults.deny("sagemaker:DescribeEndpoint"),
    args: ["--wait"],
    stderr:
      /^error: AccessDeniedException: sagemaker:DescribeEndpoint\n.*\nhint: Nothing was deleted\. Add the permission, which --wait requires/,
  },
];

suite("mlcli delete-endpoint refuses", () => {
  for (const { title, prepare, args = CONFIGURATION, stderr: expected, asked = [] } of REFUSED) {
    it(title, async () => {
      await using box = await deployed();
      prepare?.(box);
      const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
      const { code, stdout, stderr } = await run(box, args, { cloud });
      assertEquals([code, stdout], [1, ""]);
      if (typeof expected === "string") assertEquals(stderr, expected);
      else assertMatch(stderr, expected);
      assertEquals(deletions(box), asked);
    });
  }

  it("options that are wrong, and asks nothing", async () => {
    await using box = await deployed();
    for (
      const args of [
        [],
        ["-n", "my_endpoint"],
        ["-n", "shop-"],
        ["-n", "e".repeat(64)],
        ["-n", arnOf("endpoint", "shop")],
        ["-n", "shop", "--timeout", "5"],
        ["-n", "shop", "--wait", "--timeout", "0"],
      ]
    ) {
      const line = ["delete-endpoint", ...args];
      const { code, stdout, stderr } = await runCloudInProcess(box, line);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /^error: .+\n(hint: .+\n)?$/);
    }
    assertEquals(box.operations, []);
  });
});

suite("mlcli delete-endpoint that is interrupted", () => {
  for (
    const [during, args, stdout, stderr] of [
      ["DescribeEndpoint", ALL, "", ""],
      ["ListEndpoints", ALL, "", ""],
      ["DeleteEndpoint", [], "", "warning: Interrupted: shop might be deleted\n"],
      [
        "DeleteEndpoint",
        CONFIGURATION,
        "",
        "warning: Interrupted: shop might be deleted, its configuration shop-config is not deleted\n" +
        "hint: To continue, rerun the command\n",
      ],
      [
        "DeleteEndpointConfig",
        ALL,
        "shop\n",
        "warning: Interrupted: shop is deleted, its configuration shop-config might be deleted, its model " +
        `shop-mlcli is not deleted\n${LEFT_CONFIGURATION + LEFT_MODEL}`,
      ],
      [
        "DeleteModel",
        ALL,
        "shop\n",
        "warning: Interrupted: shop is deleted, its configuration shop-config is deleted, its model " +
        `shop-mlcli might be deleted\n${LEFT_MODEL}`,
      ],
    ] as const
  ) {
    it(`delete-endpoint ${args.join(" ")} warns of what is deleted if it ends during ${during}`, async () => {
      await using box = await deployed();
      const keys = new Keys();
      box.faults.before = ({ operation }) => {
        if (operation === during) keys.press();
        return undefined;
      };
      assertEquals(await run(box, args, { keys }), { code: 130, stdout, stderr });
    });
  }

  it("delete-endpoint as a program that gets SIGINT warns of what might be deleted", async () => {
    await using box = await deployed();
    const asked = Promise.withResolvers<void>();
    const over = Promise.withResolvers<undefined>();
    box.faults.before = ({ operation }) => {
      if (operation !== "DeleteEndpoint") return undefined;
      asked.resolve();
      return over.promise;
    };
    const child = startCloud(box, ["delete-endpoint", "-n", "shop"]);
    const result = resultOf(child);
    await Promise.race([asked.promise, result]);
    child.kill("SIGINT");
    const stderr = "warning: Interrupted: shop might be deleted\n";
    assertEquals(await result, { code: 130, stdout: "", stderr });
    over.resolve(undefined);
  });
});

suite("mlcli delete-endpoint --wait, --dry-run, and on a terminal", () => {
  it("stays until the endpoint is gone", async () => {
    await using box = await deployed();
    box.endpoints.script("shop", ["Deleting", { end: "gone" }]);
    assertEquals((await run(box, [...CONFIGURATION, "--wait"])).code, 0);
    assertEquals(
      box.operations.slice(-5).map((name) => name.replace("sagemaker:", "")),
      [...BOTH, ...Array(3).fill("DescribeEndpoint")],
    );
  });

  it("delete-endpoint --wait fails if SageMaker refuses for another reason than a deleted endpoint", async () => {
    await using box = await deployed();
    box.faults.before = ({ operation }) =>
      operation === "DescribeEndpoint" && deletions(box).length > 0
        ? errorAnswer({ code: "ValidationException", message: "Something else is wrong" })
        : undefined;
    const { code, stdout, stderr } = await run(box, ["--wait"]);
    assertEquals([code, stdout], [1, "shop\n"]);
    assertMatch(
      stderr,
      /^(warning: Not deleted: .*\nhint: .*\n){2}error: sagemaker:DescribeEndpoint was refused: Something else is wrong\n/,
    );
  });

  it("gives up waiting after the time given", async () => {
    await using box = await deployed();
    box.endpoints.script("shop", Array(100).fill("Deleting"));
    assertEquals(await run(box, ["--wait", "--timeout", "1"]), {
      code: 1,
      stdout: "shop\n",
      stderr: LEFT_CONFIGURATION + LEFT_MODEL +
        "error: Endpoint shop still exists after 1 s (Deleting)\n" +
        "hint: The deletion continues. To wait longer, use --timeout. Check whether the endpoint " +
        "is deleted: mlcli list-endpoints\n",
    });
  });

  it("delete-endpoint --dry-run prints what it would delete and keep", async () => {
    await using box = await deployed();
    assertEquals(await run(box, [...ALL, "--dry-run"]), {
      code: 0,
      stdout: "Would delete endpoint shop (InService)\n" +
        "Would delete endpoint configuration shop-config\nWould delete model shop-mlcli\n",
      stderr: "",
    });
    useOther(box);
    box.endpoints.configurations.delete("shop-config");
    assertEquals(
      (await run(box, [...ALL, "--dry-run"])).stdout,
      "Would delete endpoint shop (InService)\n" +
        "Not found: endpoint configuration shop-config\nWould delete model shop-mlcli\n" +
        "Would keep endpoint configuration shop-v2\n",
    );
    assertEquals(deletions(box), []);
  });

  const IN_ACCOUNT = `shop: InService, account ${ACCOUNT}, eu-west-1 (AWS_REGION)\n`;

  /** `shop` is deleted on a terminal, and the question answered. */
  async function answered(answer: string | undefined, ...args: readonly string[]) {
    const box = await deployed();
    const asked: string[] = [];
    const ask = (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    return { box, asked, ...await run(box, args, { isTerminal: true, canAsk: true, ask }) };
  }

  it("delete-endpoint asks on a terminal, and deletes nothing unless the user agrees", async () => {
    for (const answer of ["", "n", "no", "shop"]) {
      const { box, asked, code, stdout, stderr } = await answered(answer, "--delete-config");
      await using _box = box;
      const question = IN_ACCOUNT + "To delete: endpoint shop (InService)\n" +
        "To delete: endpoint configuration shop-config\n" +
        "To keep: model shop-mlcli\nContinue? [y/N]";
      assertEquals([asked, code, stdout], [[question], 1, ""]);
      assertEquals(withoutProgress(stderr), "error: Cancelled: nothing was deleted\n");
      assertEquals(deletions(box), []);
    }
  });

  it("delete-endpoint does not ask with --yes or --dry-run, and asks only once", async () => {
    for (
      const [answer, args, questions, deleted] of [
        ["y", [], 1, 1],
        ["YES", [], 1, 1],
        // Standard input is not a terminal.
        [undefined, [], 1, 1],
        ["n", ["--yes"], 0, 1],
        ["n", ["-y", "--quiet"], 0, 1],
        ["n", ["--dry-run"], 0, 0],
      ] as const
    ) {
      const { box, asked, code, stderr } = await answered(answer, ...args);
      await using _box = box;
      assertEquals([code, asked.length, deletions(box).length], [0, questions, deleted]);
      if (args.some((one) => one === "--quiet")) {
        const text = withoutProgress(stderr).replace(/\n {6}/g, " ");
        assertEquals(text, LEFT_CONFIGURATION + LEFT_MODEL);
      }
    }
  });

  it("delete-endpoint shows its plan on a terminal if it cannot ask, but not with --quiet", async () => {
    const plan = IN_ACCOUNT + "To delete: endpoint shop (InService)\n" +
      "To keep: endpoint configuration shop-config\nTo keep: model shop-mlcli\n";
    for (const [args, text] of [[[], plan], [["--quiet"], ""]] as const) {
      await using box = await deployed();
      const { code, stderr } = await run(box, args, { isTerminal: true, columns: 200 });
      assertEquals(
        [code, withoutProgress(stderr)],
        [0, text + LEFT_CONFIGURATION + LEFT_MODEL],
      );
    }
  });

  it("delete-endpoint --dry-run says that a configuration might not exist if it cannot be checked", async () => {
    await using box = await deployed();
    box.faults.deny("sagemaker:DescribeEndpointConfig");
    const { stdout } = await run(box, [...CONFIGURATION, "--dry-run"]);
    assertStringIncludes(
      stdout,
      "Would delete endpoint configuration shop-config, if it exists\n",
    );
  });

  it("delete-endpoint prints the endpoint, the account and the region before it deletes", async () => {
    const denied =
      "note: Cannot check the status of endpoint shop: AccessDeniedException:\n      sagemaker:DescribeEndpoint\n";
    for (
      const [platform, isDryRun, words] of [
        ["usual", false, IN_ACCOUNT],
        ["usual", true, IN_ACCOUNT],
        ["without ARNs", false, "shop: InService, eu-west-1 (AWS_REGION)\n"],
        ["denying", false, `${denied}shop: eu-west-1 (AWS_REGION)\n`],
      ] as const
    ) {
      const args = isDryRun ? ["--dry-run"] : ["--yes"];
      await using box = await deployed();
      if (platform === "denying") box.faults.deny("sagemaker:DescribeEndpoint");
      box.faults.after = async ({ operation }, answer) =>
        platform === "without ARNs" && operation === "DescribeEndpoint"
          ? jsonAnswer({ ...await answer.json(), EndpointArn: undefined })
          : undefined;
      let [text, seen] = ["", ""];
      box.faults.before = ({ operation }) => {
        if (operation === "DeleteEndpoint") seen = text;
        return undefined;
      };
      const onMessage = (more: string): void => void (text += more);
      assertEquals((await run(box, args, { isTerminal: true, onMessage })).code, 0);
      const shown = withoutProgress(isDryRun ? text : seen);
      assertEquals(shown, words);
      assertEquals(deletions(box).length === 0, isDryRun);
    }
  });

  it("shows on a terminal alone that it waits, cut to its width, and takes that away", async () => {
    for (
      const [isTerminal, stderr] of [
        [true, `${IN_ACCOUNT}\rWaiting until shop is delete…\x1b[K\r\r\x1b[K`],
        [false, ""],
      ] as const
    ) {
      await using box = await deployed();
      const { code, ...said } = await run(box, [...ALL, "--wait", "--yes"], {
        isTerminal,
        columns: 30,
      });
      const at = said.stderr.indexOf("\rWaiting");
      const shown = isTerminal ? IN_ACCOUNT + said.stderr.slice(at) : said.stderr;
      assertEquals([code, said.stdout, shown], [0, "shop\n", stderr]);
    }
  });

  it("delete-endpoint removes its progress from the terminal before it prints a note", async () => {
    await using box = await deployed();
    box.endpoints.add("other");
    box.faults.deny("sagemaker:DescribeEndpoint", "*endpoint/other");
    const { stderr } = await run(box, CONFIGURATION, { isTerminal: true });
    assertStringIncludes(
      stderr,
      "\rChecking whether other endpoints use shop-config: 1 checked (0s)\x1b[K\r\r\x1b[K" +
        "note: Cannot check whether another endpoint uses shop-config:\n" +
        "      AccessDeniedException: sagemaker:DescribeEndpoint\n",
    );
  });
});

/** Returns the lines that stay on a terminal. */
function withoutProgress(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/\r[^\r\n]*\x1b\[K/g, "").replaceAll("\r", "");
}
