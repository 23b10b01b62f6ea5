/// The next step after an error, in the words of this command line: by the id of the error, or by the step that it names.
enum RainMakerHints {
    static let words = [
        "cloud.chooses-ids": "leave out --node-id",
        "cloud.convert": "make it one: matterctl cloud group convert --group {0}",
        "cloud.log-in": "log in first: matterctl cloud login",
        "cloud.log-in-again": "log in again: matterctl cloud login",
        "cloud.make-fabric": "create one: matterctl fabric create NAME --issuer rainmaker --group {0}",
        "cloud.more-time": "try again with more time: --timeout 5min",
        "cloud.renew-own": "renew our certificate first: matterctl cloud group user-noc --group GROUP",
        "cloud.repeat-confirmation": "try again: matterctl cloud confirm {0}",
        "cloud.repeat-removal": "try again: matterctl node remove {0}",
        "cloud.request-forgotten":
            "the cloud has forgotten the request: remove the node (matterctl node remove {0}), then commission it again",
        "cloud.see-created": "do not create it again; look at it later: matterctl cloud group ls --group {0}",
        "cloud.see-groups": "matterctl cloud group ls",
        "cloud.see-requests": "matterctl cloud share requests",
        "cloud.see-sent": "matterctl cloud share requests --sent",
        "cloud.see-sharing": "matterctl cloud share ls",
        "cloud.sharing-changed":
            "if it worked before, who shares the group has changed: matterctl cloud group user-noc --group {0}",
        "cloud.sync": "take over the group's nodes first: matterctl cloud sync --group GROUP",
        "cloud.which-profile": "name one with --profile",
        "controller.update-devices": "later: matterctl rainmaker controller update-devices {0}",
        "controller.show": "matterctl rainmaker controller show {0}",
        "controller.long-token":
            "leave out --secrets; to replace the token: matterctl rainmaker controller set-token",
        "access.ask-primary": "ask a primary user to run this command",
        "access.renew-first":
            "renew its certificate: matterctl rainmaker controller update-noc {0}; or use --force",
        "acl.incomplete":
            "users who lost access can still use them; check these devices, then run the same command again",
        "cloud.commission-again": "its commissioning was cut short; run the same 'matterctl commission' again",
        "cloud.name-group": "for one from elsewhere, name the group: --group",
        "simulate.other-revision": "choose one of these, or leave out --rainmaker-revision for the newest",
        "simulate.own-node-id": "leave out --rainmaker-node-id: each node then has one of its own",
        "usage.group": "name the group's id",
        "usage.issuer": "name the group: --group GROUP",
        "usage.no-url": "add --url https://HOST",
    ]
}
