"""What CircuitMatter 0.4.1 lacks and a commissioner's tests meet, added from outside.

apply() before the device is made, wrap(device, say) after its last endpoint is added; say(*words) reports changes.
Without these a read that needs two messages, a timed request, an event read or an unknown endpoint is never answered
(the client waits for its timeout), every attribute is writable, a second fabric cannot be commissioned before a restart
(Breadcrumb is never reset), RemoveFabric fails, the state file may be cut short, the fail-safe neither runs out nor takes
anything back, and a device goes on advertising that it can be commissioned after it was.
"""
import json
import os
import time

from circuitmatter import data_model, exchange, interaction_model as im, nonvolatile
from circuitmatter.clusters.device_management.node_operational_credentials import NodeOperationalCertStatusEnum as NocStatus
from circuitmatter.protocol import InteractionModelOpcode, ProtocolId

WRITABLE = {
    0x03: {0}, 0x06: {0x4001, 0x4002, 0x4003}, 0x08: {0x0F, 0x11, 0x4000}, 0x1E: {0},
    0x1F: {0, 1}, 0x28: {5, 6, 0x10}, 0x30: {0}, 0x31: {4}, 0x3F: {0}, 0x41: {0},
}


class Missing:
    """Stands for a cluster or endpoint that is not there."""

    def __init__(self, status):
        self.status = status

    def set_attribute(self, session, data):
        return attribute_status(data.Path, self.status)


class Clusters(dict):
    def __contains__(self, key):
        return True

    def __missing__(self, key):
        return Missing(im.StatusCode.UNSUPPORTED_CLUSTER)


class Endpoints(dict):
    def __missing__(self, key):
        return Endpoints.none

    class _None(Clusters):
        def __missing__(self, key):
            return Missing(im.StatusCode.UNSUPPORTED_ENDPOINT)

    none = _None()


def attribute_status(path, code):
    out, status = im.AttributeStatusIB(), im.StatusIB()
    status.Status, status.ClusterStatus = code, 0
    out.Path, out.Status = path, status
    return out


def apply():
    # The state file is never seen half written.
    def commit(self):
        if not self.dirty:
            return
        if self.root:
            self.root.commit()
            return
        with open(f"{self.filename}.new", "w") as file:
            json.dump(self._state, file, indent=1)
        os.replace(f"{self.filename}.new", self.filename)
        self.dirty = False

    nonvolatile.PersistentDictionary.commit = commit

    # A path list that is absent is empty.
    for cls, name in ((im.ReadRequestMessage, "AttributeRequests"), (im.SubscribeRequestMessage, "AttributeRequests")):
        def decode(data, cls=cls, name=name, original=cls.decode):
            message = original(data)
            if getattr(message, name) is None:
                setattr(message, name, [])
            return message
        cls.decode = staticmethod(decode)

    # A chunk with more to follow must be answered, and its exchange stay open.
    encode = im.ReportDataMessage.encode_into

    def encode_into(self, buffer, offset=0):
        reports = self.AttributeReports
        end = encode(self, buffer, offset)
        if self.MoreChunkedMessages and self.SuppressResponse:
            self.AttributeReports, self.SuppressResponse = reports, False
            end = encode(self, buffer, offset)
        return end

    im.ReportDataMessage.encode_into = encode_into
    close = exchange.Exchange.close
    exchange.Exchange.close = lambda self: None if self.pending_payloads else close(self)

    # Null is a value that can be written.
    im.AttributeDataIB.__dict__["Data"].nullable = True
    write = data_model.Cluster.set_attribute

    def set_attribute(self, session, data):
        path = data.Path
        if path.Attribute in self._ids() and path.Attribute not in WRITABLE.get(self.CLUSTER_ID, ()):
            return attribute_status(path, im.StatusCode.UNSUPPORTED_WRITE)
        if path.Attribute not in self._ids():
            return attribute_status(path, im.StatusCode.UNSUPPORTED_ATTRIBUTE)
        name, attribute = next((n, d) for n, d in self._attributes() if d.id == path.Attribute)
        if isinstance(attribute, data_model.ListAttribute):
            return write_list(self, name, attribute, data)
        return write(self, session, data)

    def write_list(cluster, name, attribute, data):
        """A whole list, or one more entry of it."""
        is_entry = any(isinstance(e, tuple) and e[0] == im.AttributePathIB.ListIndex for e in data.Path)
        entries = [data.Data] if is_entry else data.Data
        values = [attribute.element_from_value(e) for e in entries]
        setattr(cluster, name, (list(getattr(cluster, name)) if is_entry else []) + values)
        return attribute_status(data.Path, im.StatusCode.SUCCESS)

    data_model.Cluster._ids = lambda self: {d.id for _, d in self._attributes()}
    data_model.Cluster.set_attribute = set_attribute


