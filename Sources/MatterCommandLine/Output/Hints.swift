import MatterController

/// The next step after an error in the words of this command line, which stand here and nowhere else: by the id of the
/// error, or by the step that the error names. `{0}` is the first of its values.
public enum Hints {
    private static let words: [String: String] = [
        // Commissioning
        "discover.nothing-found":
            "put the device into pairing mode and on this network (see 'matterctl discover'; 'matterctl doctor' checks "
            + "this host: multicast, firewall), "
            + "or name its address with --address HOST:PORT",
        "discover.other-transport":
            "this code is for a new device that is paired over {0}, which is not possible here: set it up with the "
            + "manufacturer's app, then share it from there (in most apps: device settings, 'Matter' or 'linked services', "
            + "'pairing code') and use the code that the app shows",
        "discover.needs-bluetooth": "this code is for a new device that is found over Bluetooth: leave --via ip out",
        "discover.nothing-over-bluetooth":
            "put the device into pairing mode, near the Bluetooth adapter of this host, and run the same command again",
        "bluetooth.lost":
            "bring the device nearer to the Bluetooth adapter of this host, put it into pairing mode again if necessary, and "
            + "run the same command again",
        "commission.incomplete": "put the lines that failed into a list of their own, and run it again",
        "check.manifest":
            "a table has a header with qrCode or manualCode; the columns stand on the page about check-device",
        "commission.list": "a line has a setup code, and if you like a name and a room",
        "issuer.slow": "check why it is slow, or try again with more time: --timeout 5min",
        "certificate.rejected": "check the clock of this machine and the fabric's certificates: matterctl fabric show",
        "fabric.conflict": "see 'matterctl node ls'; a reset makes the device forget all fabrics",
        "node.already-here":
            "see it: matterctl node show {0}; to start over: matterctl node remove {0}, or if the device was reset: matterctl "
            + "node forget {0}",
        "node.forget-attempt": "forget that attempt: matterctl node forget {0}",
        "node.forget-other": "choose another name, or forget that one: matterctl node forget {0}",
        "node.name-of-pending": "run it with another --name: node {0} is still being commissioned with this code",
        "node.give-name": "give it one: matterctl node rename {0} NAME",
        "node.reset-other": "reset this device, and commission it again without --node-id",
        "node.choose-id": "choose another id, or let matterctl choose",
        "node.remove-later": "remove it later: matterctl node remove {0}",
        "terms.accept":
            "accept them: add --accept-terms; or name them, as the manufacturer does: --terms VERSION:MASK",
        "terms.refused":
            "the terms that were accepted are not those that the device wants; to see the texts, run this on a terminal, "
            + "without --accept-terms and --terms",
        "terms.by-number": "name them, as the manufacturer does: --terms VERSION:MASK",
        "plot.csv": "for a table in place of a chart: --csv",
        "policy.see":
            "see what is allowed: cat /etc/matterctl/policy.json; the administrator of this machine can change it",
        "policy.unset": "it was set to keep this shell from changing anything: unset MATTERCTL_READONLY",
        "trace.key-log": "remove the file when it is not needed any more: unset MATTERCTL_KEYLOG",
        "trace.secrets": "leave --trace-secrets out, or add --yes if the secrets may go there",
        "capture.unreadable":
            "record one: sudo tcpdump -i any -s 0 -w FILE.pcap udp, or add --trace FILE.pcapng to any command",
        // Advice of doctor
        "doctor.interface": "plug the cable in or join the Wi-Fi, and switch the interface on: sudo ip link set {0} up",
        "doctor.interface-multicast": "let it take messages to groups: sudo ip link set {0} multicast on",
        "doctor.ipv6-kernel":
            "remove ipv6.disable=1 from the kernel's command line (on Debian: GRUB_CMDLINE_LINUX in /etc/default/grub, then "
            + "sudo update-grub), and restart",
        "doctor.ipv6":
            "switch it on: sudo sysctl -w net.ipv6.conf.{0}.disable_ipv6=0; and put that line into /etc/sysctl.d/matter.conf",
        "doctor.duplicate-address":
            "find the other host with that address, often a cloned virtual machine, and give one of them another MAC address",
        "doctor.host-address":
            "let a router or a border router announce a prefix on this network, then: ip -6 addr show scope global",
        "doctor.router-advertisements":
            "let the kernel listen: sudo sysctl -w net.ipv6.conf.{0}.accept_ra={1}; and put that line into "
            + "/etc/sysctl.d/matter.conf",
        "doctor.route-information":
            "let the kernel take them: sudo sysctl -w net.ipv6.conf.{0}.accept_ra_rt_info_max_plen=64; and put that line into "
            + "/etc/sysctl.d/matter.conf",
        "doctor.forwarding":
            "if this host does not route and has no containers: sudo sysctl -w net.ipv6.conf.all.forwarding=0",
        "doctor.container": "run it with the host's network: docker run --network host …",
        "doctor.container-networks":
            "name the interface that leads to devices in /etc/avahi/avahi-daemon.conf: allow-interfaces={0}; then: sudo "
            + "systemctl restart avahi-daemon",
        "doctor.bridge-snooping": "let the bridge ask: echo 1 | sudo tee /sys/class/net/{0}/bridge/multicast_querier",
        "doctor.firewall":
            "let the answers in: sudo nft insert rule inet filter input udp sport 5353 accept; sudo nft insert rule inet filter "
            + "input udp dport 5353 accept; sudo nft insert rule inet filter input meta l4proto ipv6-icmp accept; sudo nft insert "
            + "rule inet filter input udp sport 5540 accept (with ufw or firewalld: docs/commands/doctor.md)",
        "doctor.firewall-read": "look as root: sudo nft list ruleset",
        "doctor.connection-tracking":
            "make it longer: sudo sysctl -w net.netfilter.nf_conntrack_udp_timeout_stream=3600",
        "doctor.receive-buffer": "make it larger: sudo sysctl -w net.core.rmem_max=4194304",
        "doctor.bus": "start it: sudo systemctl start dbus",
        "doctor.responder":
            "start it: sudo systemctl enable --now avahi-daemon; if it is not there: sudo apt install avahi-daemon",
        "doctor.second-responder":
            "stop the other one, or the answers that one of them gets are missing to the other; see who it is: sudo ss -ulpn "
            + "'sport = 5353'",
        "doctor.second-responder-resolved":
            "let systemd-resolved leave it to Avahi: MulticastDNS=no in /etc/systemd/resolved.conf, then: sudo systemctl restart "
            + "systemd-resolved",
        "doctor.responder-line":
            "write {0} into /etc/avahi/avahi-daemon.conf, then: sudo systemctl restart avahi-daemon",
        "doctor.responder-denied":
            "take {0} out of deny-interfaces in /etc/avahi/avahi-daemon.conf, then: sudo systemctl restart avahi-daemon",
        "doctor.clock": "set it by a time server: sudo timedatectl set-ntp true; see it: timedatectl",
        "doctor.clock-synchronization": "let it follow one: sudo timedatectl set-ntp true",
        "doctor.entropy": "wait a minute after the start of this machine, or: sudo apt install rng-tools5",
        "doctor.bluetooth":
            "if you have such a device, plug an adapter in and start bluetoothd: sudo systemctl enable --now bluetooth",
        "doctor.runtime-folder":
            "log in by systemd, or name a folder in memory that is yours alone: export XDG_RUNTIME_DIR=/run/user/$(id -u)",
        "doctor.open-files":
            "allow more: ulimit -n 1024; if that is refused, raise nofile in /etc/security/limits.conf, and log in again",
        "doctor.state-folder":
            "make the folder your user's again, or bring a backup back: matterctl fabric restore DIR",
        "doctor.copies":
            "use the fabric in one place only: if it is still in use there, remove it in one of both: matterctl fabric remove NAME",
        "doctor.own-node":
            "stop it there, or let one of both join as a member: matterctl fabric join-request",
        "state.copied":
            "use it in one place only: two that act as one node take each other's sessions; if it is still in use there, remove it in "
            + "one of both: matterctl fabric remove {0}",
        "doctor.backup": "make one: matterctl fabric backup --to DIR",
        "doctor.multicast":
            "switch client isolation and filters of multicast off on the access point and the switch, and let UDP port 5353 "
            + "through the firewall",
        "doctor.border-routers": "power the border router up, and see whether it is on this network: matterctl doctor",
        "doctor.border-router-restart":
            "restart {0}; if it stays so, add it to its Thread network again with its own app",
        "doctor.second-border-router":
            "a second border router in the same Thread network keeps them in reach if it is off",
        "doctor.thread-networks":
            "to make one of them, hand the dataset of the larger to the border routers of the other, with their apps",
        "doctor.thread-twins":
            "they have one name but are not one network: hand the dataset of one to the border routers of the other, with their "
            + "apps",
        "doctor.thread-partitions":
            "put a device that routes (one with mains power) between the parts, or bring the border routers nearer",
        "doctor.thread-datasets":
            "restart the border router with the older dataset, or share the dataset with it again",
        "doctor.thread-route":
            "see whether router advertisements come and are taken (matterctl doctor, route-information), then restart {0}",
        "doctor.advertisement":
            "switch the device off and on, and see whether others are found: matterctl node ls; for a device on Thread restart "
            + "its border router",
        "doctor.addresses": "let the network hand out IPv6, at least link-local addresses, also on the Wi-Fi",
        "doctor.route": "see what this host lacks: matterctl doctor; the route: ip -6 route get ADDRESS",
        "doctor.datagram":
            "see whether the device has power and is near enough, then what lies between: matterctl doctor; by its last address: "
            + "matterctl ping {0}",
        "doctor.slow": "see the radio below; for a device that sleeps this is usual: matterctl icd ls",
        "doctor.session": "see why, message by message: matterctl ping {0} -vvv",
        "doctor.session-table": "let fewer programs hold sessions with it; those of this machine: matterctl session ls",
        "doctor.moved": "nothing, its new address is used; see that it answers there: matterctl ping {0}",
        "doctor.again": "look again in a minute: matterctl doctor{0}",
        "doctor.silent-neighbours":
            "see whether they have power, and are still in the house: matterctl map",
        "doctor.two-access-points":
            "nothing, while it is found; else let multicast pass between access points, or join both to one: matterctl discover",
        "doctor.load":
            "see who subscribes, and whether the way is good: matterctl node fabrics {0}; the radio: the checks below",
        "doctor.identity-key": "exchange it on every node, when all are there: matterctl fabric rotate identity-key",
        "doctor.subscriptions":
            "end those that are not needed: other programs on our fabric, such as matterctl subscribe",
        "doctor.wifi": "bring the access point nearer to the device, or use a channel with less traffic",
        "doctor.access-point":
            "restart the device, so that it looks for the nearest access point; if it stays, use a network name of its own there",
        "doctor.wifi-connection":
            "see the signal above; in the access point, switch off band steering and roaming aids for this device",
        "doctor.thread-neighbours":
            "move the devices that are named nearer to this one, or put one with mains power between",
        "doctor.thread-link":
            "put a Thread device with mains power between this one and the border router; it passes messages on",
        "doctor.radio-errors":
            "move the device away from other transmitters, or the Wi-Fi to a channel that is farther away",
        "doctor.power": "look at the power supply: the voltage was too low",
        "doctor.firmware": "see whether there is newer software: matterctl doctor {0}; tell the manufacturer",
        "doctor.faults": "switch it off and on; if the fault stays the device has to be repaired or replaced",
        "doctor.memory": "restart the device, and see whether there is newer software: matterctl doctor {0}",
        "doctor.battery": "change or charge the battery",
        "doctor.node-clock": "set it: matterctl time sync {0}",
        "doctor.certificate": "renew them before that day: see docs/security.md",
        "doctor.versions": "ask it: matterctl dcl versions {0} {1}",
        "doctor.update": "update it with the manufacturer's app; see its present state: matterctl node show {0}",
        // Attestation
        "attest.see": "see why: matterctl attest {0}",
        "attestation.not-enforced": "continuing because of --attestation warn",
        "attestation.development-device":
            "this is a development device, signed with keys that are public: add --allow-test-devices to accept it",
        "attestation.if-development": "if this is a development device add --allow-test-devices",
        "attestation.add-authority":
            "bring the authorities up to date: matterctl trust update; or add the certificate: --trust DIR",
        "attestation.trust-again":
            "you removed this authority yourself (matterctl trust show {0}); to trust it again: matterctl trust add FILE",
        "attestation.see-withdrawn":
            "bring the authorities up to date: matterctl trust update; if it stays withdrawn, ask the manufacturer",
        "attestation.complete-files":
            "add what is missing: the declaration as cd.der, or what 'matterctl attest --save DIR' wrote",
        "attestation.fetch-lists":
            "fetch the lists of revoked certificates: matterctl trust update; or accept this: --revocation soft",
        "attestation.development-declaration":
            "the declaration is one for development: add --allow-test-devices to accept it",
        "attestation.add-signer":
            "put the certificate of the key that signed the declaration into DIR/{0}, and trust DIR: --trust DIR",
        "attestation.unreadable-files":
            "name a folder that 'matterctl attest --save DIR' made, or one with dac.der, pai.der and cd.der",
        "trust.update": "bring them up to date: matterctl trust update",
        "trust.update-test": "bring them up to date: matterctl trust update --test-net",
        "trust.fetch-lists": "fetch lists of revoked certificates: matterctl trust update",
        "trust.see": "see them with: matterctl trust ls",
        // Nodes and fabrics
        "node.commission": "commission a device first: matterctl commission CODE",
        "node.see": "see them with: matterctl node ls",
        "neighbour.chip-tool": "the folder with chip_tool_config.ini is --storage-directory, $TMPDIR, or /tmp",
        "neighbour.ipk": "give the key that the controller hands out, 16 bytes: --ipk @FILE",
        "neighbour.matterjs": "it is the folder of the server's --storage-path, ~/.matter, or ~/.matter_server",
        "neighbour.python-matter-server":
            "it is the folder with chip.json: --storage-path of the server, or ~/.matter_server",
        "neighbour.stop": "stop it, and wait until it has written everything; --force reads the store as it is now",
        "neighbour.no-authority": "write it for matterjs, which keeps the certificate that is here",
        "neighbour.other-ipk": "write it for matterjs, which keeps the key of the fabric",
        "neighbour.present": "choose an empty folder, or move the store out of the way",
        "export.not-written": "look at the disk; the backup is not to be trusted",
        "export.present": "give it another name, or remove the one that is here: matterctl fabric remove {0}",
        "export.no-backup": "name the folder of 'matterctl fabric backup --to FOLDER', or a file",
        "neighbour.taken-over": "to leave it: matterctl fabric remove {0}",
        "member.request": "make one on the other machine: matterctl fabric join-request --output request.json",
        "member.other-request": "make a request here: matterctl fabric join-request",
        "member.ask-holder": "do it on that machine",
        "member.commission-there":
            "commission it on that machine, then take the answer of 'matterctl fabric member renew NAME'",
        "member.see": "see them with: matterctl fabric member ls",
        "member.other-name": "choose another name, or remove that one: matterctl fabric member remove NAME",
        "member.go-on": "go on with it: matterctl fabric member remove {0}",
        "member.waiting":
            "make their answers: matterctl fabric member renew {0}; they import them, and you confirm their receipts: matterctl "
            + "fabric member confirm FILE; or do not wait: --leave-behind {0}",
        "member.answered":
            "they import their answers, and you confirm their receipts: matterctl fabric member confirm FILE; or do not wait: "
            + "--leave-behind {0}",
        "member.make-room": "take an entry out: matterctl acl ls {0}; then go on with the job",
        "member.renew": "make each another answer, and let it be imported: matterctl fabric member renew {0}",
        "job.see": "see them with: matterctl job ls",
        "job.show": "see why: matterctl job show {0}",
        "job.resume": "see why: matterctl job show {0}; go on when they are there: matterctl job resume {0}",
        "job.cancel": "wait for it, or cancel it: matterctl job cancel {0}",
        "job.import-again": "import the store again: matterctl fabric import --from PROGRAM PATH",
        "job.window": "open a window with the other program, and commission the node with the code that it shows",
        "job.make-room": "take an entry out with the other program, and import the store again",
        "job.not-alone": "share the node with the other program first, or remove it: matterctl node remove {0}",
        "job.i-know": "if it may lose the fabric, name it, and each other one: --i-know {0}",
        "job.opposite": "go on with it: matterctl job resume {0}; or cancel it: matterctl job cancel {0}",
        "job.begin-again": "cancel the job, and begin another one",
        "job.service":
            "keys of groups can be exchanged: matterctl group rekey GROUP; a device gets another certificate when it is removed and "
            + "commissioned again",
        "job.no-authority": "rotate on the machine that has the key",
        "job.cancel-rest": "leave the rest of the nodes as they are: matterctl job cancel {0}",
        "job.other-program": "take our node out with the other program",
        "node.name-bridged": "name it by its endpoint: {0}",
        "node.name-bridge": "name the bridge: {0}",
        "node.show": "see what it has: matterctl node show {0}",
        "scene.see": "see its scenes: matterctl scene show {0}",
        "node.name-in-use": "choose another name, or rename that one: matterctl node rename {0} NEW",
        "node.reset-and-forget": "reset the device, then: matterctl node forget {0}",
        "command.more-time": "try again with more time: --timeout 60s",
        "fabric.see": "see them with: matterctl fabric ls",
        "fabric.see-others": "see the fabrics with: matterctl fabric ls",
        "fabric.none":
            "if your nodes are elsewhere, name that directory with --home or MATTERCTL_HOME; else commission a device, which "
            + "creates a fabric, or run: matterctl fabric create NAME",
        "fabric.ambiguous": "name one with --fabric NAME, or choose one: matterctl fabric use NAME",
        "fabric.other-issuer":
            "name another fabric with --fabric, or create one: matterctl fabric create NAME --issuer …",
        "fabric.choose-again": "choose again: matterctl fabric use NAME",
        "fabric.name-in-use": "choose another name, or remove it first: matterctl fabric remove {0}",
        "serve.peer": "name its server: --from URL, or --peer where this server is started",
        "serve.shares-again":
            "the file is fabrics/FABRIC/programs/serve-shares.json: take it away, then the options of the servers count again",
        "serve.shares-see": "see them with: matterctl serve shares",
        "serve.start": "start it: matterctl serve; see whether it is: systemctl --user status matterctl-serve",
        "serve.take-again": "take it again, when the other host is reached: matterctl serve take {0}",
        "serve.take-dead": "if that host is dead: matterctl serve take {0} --force",
        "serve.take-later": "see who has it: matterctl serve shares; then take it again, if you still want it",
        "serve.token-see": "see them with: matterctl serve token ls",
        "serve.tokens-again":
            "the file is fabrics/FABRIC/programs/serve-tokens.json: take it away, and make the tokens again",
        "serve.proxy":
            "listen on 127.0.0.1; others connect through a proxy that encrypts, see 'Beyond this machine' in docs/commands/serve.md",
        "room.see": "see them with: matterctl room ls",
        "group.see": "see them with: matterctl group ls",
        "group.other-name": "choose another name and id; see them with: matterctl group ls",
        "group.conflict":
            "another controller has made it: create a group with another id; see what the node has: matterctl read {0} "
            + "0/group-key-management",
        "group.no-room-for-key":
            "take the node out of another group, or let groups share a key: matterctl group create NAME --key-of GROUP",
        "group.key-stays":
            "if you do not trust a device that has left: matterctl group rekey {0}",
        "group.take-back": "take it back later: matterctl group remove {0} {1}",
        "usage.group-target": "see the members of groups: matterctl group ls",
        "group.key-lost":
            "restore it from a backup, or delete the group and create it again: matterctl group delete {0}",
        // The state directory
        "state.no-home": "use --home DIR or set MATTERCTL_HOME",
        "state.elsewhere": "use --home or MATTERCTL_HOME to put the state elsewhere",
        "state.with-permissions": "keep the state on a file system with permissions, or use --home or MATTERCTL_HOME",
        "state.made-with-sudo":
            "it was probably created with sudo: sudo chown -R \"$USER\" '{0}', or use --home for another",
        "state.other-user":
            "run matterctl as the user who owns the state, without sudo, or use --home for another",
        "state.newer-version": "use that version, or another state directory (--home)",
        // Names
        "clusters.all": "see all clusters: matterctl clusters",
        "limits.see": "see them: matterctl read {0} {1}",
        "clusters.one": "see what it has: matterctl clusters {0}",
        // The services of this host
        "discovery.bus-unavailable":
            "start the D-Bus system bus: apt install dbus && systemctl start dbus; or skip discovery with "
            + "--address HOST:PORT; see also: matterctl doctor (bus, responder)",
        "discovery.bus-unavailable.hung":
            "restart the D-Bus system bus: systemctl restart dbus; or skip discovery with --address HOST:PORT",
        "discovery.collision":
            "another program on this network advertises the same instance; stop it or use another identity",
        "discovery.daemon-unavailable":
            "start it: apt install avahi-daemon && systemctl start avahi-daemon; or skip discovery with "
            + "--address HOST:PORT; see also: matterctl doctor (bus, responder)",
        "discovery.daemon-unavailable.hung":
            "restart it: systemctl restart avahi-daemon; or skip discovery with --address HOST:PORT",
        "discovery.disconnected":
            "see why it stopped: systemctl status avahi-daemon; start it: systemctl start avahi-daemon; see also: matterctl doctor "
            + "(responder, second-responder)",
        "discovery.library-missing":
            "install it: apt install libavahi-client3 avahi-daemon; or skip discovery with --address HOST:PORT",
        "discovery.no-network":
            "see the interfaces: ip addr; bring one up: ip link set INTERFACE up; see also: matterctl doctor (interface, ipv6)",
        "discovery.out-of-resources": "see the limits of this process: ulimit -n; ulimit -u",
        "discovery.refused":
            "see its log: journalctl -u avahi-daemon; its limits are in /etc/avahi/avahi-daemon.conf: matterctl doctor "
            + "(responder-configuration)",
        "bluetooth.library-missing": "install it: apt install libdbus-1-3 bluez",
        "bluetooth.bus-unavailable": "start the D-Bus system bus: apt install dbus && systemctl start dbus",
        "bluetooth.bus-unavailable.hung": "restart the D-Bus system bus: systemctl restart dbus",
        "bluetooth.daemon-unavailable": "start it: apt install bluez && systemctl start bluetooth",
        "bluetooth.daemon-unavailable.hung": "restart it: systemctl restart bluetooth",
        "bluetooth.daemon-unavailable.late":
            "give it more time with --timeout; if it stays silent, restart it: systemctl restart bluetooth",
        "bluetooth.no-adapter":
            "plug in a Bluetooth adapter with Low Energy (4.0 or newer), and see that the kernel has it: ls "
            + "/sys/class/bluetooth",
        "bluetooth.unknown-adapter": "see the adapters: bluetoothctl list",
        "bluetooth.unknown-adapter.choose": "name one of these: {0}",
        "bluetooth.not-permitted":
            "join the group that may use Bluetooth: sudo adduser \"$USER\" bluetooth; then log in again; in a container, "
            + "see its policy for D-Bus",
        "bluetooth.blocked": "switch it on: rfkill unblock bluetooth",
        "bluetooth.blocked.soft": "switch it on: rfkill unblock bluetooth",
        "bluetooth.blocked.hard":
            "use the switch or key of this machine, or the setup of its firmware; see it: rfkill list bluetooth",
        "bluetooth.adapter-off": "switch it on: bluetoothctl power on",
        "bluetooth.adapter-busy":
            "switch the adapter off and on: bluetoothctl power off && bluetoothctl power on; if that does not help, plug "
            + "it in again",
        "bluetooth.refused": "see its log: journalctl -u bluetooth",
        "bluetooth.disconnected":
            "see why it stopped: systemctl status bluetooth; start it: systemctl start bluetooth",
        "bluetooth.out-of-resources": "see the limits of this process: ulimit -n; ulimit -u",
        "bluetooth.device-gone":
            "put the device into pairing mode again, and nearer; see what is heard: matterctl discover --ble",
        "bluetooth.connect-failed": "bring the device nearer to the adapter, and try again",
        "bluetooth.connect-failed.aborted-here":
            "let no other program scan on this adapter; near a 2.4 GHz Wi-Fi radio on the same chip, an external USB adapter "
            + "or 5 GHz Wi-Fi helps",
        "bluetooth.services-unresolved":
            "bring the device nearer and try again; /etc/bluetooth/main.conf must not switch the GATT client off",
        "bluetooth.stale-cache":
            "make the host forget it: rm '/var/lib/bluetooth/'*'/cache/{0}' && systemctl restart bluetooth",
        "bluetooth.no-service": "see which devices are open for commissioning: matterctl discover --ble",
        "bluetooth.bonded": "Matter does not pair over Bluetooth; take the pairing away: bluetoothctl remove {0}",
        "http.no-authorities": "install them: apt install ca-certificates; or name a file with --ca",
        "http.own-authority": "for an own certificate authority use --ca FILE or MATTERCTL_CA_FILE",
        "transport.no-interface":
            "see the interfaces and their IPv6 addresses: ip -6 addr; bring one up: ip link set INTERFACE up; see also: matterctl "
            + "doctor (interface, ipv6)",
        "transport.out-of-resources": "see the limits of this process: ulimit -n",
        "transport.port-in-use": "choose another with --port, or see who has it: ss -ulnp",
        "transport.socket": "see what network this host has: ip addr",
        "transport.unknown-host":
            "check the spelling and the name service (getent ahosts NAME), or give a numeric address",
        // This process
        "process.no-proc": "mount it: mount -t proc proc /proc",
        "process.overdue": "see the limits of this process: ulimit -a",
        "interrupted.twice":
            "a device that was being commissioned forgets the attempt when its fail-safe expires; see "
            + "'matterctl node ls'",
        "output.failed": "the command has run; only its result is lost",
        "command.see-state": "check the device's state before you repeat the command",
        "command.again": "run the same command again",
        "command.repeat-harmless": "look after its power and network; to repeat the command is harmless",
        "command.short-time": "give it more time, such as --timeout 30s",
        "usage.confirmation-needed": "add --yes",
        "simulator.state-in-use": "use another --state",
        // Sessions
        "device.lost": "look after its power and network, then try again",
        "node.remove-offline": "if it is gone for good: matterctl node remove --offline {0}",
        "session.busy": "try again in a minute",
        "session.certificate-refused":
            "our certificate is valid since {0}; a device whose clock is behind that refuses it: try again in a minute; if "
            + "another administrator has access to the device, let it set the device's time; this host's: matterctl doctor (clock)",
        "session.forgotten":
            "the device has been reset or removed from this fabric: forget it and commission it again: "
            + "matterctl node forget {0}",
        "session.no-reply":
            "it may be overloaded or restarting; try again in a minute; its own diagnostics: matterctl doctor{0} "
            + "(reboots, memory, load)",
        "session.no-route": "see what this host lacks: matterctl doctor (interface, ipv6, thread-routes)",
        "session.no-route-to":
            "this host has no route to {0}; if a Thread border router announces its prefix, let the kernel "
            + "take it: sysctl -w net.ipv6.conf.all.accept_ra_rt_info_max_plen=64 (and accept_ra=2 where "
            + "forwarding is on); see also: matterctl doctor (route-information, thread-routes)",
        "session.not-discovered":
            "check that it is powered on and on this network; to see why it is not found: matterctl doctor{0} "
            + "(advertisement); if you know its address, add --address HOST:PORT",
        "session.other-address": "another device may be at this address: try again without --address",
        "session.other-device":
            "another device may have its last address, or a clock is wrong: see this host's time: matterctl doctor (clock)",
        "session.silent":
            "check that it is powered on and on this network; to see how far messages come: matterctl doctor{0} "
            + "(route, datagram, session)",
        "fabrics.see": "see them with: matterctl node fabrics {0}",
        "node.remove": "to make the device leave our fabric: matterctl node remove {0}",
        "binding.see": "see its bindings: matterctl read {0} {1}/binding/binding",
        "acl.full": "see what it has, and take away what is not needed: matterctl acl ls {0}",
        "acl.changed": "see what it has now, and decide again: matterctl acl ls {0}",
        "acl.see": "see what it has: matterctl acl ls {0}",
        "window.close": "close it: matterctl window close {0}",
        "window.status": "try again when it is done; see who has a window open: matterctl window status {0}",
        "share.insecure":
            "use wss:// or a Unix socket; or add --insecure, if you trust everyone on the network in between",
        "share.make-room":
            "see who has them: matterctl node fabrics ls {0}; make room: matterctl node fabrics remove {0} INDEX",
        "share.server":
            "check the URL: ws://HOST:5580/ws is that of python-matter-server and matterjs-server",
        "share.server-log":
            "the window is closed again; see the log of the server, and run the same command again",
        "share.incomplete":
            "when the cause is gone, run the same command again for those nodes",
        "time.see": "see where it comes from: matterctl read {0} 0/time-synchronization/time-source",
        "icd.clients": "see them: matterctl read {0} 0/icd-management/registered-clients",
        "icd.no-check-in": "see when it is expected: matterctl icd ls",
        "icd.register": "register with it while it is awake: matterctl icd register {0}",
        "icd.register-any":
            "see your nodes with 'matterctl node ls'; register with one that sleeps while it is awake (matterctl icd register --help)",
        "icd.wait": "to wait for it, add --wait",
        "network.password": "give the right password: --wifi-password @FILE",
        "network.password-needed":
            "put it into a file and add --wifi-password @FILE; for a network without a password: --wifi-open",
        "network.not-seen": "move the device nearer, or name another network: --wifi SSID",
        "network.thread-not-seen":
            "move the device nearer to a Thread device, and check the dataset: matterctl thread dataset show @FILE",
        "network.country": "name the country where the device is used: --country CC",
        "network.full": "see its networks, and remove one: matterctl net remove --help",
        "network.name-wifi":
            "name one: --wifi SSID --wifi-password @FILE; or store it: matterctl network credentials add --wifi SSID",
        "network.name-thread": "name one: --thread @DATASET, or --thread auto for that of a border router here",
        "network.see": "see them: matterctl network credentials ls",
        "network.unreachable":
            "see that this machine and the device are on the same network: no guest network, no client isolation, IPv6 and "
            + "multicast on: matterctl doctor (ipv6, multicast); then run the same command again",
        "network.silent-wifi":
            "the password may be wrong, or the network out of reach: wait until the device forgets this attempt, then run "
            + "the same command again",
        "network.silent-thread":
            "check the dataset, and that a border router of it is on this network: matterctl doctor "
            + "(border-routers); wait until the device forgets this attempt, "
            + "then run the same command again",
        "thread.by-hand":
            "print the dataset on the border router, and give it: --thread @FILE (ot-ctl dataset active -x)",
        "thread.confirm": "if it is yours, name it: --thread 'auto:{0}'",
        "thread.choose": "choose one of them: --thread 'auto:{0}'",
        "net.force": "to remove it all the same, add --force; connect it to another one first: matterctl net connect",
        "net.status": "see how it is connected: matterctl net status {0}",
        "lock.pin": "give it in a file, or on stdin with @-: matterctl {0} {1} --pin @FILE",
        "lock.codes": "see the users and their codes: matterctl door-lock codes {0}",
        "mode.place": "say which is meant: matterctl mode {0} {1} --cluster CLUSTER",
        "mode.see": "see its modes: matterctl mode {0}",
        "thermostat.heat-or-cool":
            "say which is meant: matterctl thermostat heat {0} 21C, or matterctl thermostat cool {0} 25C; or choose a mode "
            + "first: matterctl thermostat mode {0} heat",
        "acl.lockout": "see which entry is ours, and keep it: matterctl acl ls {0}",
        // Statuses of the Interaction Model (Matter core specification, section 8.10): {0} is the node, {1} the endpoint
        // and cluster, {2} the cluster; without these, only the part before the semicolon is said
        "im.UNSUPPORTED_ENDPOINT": "see what it has: matterctl node show {0}",
        "im.UNSUPPORTED_CLUSTER": "see what it has: matterctl node show {0}",
        "im.UNSUPPORTED_ATTRIBUTE":
            "this device does not support this optional attribute; see its attributes: matterctl read {0} {1}",
        "im.UNSUPPORTED_COMMAND":
            "this device does not support this optional command; see its commands: matterctl read {0} "
            + "{1}/accepted-command-list",
        "im.UNSUPPORTED_EVENT":
            "this device does not support this optional event; see its clusters: matterctl node show {0}",
        "im.UNSUPPORTED_WRITE": "this attribute is read-only; see the writable ones: matterctl clusters {2}",
        "im.UNSUPPORTED_READ": "this attribute cannot be read, only written",
        "im.CONSTRAINT_ERROR":
            "the value is outside the range the device allows; the limits: matterctl clusters {2}",
        "im.DYNAMIC_CONSTRAINT_ERROR":
            "the value does not match the device's present settings; see them: matterctl read {0} {1}",
        "im.INVALID_DATA_TYPE": "the device needs a value of another type; see the types: matterctl clusters {2}",
        "im.INVALID_COMMAND": "a field is missing or has the wrong type; see the fields: matterctl clusters {2}",
        "lock.refused":
            "the bolt is jammed, or the lock does not know this PIN code; see its codes: matterctl door-lock codes {0}",
        "im.FAILURE": "the device gives no reason; see its state: matterctl read {0} {1}",
        "im.INVALID_IN_STATE": "the device cannot do this in its present state; see it: matterctl read {0} {1}",
        "im.INVALID_ACTION": "the device does not support this request; see its clusters: matterctl node show {0}",
        "im.NOT_FOUND": "the device has nothing with this id or name; see what it has: matterctl read {0} {1}",
        "im.ALREADY_EXISTS": "the device already has this; see what it has: matterctl read {0} {1}",
        "im.BUSY": "the device is busy: try again in a moment",
        "im.TIMEOUT": "the device ran out of time: try again in a moment",
        "im.RESOURCE_EXHAUSTED": "the device has no room for that much: request less, or try again in a moment",
        "im.PATHS_EXHAUSTED": "the device has no room for that much: request less, or try again in a moment",
        "im.DATA_VERSION_MISMATCH": "something in the cluster has changed since: read it again",
        "im.NEEDS_TIMED_INTERACTION": "the device requires a timed interaction: add --timed",
        "im.TIMED_REQUEST_MISMATCH": "the device lost the announcement of a timed interaction: try again",
        "im.FAILSAFE_REQUIRED": "this belongs to commissioning; first invoke general-commissioning/arm-fail-safe",
        "im.ACCESS_RESTRICTED": "the manufacturer restricts this; its app may be able to allow it",
        "im.TERMS_AND_CONDITIONS_CHANGED": "accept the new terms and conditions in the manufacturer's app",
        "im.MAINTENANCE_REQUIRED": "the device needs attention first; see its display or the manufacturer's app",
        "im.INVALID_TRANSPORT_TYPE": "the device requires TCP, which matterctl does not support",
        "im.NO_UPSTREAM_SUBSCRIPTION": "the device has lost the source of this: try again later",
        "im.UNSUPPORTED_NODE": "this device is another node; see where it was last: matterctl node show {0}",
        "internal": "this is a defect of matterctl; please report it with the output of the same command and -vv",
    ]

    /// The hint of an error, else that for its id.
    public static func text(for error: any CodedError) -> String? { error.hint.map(text) ?? text(forID: error.id) }

    /// - Parameter values: the texts for `{0}` and so on.
    static func text(forID id: String, _ values: [String] = []) -> String? {
        template(id).map { filled($0, values) }
    }

    private static func template(_ id: String) -> String? {
        words[id] ?? VendorModule.all.lazy.compactMap { $0.hints()[id] }.first
    }

    private static func filled(_ template: String, _ values: [String]) -> String {
        values.indices.reduce(template) { text, index in
            text.split(separator: "{\(index)}", omittingEmptySubsequences: false).joined(separator: values[index])
        }
    }

    static func text(_ hint: Hint) -> String {
        hint.text { name, values in template(name).map { filled($0, values) } ?? name }
    }

    /// Whether there are words for a step.
    static func knows(_ step: String) -> Bool { template(step) != nil }
}
