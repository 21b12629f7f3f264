#!/bin/sh
# Podman's service, for the tests; everything that it keeps lies in the directory named first. Runs
# in namespaces of its own (network, mounts, processes), which ../service.ts makes.
set -eu
directory=$1

# What Podman shares with other Podmans wherever its storage is: locks, names of networks, addresses.
mkdir -p /var/lib/cni
for shared in /run /dev/shm /var/lib/cni; do
  mount -t tmpfs tmpfs "$shared"
done
mkdir /run/lock
mkdir "$directory/networks"
ip link set lo up
cd "$directory" # Debian's conmon leaves files where it is started

# Podman raises limits of each container as far as the system goes, which root without
# CAP_SYS_RESOURCE may not: runc gets the container's configuration without them.
cat >"$directory/runc" <<'END'
#!/bin/sh
previous= bundle=
for argument in "$@"; do
  case $previous in --bundle | -b) bundle=$argument ;; esac
  previous=$argument
done
if [ -n "$bundle" ]; then
  sed -i 's/,"rlimits":\[[^]]*\]//' "$bundle/config.json"
fi
exec /usr/sbin/runc "$@"
END
chmod +x "$directory/runc"

# Not the last command, or it would replace the shell, which has to wait for orphans.
# Its own /run, as the path of the runroot may have 50 characters only.
podman --root="$directory/root" --runroot=/run/podman --runtime="$directory/runc" \
  --network-config-dir="$directory/networks" --cgroup-manager=cgroupfs --events-backend=file \
  system service --time=0 "unix://$directory/engine.sock"
exit $?