def wrap(device, say):
    device._endpoints = endpoints = Endpoints({k: Clusters(v) for k, v in device._endpoints.items()})

    def read_attribute_path(context, path, subscription=None):
        def error(code):
            return [device._build_attribute_error(path, code)]

        if path.Endpoint is not None and path.Endpoint not in endpoints:
            return error(im.StatusCode.UNSUPPORTED_ENDPOINT)
        if path.Endpoint is not None and path.Cluster is not None and not dict.__contains__(endpoints[path.Endpoint], path.Cluster):
            return error(im.StatusCode.UNSUPPORTED_CLUSTER)
        reports = []
        for ep in endpoints if path.Endpoint is None else [path.Endpoint]:
            for cl in list(endpoints[ep]) if path.Cluster is None else [path.Cluster]:
                cluster = endpoints[ep].get(cl)
                wild = path.Endpoint is None or path.Cluster is None
                if cluster is None or (wild and path.Attribute is not None and path.Attribute not in cluster._ids()):
                    continue
                one = path.copy()
                one.Endpoint, one.Cluster = ep, cl
                reports.extend(device.get_report(context, cluster, one, subscription=subscription))
        return reports

    device.read_attribute_path = read_attribute_path
    invoke = device.invoke

    def checked_invoke(session, cluster, path, fields, command_ref=None):
        if not isinstance(cluster, Missing):
            return invoke(session, cluster, path, fields, command_ref)
        response, cstatus, status = im.InvokeResponseIB(), im.CommandStatusIB(), im.StatusIB()
        status.Status = cluster.status
        cstatus.CommandPath, cstatus.Status = path, status
        response.Status = cstatus
        return response

    device.invoke = checked_invoke
    process = device.manager.process_exchange

    def process_exchange(message):
        x = process(message)
        if x is not None and (message.protocol_id, message.protocol_opcode) == (ProtocolId.INTERACTION_MODEL, InteractionModelOpcode.TIMED_REQUEST):
            ok = im.StatusResponseMessage()
            ok.Status = im.StatusCode.SUCCESS
            x.send(ok)
            return None
        return x

    device.manager.process_exchange = process_exchange

    remove_fabrics(device, endpoints[0][0x30], say)
    fail_safe(device, endpoints[0][0x30], say)


def advertise(device):
    """Says on the network that the device can be commissioned, exactly while it is on no fabric."""
    services = device.mdns_server.active_services
    open_windows = [key for key in services if key.startswith("_matterc")]
    if device.root_node.fabric_count == 0:
        if not open_windows:
            device.start_commissioning()
    else:
        for key in open_windows:
            services.pop(key).terminate()


def remove_fabrics(device, general, say):
    noc = device.root_node.noc

    def forget(i):
        """Removes the fabric at a position of the table."""
        node, fabric = noc.fabrics[i].NodeID, noc.compressed_fabric_ids[i].hex().upper()
        service = device.mdns_server.active_services.pop(f"_matter{fabric}-{node:016X}", None)
        if service:
            service.terminate()
        for name in ("fabrics", "nocs", "trusted_root_certificates"):
            setattr(noc, name, [v for j, v in enumerate(getattr(noc, name)) if j != i])
        for values in (noc.noc_keys, noc.encoded_noc_keys, noc.root_certs, noc.compressed_fabric_ids,
                       noc.group_key_manager.key_sets, noc.group_key_manager._encoded_key_sets):
            del values[i]
        noc._nonvolatile["pk"] = noc.encoded_noc_keys
        noc.group_key_manager._nonvolatile["gks"] = noc.group_key_manager._encoded_key_sets
        noc.commissioned_fabrics -= 1
        say("fabrics", noc.commissioned_fabrics)
        advertise(device)

    def remove_fabric(session, args):
        response = type(noc).NOCResponse()
        i = args.FabricIndex - 1
        if not 0 <= i < len(noc.fabrics):
            response.StatusCode = NocStatus.INVALID_FABRIC_INDEX
            return response
        forget(i)
        response.StatusCode = NocStatus.OK
        response.FabricIndex = args.FabricIndex
        return response

    noc.remove_fabric, noc.forget = remove_fabric, forget


def fail_safe(device, general, say):
    """ArmFailSafe, its end and CommissioningComplete: what was added meanwhile is taken back unless it is completed."""
    noc = device.root_node.noc
    arm, complete, add_noc = general.arm_fail_safe, general.commissioning_complete, noc.add_noc
    armed = {"until": None, "added": False}

    def roll_back():
        armed["until"] = None
        general.breadcrumb = 0
        if armed["added"]:
            armed["added"] = False
            noc.forget(len(noc.fabrics) - 1)
            device.nonvolatile.commit()

    def arm_fail_safe(session, args):
        say("fail-safe", args.ExpiryLengthSeconds)
        response = arm(session, args)
        if args.ExpiryLengthSeconds == 0:
            roll_back()
        else:
            armed["until"] = time.monotonic() + args.ExpiryLengthSeconds
        return response

    def adding_noc(session, args):
        count = len(noc.fabrics)
        response = add_noc(session, args)
        if len(noc.fabrics) > count:
            armed["added"] = True
            say("fabrics", noc.commissioned_fabrics)
        return response

    def commissioning_complete(session):
        armed.update(until=None, added=False)
        general.breadcrumb = 0
        say("complete")
        advertise(device)
        return complete(session)

    def expire():
        if armed["until"] is not None and time.monotonic() > armed["until"]:
            say("fail-safe expired")
            roll_back()

    general.arm_fail_safe, general.commissioning_complete, noc.add_noc = arm_fail_safe, commissioning_complete, adding_noc
    device.expire_fail_safe = expire
