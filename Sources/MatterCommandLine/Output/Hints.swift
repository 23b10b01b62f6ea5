import MatterErrors

/// The next step after an error in the words of this command line, which stand here and nowhere else: by the id of the
/// error, or by the step that the error names. `{0}` is the first of its values.
enum Hints {
    private static let words = [
        // Commissioning
        "discover.nothing-found":
            "put the device into pairing mode and on this network (see 'matterctl discover'), or name its address with "
            + "--address HOST:PORT",
        "discover.other-transport":
            "this code is for a new device that is paired over {0}, which matterctl does not support: set it up with the "
            + "manufacturer's app, then share it from there (in most apps: device settings, 'Matter' or 'linked services', "
            + "'pairing code') and use the code that the app shows",
        "issuer.slow": "check why it is slow, or try again with more time: --timeout 5min",
        "certificate.rejected": "check the clock of this machine and the fabric's certificates: matterctl fabric show",
        "fabric.conflict": "see 'matterctl node ls'; a reset makes the device forget all fabrics",
        "node.already-here":
            "see it with 'matterctl node ls'; to start over, remove it first: matterctl node remove {0}",
        "node.commissioned-before":
            "see it: matterctl node show {0}; if it was reset, forget it first: matterctl node forget {0}",
        "node.forget-attempt": "forget that attempt: matterctl node forget {0}",
        "node.forget-other": "choose another name, or forget that one: matterctl node forget {0}",
        "node.name-of-pending": "run it with another --name: node {0} is still being commissioned with this code",
        "node.give-name": "give it one: matterctl node rename {0} NAME",
        "node.reset-other": "reset this device, and commission it again without --node-id",
        "node.choose-id": "choose another id, or let matterctl choose",
        "node.remove-later": "remove it later: matterctl node remove {0}",
        // Attestation
        "attestation.not-enforced": "continuing because of --attestation warn",
        "attestation.development-device":
            "this is a development device, signed with keys that are public: add --allow-test-devices to accept it",
        "attestation.if-development": "if this is a development device add --allow-test-devices",
        "attestation.add-authority": "add the PAA certificate with --trust DIR",
        "attestation.first-authority":
            "put the PAA certificate, as the ledger of the Alliance (DCL) lists it, into a folder and name that with "
            + "--trust DIR: no authorities for certified devices are installed",
        "attestation.development-declaration":
            "the declaration is one for development: add --allow-test-devices to accept it",
        "attestation.add-signer":
            "put the certificate of the key that signed the declaration into DIR/{0}, and trust DIR: --trust DIR",
        // Nodes and fabrics
        "node.see": "see them with: matterctl node ls",
        "node.show": "see what it has: matterctl node show {0}",
        "node.name-in-use": "choose another name, or rename that one: matterctl node rename {0} NEW",
        "node.reset-and-forget": "reset the device, then: matterctl node forget {0}",
        "command.more-time": "try again with more time: --timeout 60s",
        "fabric.see": "see them with: matterctl fabric ls",
        "fabric.see-others": "see the fabrics with: matterctl fabric ls",
        "fabric.none": "commission a device, which creates one, or run: matterctl fabric create NAME",
        "fabric.ambiguous": "name one with --fabric NAME, or choose one: matterctl fabric use NAME",
        "fabric.other-issuer":
            "name another fabric with --fabric, or create one: matterctl fabric create NAME --issuer …",
        "fabric.choose-again": "choose again: matterctl fabric use NAME",
        "fabric.name-in-use": "choose another name, or remove it first: matterctl fabric remove {0}",
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
        "clusters.one": "see what it has: matterctl clusters {0}",
        "clusters.values": "see all of them: matterctl clusters CLUSTER",
        // The services of this host
        "discovery.bus-unavailable":
            "start the D-Bus system bus: apt install dbus && systemctl start dbus; or skip discovery with "
            + "--address HOST:PORT",
        "discovery.bus-unavailable.hung":
            "restart the D-Bus system bus: systemctl restart dbus; or skip discovery with --address HOST:PORT",
        "discovery.collision":
            "another program on this network advertises the same instance; stop it or use another identity",
        "discovery.daemon-unavailable":
            "start it: apt install avahi-daemon && systemctl start avahi-daemon; or skip discovery with "
            + "--address HOST:PORT",
        "discovery.daemon-unavailable.hung":
            "restart it: systemctl restart avahi-daemon; or skip discovery with --address HOST:PORT",
        "discovery.disconnected":
            "see why it stopped: systemctl status avahi-daemon; start it: systemctl start avahi-daemon",
        "discovery.library-missing":
            "install it: apt install libavahi-client3 avahi-daemon; or skip discovery with --address HOST:PORT",
        "discovery.no-network":
            "see the interfaces: ip addr; bring one up: ip link set INTERFACE up",
        "discovery.out-of-resources": "see the limits of this process: ulimit -n; ulimit -u",
        "discovery.refused":
            "see its log: journalctl -u avahi-daemon; its limits are in /etc/avahi/avahi-daemon.conf",
        "http.no-authorities": "install them: apt install ca-certificates; or name a file with --ca",
        "http.own-authority": "for an own certificate authority use --ca FILE or MATTERCTL_CA_FILE",
        "transport.out-of-resources": "see the limits of this process: ulimit -n",
        "transport.port-in-use": "choose another with --port, or see who has it: ss -ulnp",
        "transport.socket": "see what network this host has: ip addr",
        "transport.unknown-host":
            "check the spelling and the name service (getent ahosts NAME), or give a numeric address",
        "internal": "this is a defect of matterctl; please report it with the output of the same command and -vv",
    ]

    /// The hint of an error, else that for its id.
    static func text(for error: any CodedError) -> String? { error.hint.map(text) ?? text(forID: error.id) }

    static func text(forID id: String) -> String? {
        words[id] ?? VendorModule.all.lazy.compactMap { $0.hints[id] }.first
    }

    static func text(_ hint: Hint) -> String {
        hint.text { name, values in
            guard var text = text(forID: name) else { return name }
            for (index, value) in values.enumerated() {
                text = text.split(separator: "{\(index)}", omittingEmptySubsequences: false).joined(separator: value)
            }
            return text
        }
    }

    /// Whether there are words for a step.
    static func knows(_ step: String) -> Bool { text(forID: step) != nil }
}
