import { assertEquals, assertStringIncludes } from "@std/assert";
import { main } from "../../../main.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import type { SageMaker } from "../../../runtime/aws/sagemaker.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { memoryAws } from "../../helpers/memory_aws.ts";
import { configured, endpointNamed, memorySageMaker } from "../../helpers/memory_sagemaker.ts";
import { it, suite } from "../../helpers/suite.ts";

const REGION_AND_PROFILE = ["--region", "eu-west-1", "--profile", "work"] as const;

/** What delete-endpoint says of it before it deletes. */
const CHURN_IN_ACCOUNT = "churn: InService, account 123456789012, eu-west-1 (AWS_REGION)\n";

suite("the cloud commands on a terminal", () => {
  it("list-endpoints names the region that has none", async () => {
    const aws = () => Promise.resolve(memoryAws({ sagemaker: memorySageMaker() }));
    for (
      const [isTerminal, line] of [[true, "0 endpoints in eu-west-1 (AWS_REGION)\n"], [
        false,
        "",
      ]] as const
    ) {
      const context = fakeContext({ isTerminal, aws });
      assertEquals(await main(["list-endpoints", ...REGION_AND_PROFILE], context), 0);
      assertEquals([context.out.text, context.err.text], ["", line]);
    }
  });

  it("list-endpoints adds nothing when there are some", async () => {
    const aws = () =>
      Promise.resolve(
        memoryAws({ sagemaker: memorySageMaker({ churn: [endpointNamed("churn")] }) }),
      );
    const context = fakeContext({ isTerminal: true, aws });
    assertEquals(await main(["list-endpoints", ...REGION_AND_PROFILE], context), 0);
    assertStringIncludes(context.out.text, "churn  InService  ");
    assertEquals(context.err.text, "");
  });

  it("delete-endpoint shows that it waits, and takes that away", async () => {
    const aws = () =>
      Promise.resolve(memoryAws({
        sagemaker: memorySageMaker({
          churn: [
            endpointNamed("churn"),
            endpointNamed("churn", { status: "Deleting" }),
            undefined,
          ],
        }),
      }));
    const context = fakeContext({ isTerminal: true, columns: 30, aws });
    const args = ["delete-endpoint", "-n", "churn", "--wait", ...REGION_AND_PROFILE];
    assertEquals(await main(args, context), 0);
    assertEquals(context.out.text, "churn\n");
    // Cut to the width: a longer line could not be taken away.
    assertEquals(
      context.err.text,
      `${CHURN_IN_ACCOUNT}\rWaiting until churn is gone:…\x1b[K\r\r\x1b[K`,
    );
  });

  it("delete-endpoint takes what it shows away before a note", async () => {
    const memory = memorySageMaker({
      churn: [endpointNamed("churn")],
      other: [endpointNamed("other")],
    });
    const sagemaker: SageMaker = {
      ...memory,
      describeEndpoint: (name) =>
        name === "other"
          ? Promise.reject(new AwsError("denied", "Not yours"))
          : memory.describeEndpoint(name),
      describeEndpointConfiguration: configured("churn-config", memory),
    };
    const context = fakeContext({
      isTerminal: true,
      aws: () => Promise.resolve(memoryAws({ sagemaker })),
    });
    const args = ["delete-endpoint", "-n", "churn", "--delete-config", ...REGION_AND_PROFILE];
    assertEquals(await main(args, context), 0);
    assertEquals(
      context.err.text,
      "\rLooking for other users of churn-config: 1 endpoints\x1b[K\r\r\x1b[K" +
        "Not checked whether one of 1 endpoints uses churn-config: Not yours\n" +
        CHURN_IN_ACCOUNT,
    );
  });

  it("delete-endpoint shows no progress where there is no terminal", async () => {
    const aws = () =>
      Promise.resolve(memoryAws({
        sagemaker: memorySageMaker({
          churn: [
            endpointNamed("churn"),
            endpointNamed("churn", { status: "Deleting" }),
            undefined,
          ],
        }),
      }));
    const context = fakeContext({ aws });
    const args = ["delete-endpoint", "-n", "churn", "--wait", ...REGION_AND_PROFILE];
    assertEquals(await main(args, context), 0);
    assertEquals([context.out.text, context.err.text], ["churn\n", ""]);
  });

  it("delete-endpoint says what and where before it deletes, and does not ask", async () => {
    const denied = new AwsError(
      "denied",
      "AccessDeniedException: sagemaker:DescribeEndpoint",
    );
    const notChecked = `Status of churn not checked: ${denied.message}\n`;
    for (
      const [state, words] of [
        [endpointNamed("churn"), CHURN_IN_ACCOUNT],
        [
          endpointNamed("churn", { account: undefined }),
          "churn: InService, eu-west-1 (AWS_REGION)\n",
        ],
        [denied, `${notChecked}churn: eu-west-1 (AWS_REGION)\n`],
      ] as const
    ) {
      const seen: string[] = [];
      const sagemaker: SageMaker = {
        ...memorySageMaker({ churn: [state] }),
        deleteEndpoint: () => Promise.resolve(void seen.push(context.err.text)),
      };
      const context = fakeContext({
        isTerminal: true,
        aws: () => Promise.resolve(memoryAws({ sagemaker })),
      });
      const args = ["delete-endpoint", "-n", "churn", ...REGION_AND_PROFILE];
      assertEquals(await main(args, context), 0);
      assertEquals([seen, context.out.text], [[words], "churn\n"]);
    }
  });

  it("delete-endpoint --dry-run says it, too, and deletes nothing", async () => {
    const memory = memorySageMaker({ churn: [endpointNamed("churn")] });
    const sagemaker: SageMaker = {
      ...memory,
      describeEndpointConfiguration: configured("churn-config", memory),
      deleteEndpoint: () => Promise.reject(new Error("It was deleted")),
    };
    const context = fakeContext({
      isTerminal: true,
      aws: () => Promise.resolve(memoryAws({ sagemaker })),
    });
    const args = ["delete-endpoint", "-n", "churn", "--dry-run", ...REGION_AND_PROFILE];
    assertEquals(await main(args, context), 0);
    assertEquals(context.err.text, CHURN_IN_ACCOUNT);
    assertEquals(
      context.out.text,
      [
        "Would delete endpoint churn (InService)",
        "Would keep endpoint configuration churn-config\n",
      ].join("\n"),
    );
  });
});
