import { assertEquals } from "@std/assert";
import { Job } from "../../helpers/box/jobs/job.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the hosts of the box's jobs", () => {
  it("are sorted as text, those of a group as in a real job", () => {
    const InstanceGroups = [["gpu", 2], ["cpu", 9]].map(([InstanceGroupName, InstanceCount]) => (
      { InstanceGroupName, InstanceType: `ml.${InstanceGroupName}`, InstanceCount }
    ));
    const { hosts, groups } = new Job("training", "a", { ResourceConfig: { InstanceGroups } }, 0);
    assertEquals(hosts.slice(0, 4), ["algo-1", "algo-10", "algo-11", "algo-2"]);
    assertEquals(groups.map((group) => [group.instance_type, ...group.hosts.slice(0, 2)]), [
      ["ml.gpu", "algo-2", "algo-1"],
      ["ml.cpu", "algo-11", "algo-3"],
    ]);
  });
});
