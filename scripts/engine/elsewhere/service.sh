#!/bin/sh
# A Docker Engine that has another host name and does not see the content of some directories, as one
# in a virtual machine, for the tests. Everything that it keeps lies in the directory named first; the
# others are those that are empty for it. Runs in namespaces of its own, which ../service.ts makes.
set -eu
directory=$1
shift

mount -t tmpfs tmpfs /run # sockets and states of dockerd, containerd and runc
ip link set lo up
echo '{}' >"$directory/daemon.json" # not the machine's
for hidden in "$@"; do
  mount -t tmpfs tmpfs "$hidden"
done

# Not the last command, or it would replace the shell, which has to wait for orphans.
# The name is that of a UTS namespace of its own; the machine keeps its name.
unshare --uts -- sh -c 'hostname elsewhere && exec "$@"' sh \
  dockerd --config-file="$directory/daemon.json" --data-root="$directory/data" \
  --exec-root=/run/docker --pidfile=/run/docker.pid --group=root --log-level=warn \
  --host="unix://$directory/engine.sock"
exit $?
