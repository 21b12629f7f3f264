import { assertEquals } from "@std/assert";
import { Job } from "../../helpers/box/jobs/job.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the hosts of the box's jobs", () => {
  it("are sorted as text, those of a group as in a real job", () => {
    const { hosts, groups } = new Job("training", "a", {
      ResourceConfig: { InstanceType: "ml.m5.large", InstanceCount: 11 },
    }, 0);
    assertEquals(hosts.slice(0, 4), ["algo-1", "algo-10", "algo-11", "algo-2"]);
    assertEquals(groups.map(({ hosts }) => hosts.slice(0, 3)), [["algo-11", "algo-1", "algo-2"]]);
    assertEquals(groups[0]!.instance_group_name, "homogeneousCluster");
  });

  it("are in groups one after the other", () => {
    const InstanceGroups = [["gpu", 2], ["cpu", 1]].map(([InstanceGroupName, InstanceCount]) => (
      { InstanceGroupName, InstanceType: `ml.${InstanceGroupName}`, InstanceCount }
    ));
    const { hosts, groups } = new Job("training", "a", { ResourceConfig: { InstanceGroups } }, 0);
    assertEquals(hosts, ["algo-1", "algo-2", "algo-3"]);
    assertEquals(groups, [
      {
        instance_group_name: "gpu",
        instance_type: "ml.gpu",
        hosts: ["algo-2", "algo-1"],
      },
      { instance_group_name: "cpu", instance_type: "ml.cpu", hosts: ["algo-3"] },
    ]);
  });
});
