#!/usr/bin/env python3
"""A headless dimmable light on CircuitMatter, for tests of a commissioner.

    cm_device.py --port 5541 --discriminator 3840 --passcode 20202021 --state light.json

Vendor 0xFFF4, product 0x1234; CircuitMatter makes its own attestation certificate, below the public test authority
"Chip-Test-PAA-NoVID". Everything it must remember is in the state file, so a device that is started again with it is
the same device on the same fabrics. It ends when its parent does.

Standard output, a line each:

    qr MT:…              its setup code, and
    manual 3497-…        the same as a manual pairing code
    ready PORT           it listens (the first line after the codes)
    light on, light off  one for each on, off or toggle that was carried out; further lights: light2 on
    level N              a level was set
    fail-safe SECONDS    ArmFailSafe; 0 disarms
    fail-safe expired    its time is over
    fabrics N            how many fabrics it is on, after each change
    complete             a commissioning was completed
    held WHEN WHAT       see --hold

Misbehaviour, for what no good device does:

    --hold WHEN:WHAT     WHEN is before or after: the first time that WHAT comes, nothing is answered, either before or
                         after it is carried out. WHAT is pbkdf, pake1, pake3, sigma1, sigma3, read, post (a read in an
                         operational session) or a command: arm, regulatory, chain, attestation, csr, root, noc, complete,
                         on, off, toggle, level. Later messages are answered as always
    --answer WHAT=STATUS a command is not carried out and answered with this Interaction Model status (toggle=BUSY) or,
                         for arm and noc, with this cluster status (noc=TABLE_FULL)
    --mute-after WHAT    once a command was answered, nothing is any more
    --window-closed      pairing is refused at its first message
    --refuse-case        every Sigma1 is answered with "no shared trust roots"
    --needs-timed        toggle is refused unless it is timed
    --icd                it says of itself that it sleeps for long times

Further devices:

    --smoke-alarm        behind the lights an endpoint with a smoke alarm; a test prints "smoke-alarm tests itself"
"""
import argparse
import binascii
import contextlib
import json
import os
import random as dice
import select
import signal
import socket
import sys
import traceback

import circuitmatter as cm
import cm_fixes
from circuitmatter import certificates, data_model, interaction_model as im, pase
from circuitmatter.clusters.device_management.general_commissioning import CommissioningErrorEnum
from circuitmatter.clusters.device_management.node_operational_credentials import NodeOperationalCertStatusEnum
from circuitmatter.device_types import simple_device
from circuitmatter.device_types.lighting import dimmable
from circuitmatter.protocol import InteractionModelOpcode, ProtocolId, SecureProtocolOpcode
from circuitmatter.session import GeneralCode, SecureChannelProtocolCode, StatusReport
from circuitmatter.utility import random

VENDOR, PRODUCT = 0xFFF4, 0x1234

# What --hold, --answer and --mute-after call a command.
COMMANDS = {
    (0x30, 0): "arm", (0x30, 2): "regulatory", (0x30, 4): "complete",
    (0x3E, 0): "attestation", (0x3E, 2): "chain", (0x3E, 4): "csr", (0x3E, 6): "noc", (0x3E, 0x0B): "root",
    (0x06, 0): "off", (0x06, 1): "on", (0x06, 2): "toggle", (0x08, 0): "level", (0x08, 4): "level",
}


def say(*words):
    print(*words, file=sys.__stdout__, flush=True)


class Light(dimmable.DimmableLight):
    """On, off, toggle and level; CircuitMatter itself leaves Toggle and plain MoveToLevel out."""

    def __init__(self, name):
        super().__init__(name)
        # CircuitMatter lists a device type for every class on the way up, this one included.
        del self.descriptor.DeviceTypeList[0]
        self._brightness = 1.0
        self._on_off.toggle = self._toggle
        self._level_control.move_to_level = self._move_to_level
        self._level_control.move_to_level_with_on_off = self._move_to_level_with_on_off

    def _toggle(self, session):
        (self._off if self._on_off.OnOff else self._on)(session)

    def _move_to_level(self, session, value):
        self.brightness = value.Level / 254
        self._level_control.CurrentLevel = value.Level

    def _move_to_level_with_on_off(self, session, value):
        self._move_to_level(session, value)
        self._on_off.OnOff = value.Level > 0

    @property
    def brightness(self):
        return self._brightness

    @brightness.setter
    def brightness(self, value):
        self._brightness = value
        say("level" if self.name == "light" else f"{self.name} level", round(value * 254))

    def on(self):
        say(self.name, "on")

    def off(self):
        say(self.name, "off")


