import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Request } from "../../helpers/box/endpoints/resource.ts";
import { Refused } from "../../helpers/box/service.ts";
import { LEAST, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
import { BUCKET, type JobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Throttles the first call of an operation; before it comes again, somebody else does something. */
function throttleOnce({ box }: JobApp, operation: string, meanwhile: (input: Request) => void) {
  box.faults.before = (request) => {
    if (request.operation !== operation) return undefined;
    box.faults.before = () => undefined;
    meanwhile(request.input);
    throw new Refused("ThrottlingException", "Rate exceeded", 400);
  };
}

suite("a creation whose first attempt was throttled", () => {
  const data = ["-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large", "--no-wait"];
  for (
    const [args, kind, operation] of [
      [["train", ...data], "training", "CreateTrainingJob"],
      [["process", "-f", "p.py", ...data], "processing", "CreateProcessingJob"],
      [["transform", ...data, "-m", MODEL], "transform", "CreateTransformJob"],
    ] as const
  ) {
    it(`does not take somebody else's job for its own: ${args[0]}`, async () => {
      await using job = await makeDeployApp();
      throttleOnce(job, operation, (input) => {
        const { TrainingJobName, ProcessingJobName, TransformJobName } = input;
        job.box.jobs.add(kind, TrainingJobName ?? ProcessingJobName ?? TransformJobName, input);
      });
      const { code, stdout, stderr } = await job.run(args);
      assertEquals([code, stdout, job.box.jobs.all.length], [1, "", 1], stderr);
      assertStringIncludes(stderr, "already exists");
    });
  }

  for (
    const [operation, more] of [
      ["CreateModel", []],
      ["CreateModel", ["--env", "WHO=me"]],
      ["CreateEndpointConfig", []],
    ] as const
  ) {
    it(`does not take somebody else's for its own: ${operation} ${more}`, async () => {
      await using job = await makeDeployApp();
      const { endpoints } = job.box;
      let name = "";
      throttleOnce(job, operation, (input) => {
        name = input.ModelName ?? input.EndpointConfigName;
        if (operation === "CreateModel") {
          const container = { ...input.PrimaryContainer, Environment: { WHO: "other" } };
          endpoints.addModel(name, { ...input, PrimaryContainer: container });
        } else {
          const [variant] = input.ProductionVariants;
          const ProductionVariants = [{ ...variant, InstanceType: "ml.p4d.24xlarge" }];
          endpoints.addConfiguration(name, { ...input, ProductionVariants });
        }
      });
      const { code, stdout, stderr } = await job.run([...LEAST, ...more]);
      assertEquals([code, stdout, endpoints.endpoints.size], [1, "", 0], stderr);
      assertStringIncludes(stderr, `${name} at the same time`);
      // Theirs stays, and of its own nothing is left.
      assertEquals([...endpoints.configurations.keys(), ...endpoints.models.keys()], [name]);
    });
  }
});
