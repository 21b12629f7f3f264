import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  ALL,
  CONFIGURATION_BY_HAND,
  deletions,
  deployed,
  GOING,
  MODEL_BY_HAND,
  OURS,
  remains,
  run,
  updated,
} from "../../../helpers/endpoint_to_delete.ts";
import { Keys } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

const BOTH = ["DeleteEndpoint", "DeleteEndpointConfig"];

suite("mlcli delete-endpoint --delete-config --delete-model", () => {
  it("deletes all that deploy made", async () => {
    await using box = await deployed();
    assertEquals(await run(box, ALL), { code: 0, stdout: "shop\n", stderr: "" });
    assertEquals(remains(box), [GOING]);
  });

  it("deletes both configurations and both models, the one in use without a tag, too", async () => {
    await using box = await updated();
    box.endpoints.configurations.get("shop-config-2")!.tags.clear();
    assertEquals(await run(box, [...ALL, "--wait"]), { code: 0, stdout: "shop\n", stderr: "" });
    assertEquals(remains(box), []);
  });

  it("says nothing of a first configuration that an update has deleted", async () => {
    await using box = await updated();
    box.endpoints.configurations.delete("shop-config");
    box.endpoints.models.delete("shop-mlcli");
    assertEquals(await run(box, ALL), { code: 0, stdout: "shop\n", stderr: "" });
    assertEquals(remains(box), [GOING]);
  });

  it("delete-endpoint without these options notes each part that is left, with the command to delete it", async () => {
    await using box = await updated();
    const { stdout, stderr } = await run(box, ["--region", "eu-west-1"]);
    assertEquals(stdout, "shop\n");
    assertEquals(
      stderr,
      [
        ["endpoint configuration shop-config", `${CONFIGURATION_BY_HAND} shop-config`],
        ["endpoint configuration shop-config-2", `${CONFIGURATION_BY_HAND} shop-config-2`],
        ["model shop-mlcli", `${MODEL_BY_HAND} shop-mlcli`],
        ["model shop-mlcli-2", `${MODEL_BY_HAND} shop-mlcli-2`],
      ].map(([what, how]) =>
        `warning: Not deleted: ${what}\nhint: Delete it: ${how} --region eu-west-1\n`
      )
        .join(""),
    );
    assertEquals(remains(box).length, 5);
  });

  it("delete-endpoint keeps a part without mlcli's tag", async () => {
    const ours = [{ Key: "team", Value: "a" }, ...OURS];
    for (const tags of [[], ours, [{ Key: "mlcli.endpoint", Value: "another" }]]) {
      await using box = await deployed();
      const { endpoints } = box;
      box.services.sagemaker.tagsInPage = 1;
      endpoints.addModel("by-hand", { Tags: tags });
      endpoints.addConfiguration("shop-config-2", {
        ProductionVariants: [{ VariantName: "AllTraffic", ModelName: "by-hand" }],
        Tags: tags,
      });
      const { code, stderr } = await run(box, ALL);
      assertEquals(code, 0);
      if (tags === ours) {
        assertEquals(remains(box), [GOING]);
        assertEquals(stderr, "");
      } else {
        assertEquals(remains(box), [GOING, "shop-config-2", "by-hand"]);
        assertEquals(
          stderr,
          "warning: Not deleted: endpoint configuration shop-config-2\nhint: Delete it: " +
            `${CONFIGURATION_BY_HAND} shop-config-2\n` +
            `warning: Not deleted: model by-hand (other endpoints might use it)\nhint: Delete it: ${MODEL_BY_HAND} by-hand\n`,
        );
      }
    }
  });

  it("delete-endpoint deletes models that no configuration names", async () => {
    await using box = await deployed();
    box.endpoints.configurations.clear();
    box.endpoints.addModel("shop-mlcli-2");
    const { code, stderr } = await run(box, ALL);
    assertEquals([code, stderr], [0, "note: Endpoint configuration shop-config does not exist\n"]);
    assertEquals(remains(box), [GOING]);
  });

  it("deletes nothing where another endpoint uses one of them", async () => {
    for (
      const [options, words] of [
        [{ configuration: "shop-config-2" }, "endpoint config, still in use: shop-config-2"],
        [{ model: "shop-mlcli-2" }, "model, still in use: shop-mlcli-2"],
      ] as const
    ) {
      await using box = await updated();
      box.endpoints.add("other", options);
      const before = remains(box);
      const { code, stdout, stderr } = await run(box, ALL);
      assertEquals([code, stdout], [1, ""]);
      assertStringIncludes(stderr, `error: Cannot delete ${words} (by other)\n`);
      assertStringIncludes(stderr, "hint: Nothing was deleted. Delete the endpoints that use it");
      assertEquals(remains(box), before);
    }
  });

  it("counts an endpoint that is about to use one", async () => {
    await using box = await deployed();
    const other = box.endpoints.add("other");
    const configuration = box.endpoints.configurations.get("shop-config")!;
    other.beginUpdate({ ...other.current, configuration });
    const { code, stderr } = await run(box, ALL);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "still in use: shop-config (by other)\n");
  });

  it("says what it would delete and keep", async () => {
    await using box = await updated();
    box.endpoints.addModel("by-hand");
    box.endpoints.configurations.delete("shop-config");
    box.endpoints.addConfiguration("shop-config", {
      ProductionVariants: [{ VariantName: "AllTraffic", ModelName: "by-hand" }],
    });
    const before = remains(box);
    assertEquals(await run(box, [...ALL, "--dry-run"]), {
      code: 0,
      stdout: "Would delete endpoint shop (InService)\n" +
        "Would delete endpoint configuration shop-config\n" +
        "Would delete endpoint configuration shop-config-2\n" +
        "Would delete model shop-mlcli\nWould delete model shop-mlcli-2\n" +
        "Would keep model by-hand\n",
      stderr: "",
    });
    assertEquals(remains(box), before);
  });

  it("tells what is left of an endpoint that is not there", async () => {
    await using box = await updated();
    box.endpoints.endpoints.clear();
    const { code, stdout, stderr } = await run(box, []);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: ResourceNotFound: endpoint shop\nhint: Check the name and the region: /,
    );
    assertStringIncludes(
      stderr,
      " Parts with its name still exist: endpoint configuration shop-config, endpoint configuration " +
        "shop-config-2, model shop-mlcli, model shop-mlcli-2. To delete them: " +
        `${CONFIGURATION_BY_HAND} shop-config; ${CONFIGURATION_BY_HAND} shop-config-2; ` +
        `${MODEL_BY_HAND} shop-mlcli; ${MODEL_BY_HAND} shop-mlcli-2\n`,
    );
  });

  it("delete-endpoint deletes the remaining parts of a deleted endpoint", async () => {
    await using box = await updated();
    const said = "Endpoint shop no longer exists; deleting its remaining parts\n";
    box.endpoints.endpoints.clear();
    const before = remains(box);
    assertEquals((await run(box, [...ALL, "--dry-run"])).stdout.split("\n").slice(0, 2), [
      "Not found: endpoint shop",
      "Would delete endpoint configuration shop-config",
    ]);
    assertEquals(remains(box), before);
    const left = await run(box, ["--delete-config"]);
    assertEquals([left.code, left.stdout], [0, "shop\n"]);
    assertEquals(remains(box), ["shop-mlcli", "shop-mlcli-2"]);
    for (const name of remains(box)) {
      assertStringIncludes(left.stderr, `Delete it: ${MODEL_BY_HAND} ${name}\n`);
    }
    const all = [...ALL, "--wait"];
    assertEquals(await run(box, all), { code: 0, stdout: "shop\n", stderr: said });
    assertEquals(remains(box), []);
    assertEquals((await run(box, all)).code, 1);
  });

  it("keeps what somebody else may have made where the endpoint is gone", async () => {
    await using box = await updated();
    const { endpoints } = box;
    for (const map of [endpoints.endpoints, endpoints.configurations, endpoints.models]) {
      map.clear();
    }
    endpoints.addModel("by-hand");
    endpoints.addConfiguration("shop-config", {
      ProductionVariants: [{ VariantName: "AllTraffic", ModelName: "by-hand" }],
    });
    const { code, stderr } = await run(box, ALL);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `${CONFIGURATION_BY_HAND} shop-config`);
    assertEquals(remains(box), ["shop-config", "by-hand"]);
  });

  it("keeps what another endpoint uses where the endpoint is gone", async () => {
    await using box = await updated();
    box.endpoints.endpoints.clear();
    box.endpoints.add("other", { configuration: "shop-config-2", model: "shop-mlcli-2" });
    const before = remains(box);
    const { code, stderr } = await run(box, ALL);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "(by other)");
    assertEquals(remains(box), before);
  });
});