class SmokeCoAlarm(data_model.Cluster):
    """An alarm for smoke, after the Matter application cluster specification, 2.11; CircuitMatter has none."""

    CLUSTER_ID = 0x005C

    class ExpressedState(data_model.Enum8):
        NORMAL = 0
        SMOKE_ALARM = 1
        BATTERY_ALERT = 3
        TESTING = 4

    class Alarm(data_model.Enum8):
        NORMAL = 0
        WARNING = 1
        CRITICAL = 2

    class EndOfService(data_model.Enum8):
        NORMAL = 0
        EXPIRED = 1

    ExpressedStateNow = data_model.EnumAttribute(0, ExpressedState, default=ExpressedState.BATTERY_ALERT)
    SmokeState = data_model.EnumAttribute(1, Alarm, default=Alarm.NORMAL)
    BatteryAlert = data_model.EnumAttribute(3, Alarm, default=Alarm.WARNING)
    TestInProgress = data_model.BoolAttribute(5, default=False)
    HardwareFaultAlert = data_model.BoolAttribute(6, default=False)
    EndOfServiceAlert = data_model.EnumAttribute(7, EndOfService, default=EndOfService.NORMAL)

    self_test_request = data_model.Command(0, None)

    def __init__(self):
        super().__init__()
        self.feature_map = 1  # SMOKE
        self.cluster_revision = 1


class SmokeAlarm(simple_device.SimpleDevice):
    DEVICE_TYPE_ID = 0x0076
    REVISION = 1

    def __init__(self, name):
        super().__init__(name)
        self._alarm = SmokeCoAlarm()
        self._alarm.self_test_request = self._test
        self.servers.append(self._alarm)

    def _test(self, session):
        say(self.name, "tests itself")
        self._alarm.TestInProgress = True
        self._alarm.ExpressedStateNow = SmokeCoAlarm.ExpressedState.TESTING


class IcdManagement(data_model.Cluster):
    """Long idle times, and nothing else of the cluster (Matter core specification 9.16)."""

    CLUSTER_ID = 0x0046
    IdleModeDuration = data_model.NumberAttribute(0, signed=False, bits=32, default=3600)
    ActiveModeDuration = data_model.NumberAttribute(1, signed=False, bits=32, default=300)
    ActiveModeThreshold = data_model.NumberAttribute(2, signed=False, bits=16, default=300)

    def __init__(self):
        super().__init__()
        self.endpoint = 0
        self.feature_map = 0b0101  # CheckInProtocolSupport, LongIdleTimeSupport


class Zeroconf:
    """CircuitMatter's mdns_server on python-zeroconf: for a host without avahi-daemon."""

    def __init__(self):
        self.active_services = {}

    def advertise_service(self, service_type, protocol, port, txt_records={}, subtypes=[], instance_name=""):
        import psutil
        from zeroconf import IPVersion, ServiceInfo, Zeroconf

        addresses = []
        for nics in psutil.net_if_addrs().values():
            for a in nics:
                if a.family == socket.AF_INET and not a.address.startswith("127."):
                    addresses.append(socket.inet_pton(socket.AF_INET, a.address))
                elif a.family == socket.AF_INET6 and a.address != "::1":
                    addresses.append(socket.inet_pton(socket.AF_INET6, a.address.split("%")[0]))
        base = f"{service_type}.{protocol}.local."
        responders = []
        # One responder for each subtype: zeroconf holds one service per instance name.
        for kind in [base, *(f"{s}.local." for s in subtypes)]:
            responder = Zeroconf(ip_version=IPVersion.All)
            responder.register_service(
                ServiceInfo(kind, f"{instance_name}.{base}", port=port, addresses=addresses,
                            properties=txt_records, server=f"cm{port}.local."),
                cooperating_responders=True,
            )
            responders.append(responder)
        self.active_services[service_type + instance_name] = Responders(responders)


class Responders:
    def __init__(self, responders):
        self.responders = responders

    def terminate(self):
        for responder in self.responders:
            responder.close()

    kill = terminate


class NoMdns:
    active_services = {}

    def advertise_service(self, *args, **kwargs):
        pass


