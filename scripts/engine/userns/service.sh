#!/bin/sh
# A Docker Engine whose containers have a user namespace, for the tests; everything that it keeps lies
# in the directory named first. Runs in namespaces of its own, which ../service.ts makes.
set -eu
directory=$1

chmod 711 "$directory" # for root of the namespace
mount -t tmpfs tmpfs /run # sockets and states of dockerd, containerd and runc
ip link set lo up
echo '{}' >"$directory/daemon.json" # not the machine's

# --userns-remap=default would make a user of the machine; a copy of /etc has this one instead.
mkdir /run/etc /run/etc/new /run/etc/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/new,workdir=/run/etc/work /etc
echo 'mlcli-remap:x:54310:54310::/nonexistent:/bin/false' >>/etc/passwd
echo 'mlcli-remap:x:54310:' >>/etc/group
echo 'mlcli-remap:100000:65536' >/etc/subuid
cp /etc/subuid /etc/subgid

# Not the last command, or it would replace the shell, which has to wait for orphans.
dockerd --userns-remap=mlcli-remap --config-file="$directory/daemon.json" \
  --data-root="$directory/data" --exec-root=/run/docker --pidfile=/run/docker.pid --group=root \
  --log-level=warn --host="unix://$directory/engine.sock"
exit $?