suite("mlcli delete-endpoint where not all may be asked", () => {
  const NAMES = [
    "DescribeEndpoint",
    "DescribeEndpointConfig",
    "DescribeModel",
    "ListTags",
    "ListEndpoints",
  ];

  it("delete-endpoint needs only the permissions to delete, and notes each check that it skipped", async () => {
    await using box = await deployed();
    for (const name of NAMES) box.faults.deny(`sagemaker:${name}`);
    box.faults.deny("sagemaker:DeleteModel");
    const { code, stdout, stderr } = await run(box, ["--delete-config"]);
    assertEquals([code, stdout], [0, "shop\n"]);
    assertEquals(
      stderr,
      "note: Cannot check the status of endpoint shop or whether another endpoint uses shop-config: " +
        "AccessDeniedException: sagemaker:DescribeEndpoint\n" +
        "note: Cannot check all configurations and models of endpoint shop, so some might remain: " +
        "AccessDeniedException: sagemaker:DescribeEndpointConfig; " +
        "AccessDeniedException: sagemaker:DescribeModel\n",
    );
    assertEquals(remains(box), [GOING, "shop-mlcli"]);
  });

  it("delete-endpoint deletes the models with mlcli's names if it cannot describe them", async () => {
    await using box = await updated();
    for (const name of NAMES) box.faults.deny(`sagemaker:${name}`);
    const { code, stderr } = await run(box, ALL);
    assertEquals(code, 0);
    assertStringIncludes(
      stderr,
      "note: Cannot check all configurations and models of endpoint shop",
    );
    assertEquals(remains(box), [GOING, "shop-config-2"]);
  });

  it("delete-endpoint keeps the second configuration if it cannot read the tags", async () => {
    await using box = await deployed();
    box.endpoints.addConfiguration("shop-config-2", { Tags: OURS });
    box.faults.deny("sagemaker:ListTags");
    const { code, stderr } = await run(box, ALL);
    assertEquals(code, 0);
    assertEquals(
      stderr,
      "note: Cannot check whether mlcli created shop-config-2 for shop: AccessDeniedException: " +
        "sagemaker:ListTags\nwarning: Not deleted: endpoint configuration shop-config-2\nhint: Delete it: " +
        `${CONFIGURATION_BY_HAND} shop-config-2\n`,
    );
    assertEquals(remains(box), [GOING, "shop-config-2"]);
  });

  it("deletes what it may, and says what it may not", async () => {
    await using box = await deployed();
    box.faults.deny("sagemaker:DeleteEndpointConfig");
    const { code, stdout, stderr } = await run(box, ALL);
    assertEquals([code, stdout], [1, "shop\n"]);
    assertMatch(stderr, /^error: AccessDeniedException: sagemaker:DeleteEndpointConfig\n/);
    assertStringIncludes(
      stderr,
      "shop is deleted, its configuration shop-config is not deleted, its model shop-mlcli is deleted. ",
    );
    assertStringIncludes(stderr, `Then delete the rest: ${CONFIGURATION_BY_HAND} shop-config\n`);
    assertEquals(remains(box), [GOING, "shop-config"]);
  });
});