class LossySockets:
    """CircuitMatter's socketpool, losing a share of the datagrams both ways."""

    AF_INET6, SOCK_DGRAM = socket.AF_INET6, socket.SOCK_DGRAM

    def __init__(self, loss, seed):
        self.loss, self.dice = loss, dice.Random(seed)

    def socket(self, *args):
        lost = lambda: self.dice.random() < self.loss  # noqa: E731

        class Socket(socket.socket):
            def recvfrom_into(self, *a):
                got = super().recvfrom_into(*a)
                while lost():
                    got = super().recvfrom_into(*a)  # BlockingIOError ends it
                return got

            def sendto(self, data, address):
                return len(data) if lost() else super().sendto(data, address)

        return Socket(*args)


class Held(Exception):
    """Ends the processing of a message without an answer."""


class Misbehaviour:
    """Stands between CircuitMatter and what it carries out."""

    def __init__(self, device, options):
        self.device, self.mute = device, False
        self.holds = {tuple(h.split(":", 1)) for h in options.hold}
        self.answers = dict(a.split("=", 1) for a in options.answer)
        self.mute_after, self.needs_timed = options.mute_after, options.needs_timed
        self.timed, self.is_timed = set(), False

        invoke, process = device.invoke, device.manager.process_exchange

        def held_invoke(session, cluster, path, fields, command_ref=None):
            name = COMMANDS.get((path.Cluster, path.Command), "")
            if name == "toggle" and self.needs_timed and not self.is_timed:
                return self.status(path, im.StatusCode.NEEDS_TIMED_INTERACTION)
            if name in self.answers and name not in ("arm", "noc"):
                return self.status(path, im.StatusCode[self.answers[name]])
            answer = self.around(name, lambda: invoke(session, cluster, path, fields, command_ref))
            self.mute = self.mute or name == self.mute_after
            return answer

        def process_exchange(message):
            exchange = process(message)
            is_pairing = (message.protocol_id, message.protocol_opcode) == (
                ProtocolId.SECURE_CHANNEL, SecureProtocolOpcode.PBKDF_PARAM_REQUEST)
            if exchange and is_pairing and options.window_closed:
                exchange.send(self.report(SecureChannelProtocolCode.INVALID_PARAMETER))
                return None
            if message.protocol_id == ProtocolId.INTERACTION_MODEL:
                key = (message.session_id, message.exchange_id)
                self.is_timed = key in self.timed
                if message.protocol_opcode == InteractionModelOpcode.TIMED_REQUEST:
                    self.timed.add(key)
            return exchange

        device.invoke, device.manager.process_exchange = held_invoke, process_exchange
        self.wrap(device, "read_attribute_path", lambda session, *a, **k: "post" if session.peer_node_id else "read")
        self.wrap(device.manager, "reply_to_sigma1", lambda *a: "sigma1")
        self.wrap(device.manager, "reply_to_sigma3", lambda *a: "sigma3")
        for kind, name in ((pase.PBKDFParamRequest, "pbkdf"), (pase.PAKE1, "pake1"), (pase.PAKE3, "pake3")):
            decode = kind.decode
            kind.decode = staticmethod(lambda data, d=decode, name=name: self.around(name, lambda: d(data)))
        if options.refuse_case:
            device.manager.reply_to_sigma1 = self.refuse_case
        general, noc = device._endpoints[0][0x30], device.root_node.noc
        if "arm" in self.answers:
            self.replace(general, "arm_fail_safe", lambda: self.commissioning_response(general))
        if "noc" in self.answers:
            self.replace(noc, "add_noc", lambda: self.noc_response(noc))

    def wrap(self, owner, method, name):
        original = getattr(owner, method)
        setattr(owner, method, lambda *a, **k: self.around(name(*a, **k), lambda: original(*a, **k)))

    def replace(self, cluster, command, answer):
        setattr(cluster, command, lambda session, args: answer())

    def around(self, name, action):
        self.hold("before", name)
        answer = action()
        self.hold("after", name)
        return answer

    def hold(self, when, name):
        if (when, name) in self.holds:
            self.holds.discard((when, name))
            self.device.nonvolatile.commit()
            say("held", when, name)
            raise Held

    def status(self, path, code):
        response, command, status = im.InvokeResponseIB(), im.CommandStatusIB(), im.StatusIB()
        status.Status = code
        command.CommandPath, command.Status = path, status
        response.Status = command
        return response

    def refuse_case(self, exchange, sigma1):
        return self.report(SecureChannelProtocolCode.NO_SHARED_TRUST_ROOTS)

    @staticmethod
    def report(code):
        report = StatusReport()
        report.general_code, report.protocol_id, report.protocol_code = GeneralCode.FAILURE, ProtocolId.SECURE_CHANNEL, code
        return report

    def commissioning_response(self, general):
        response = type(general).ArmFailSafeResponse()
        response.ErrorCode = CommissioningErrorEnum[self.answers["arm"]]
        return response

    def noc_response(self, noc):
        response = type(noc).NOCResponse()
        response.StatusCode = NodeOperationalCertStatusEnum[self.answers["noc"]]
        return response


def make_state(path, discriminator, passcode):
    state = certificates.generate_initial_state(VENDOR, PRODUCT, "CircuitMatter", random)
    salt = binascii.a2b_base64(state["salt"])
    verifier = certificates.compute_verifier(passcode, salt, state["iteration-count"])
    state.update(
        discriminator=discriminator,
        passcode=passcode,
        manual_code=certificates.compute_manual_code(discriminator, passcode),
        verifier=binascii.b2a_base64(verifier, newline=False).decode(),
    )
    with open(path, "w") as f:
        json.dump(state, f, indent=1)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--port", type=int, default=5541)
    p.add_argument("--discriminator", type=int, default=3840)
    p.add_argument("--passcode", type=int, default=20202021)
    p.add_argument("--state", default="cm-light.json", help="made when it does not exist")
    p.add_argument("--mdns", choices=["avahi", "zeroconf", "none"], default="avahi")
    p.add_argument("--lights", type=int, default=1, help="how many endpoints with a light")
    p.add_argument("--loss", type=float, default=0, help="share of datagrams to lose, each way")
    p.add_argument("--seed", type=int, default=1, help="which datagrams are lost")
    p.add_argument("--hold", action="append", default=[], metavar="WHEN:WHAT")
    p.add_argument("--answer", action="append", default=[], metavar="WHAT=STATUS")
    p.add_argument("--mute-after", metavar="WHAT")
    p.add_argument("--window-closed", action="store_true")
    p.add_argument("--refuse-case", action="store_true")
    p.add_argument("--needs-timed", action="store_true")
    p.add_argument("--icd", action="store_true")
    p.add_argument("--smoke-alarm", action="store_true")
    p.add_argument("--verbose", action="store_true", help="CircuitMatter's own trace, to stderr")
    return p.parse_args()


def make(a):
    """The device, ready for messages."""
    if not os.path.exists(a.state):
        make_state(a.state, a.discriminator, a.passcode)

    class Device(cm.CircuitMatter):
        # The constructor assigns 5541 and then uses the attribute.
        UDP_PORT = property(lambda self: a.port, lambda self, value: None)

    # The terminal picture of the QR code is nothing for a log.
    pase.show_qr_code = lambda *values: None
    mdns = {"avahi": lambda: None, "zeroconf": Zeroconf, "none": NoMdns}[a.mdns]()
    cm_fixes.apply()
    device = Device(
        socketpool=LossySockets(a.loss, a.seed), mdns_server=mdns, state_filename=a.state, vendor_id=VENDOR,
        product_id=PRODUCT)
    for n in range(1, a.lights + 1):
        device.add_device(Light("light" if n == 1 else f"light{n}"))
    if a.smoke_alarm:
        device.add_device(SmokeAlarm("smoke-alarm"))
    if a.icd:
        device.root_node.descriptor.ServerList.append(IcdManagement.CLUSTER_ID)
        device.add_cluster(0, IcdManagement())
    cm_fixes.wrap(device, say)
    code = pase.compute_qr_code(VENDOR, PRODUCT, device.nonvolatile["discriminator"], device.nonvolatile["passcode"])
    say("qr", f"MT:{code}")
    say("manual", device.nonvolatile["manual_code"])
    return device


def main():
    a = arguments()
    parent = os.getppid()
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    trace = sys.stderr if a.verbose else open(os.devnull, "w")
    with contextlib.redirect_stdout(trace):
        device = make(a)
        misbehaviour = Misbehaviour(device, a)
        say("ready", a.port)
        try:
            while os.getppid() == parent and not stopping:
                readable, _, _ = select.select([device.socket], [], [], 0.02)
                try:
                    device.expire_fail_safe()
                    if not misbehaviour.mute:
                        device.process_packets()
                    elif readable:
                        device.socket.recv(2048)
                except Held:
                    pass
                except Exception:
                    traceback.print_exc(file=sys.__stderr__)
        finally:
            for service in device.mdns_server.active_services.values():
                service.terminate()


if __name__ == "__main__":
    main()