suite("mlcli delete-endpoint where SageMaker fails", () => {
  for (
    const [operation, stdout, asked, hint] of [
      [
        "DeleteEndpoint",
        "",
        ["DeleteEndpoint"],
        "shop might be deleted, its configuration shop-config is not deleted, its model " +
        "shop-mlcli is not deleted. To continue, rerun the command.",
      ],
      [
        "DeleteEndpointConfig",
        "shop\n",
        BOTH,
        "shop is deleted, its configuration shop-config might be deleted, its model shop-mlcli is not deleted.",
      ],
    ] as const
  ) {
    it(`at ${operation} deletes nothing more, and says what may be deleted`, async () => {
      await using box = await deployed();
      box.faults.fail(`sagemaker:${operation}`);
      const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
      const { code, stderr, ...said } = await run(box, ALL, { cloud });
      assertEquals([code, said.stdout, deletions(box)], [1, stdout, asked]);
      assertMatch(stderr, new RegExp(`^error: sagemaker:${operation} failed: `));
      assertStringIncludes(stderr, `hint: ${hint}`);
      const byHand =
        `Then delete the rest: ${CONFIGURATION_BY_HAND} shop-config; ${MODEL_BY_HAND} shop-mlcli\n`;
      assertEquals(stderr.endsWith(byHand), stdout !== "");
    });
  }
});

/** What happens at a request, and whether SageMaker has done it nevertheless. */
const FAULTS = [
  "refused",
  "lost",
  "failed for ever",
  "denied",
  "Ctrl-C before",
  "Ctrl-C after",
] as const;

/** Runs the deletion with a fault at request number `at`. Returns `undefined` beyond the last. */
async function withFault(fault: typeof FAULTS[number], at: number) {
  const box = await updated();
  const keys = new Keys();
  let count = 0;
  let hit: string | undefined;
  const failed = () => new Response("{}", { status: 503 });
  box.faults.before = ({ operation }) => {
    if (hit !== undefined) return fault === "failed for ever" ? failed() : undefined;
    if (++count !== at) return undefined;
    if (fault === "lost" || fault === "Ctrl-C after") {
      hit = operation;
      return undefined;
    }
    hit = operation;
    if (fault === "Ctrl-C before") keys.press();
    if (fault === "denied") {
      return Response.json({ __type: "AccessDeniedException", message: "no" }, { status: 400 });
    }
    return failed();
  };
  let isAfter = false;
  box.faults.after = () => {
    if (hit === undefined || isAfter) return undefined;
    isAfter = true;
    if (fault === "Ctrl-C after") keys.press();
    return fault === "lost" ? failed() : undefined;
  };
  const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
  const result = await run(box, ALL, { keys, cloud });
  box.faults.before = box.faults.after = () => undefined;
  return { box, hit, ...result };
}

suite("mlcli delete-endpoint with a fault at every single request", () => {
  for (const fault of FAULTS) {
    it(`tells the truth: ${fault}`, async () => {
      for (let at = 1;; at++) {
        const { box, hit, code, stdout, stderr } = await withFault(fault, at);
        await using _box = box;
        if (hit === undefined) {
          assert(at > 10, `${at} requests`);
          break;
        }
        const where = `${fault} at ${at}, ${hit}: ${code}\n${stdout}${stderr}`;
        const left = remains(box);
        const isThere = box.endpoints.endpoints.get("shop")?.status === "InService";
        // The name alone is printed, and only when the endpoint goes.
        assert(["", "shop\n"].includes(stdout), where);
        if (stdout !== "") assert(!isThere, where);
        if (code === 0) assert(!isThere && stdout !== "", where);
        if (fault.startsWith("Ctrl-C")) assertEquals(code, 130, where);
        // Where the endpoint is there, nothing that it needs is gone.
        if (isThere) assertEquals(left.length, 5, where);
        for (const name of ["shop-config", "shop-config-2", "shop-mlcli", "shop-mlcli-2"]) {
          const state = (words: string): boolean =>
            new RegExp(`its (configuration|model) ${name} ${words}[,.\\n]`).test(stderr);
          const isLeft = left.includes(name);
          if (state("is deleted")) assert(!isLeft, where);
          if (state("is not deleted")) assert(isLeft, where);
          // Something was deleted: then what is left is named.
          if (isLeft && !isThere) {
            const isNamed = state("is not deleted") || state("might be deleted") ||
              new RegExp(`(configuration|model) ${name}[ .]`).test(stderr);
            assert(isNamed || stderr.includes("Interrupted"), `${name} is not named. ${where}`);
          }
        }
        if (isThere) continue;
        // And the same command, once more, goes on.
        if (box.endpoints.endpoints.has("shop")) box.endpoints.endpoint("shop").settle();
        const again = await run(box, ALL);
        if (left.some((name) => name !== GOING)) assertEquals(again.stdout, "shop\n", where);
        else assertMatch(again.stderr, /ResourceNotFound: endpoint shop/, where);
        assertEquals(remains(box), [], where);
      }
    });
  }
});
