// Written by Tests/Tools/generate_options.py from the declarations of the commands' options.

extension LineOption {
    /// Whether the next word is its value.
    var takesValue: Bool {
        switch self {
        case .all, .csv, .direct, .dryRun, .fresh, .json, .noKeep, .noOnOff, .plot, .trace, .traceSecrets, .traceYes,
            .verbose, .verify, .wait, .watch, .wide:
            false
        default: true
        }
    }
}

extension EverydayOptions: PlainOptions {
    mutating func leaveOutOptions() {
        verify = false
        dryRun = false
        selection = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .verify: verify = true
        case .dryRun: dryRun = true
        default: return selection.take(given)
        }
        return true
    }
}

extension IdentifyCommand {
    mutating func leaveOutOptions() {
        span = nil
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .span: return given.become(&span)
        default: return everyday.take(given) ?? options.take(given)
        }
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension KindCommand {
    mutating func leaveOutOptions() {
        particular = .none
        selection = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        particular.take(given) ?? selection.take(given) ?? options.take(given)
    }

    func validateGroups() throws {
        try particular.validate()
        try options.validate()
    }
}

extension KindOptions: PlainOptions {
    mutating func leaveOutOptions() {
        watch = false
        span = nil
        count = nil
        plot = false
        csv = false
        level = nil
        transition = nil
        pin = nil
        relockAfter = nil
        verify = false
        dryRun = false
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .watch: watch = true
        case .span: return given.become(&span)
        case .count: return given.become(&count)
        case .plot: plot = true
        case .csv: csv = true
        case .level: return given.become(&level)
        case .transition: return given.become(&transition)
        case .pin: return given.become(&pin)
        case .relockAfter: return given.become(&relockAfter)
        case .verify: verify = true
        case .dryRun: dryRun = true
        default: return nil
        }
        return true
    }
}

extension Level {
    mutating func leaveOutOptions() {
        transition = nil
        noOnOff = false
        optionsMask = nil
        optionsOverride = nil
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .transition: return given.become(&transition)
        case .noOnOff: noOnOff = true
        case .optionsMask: return given.become(&optionsMask)
        case .optionsOverride: return given.become(&optionsOverride)
        default: return everyday.take(given) ?? options.take(given)
        }
        return true
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension LockAddCode {
    mutating func leaveOutOptions() {
        name = nil
        user = nil
        code = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .name: return given.become(&name)
        case .user: return given.become(&user)
        default: return code.take(given) ?? options.take(given)
        }
    }

    func validateGroups() throws {
        try code.validate()
        try options.validate()
    }
}

extension LockCodes {
    mutating func leaveOutOptions() {
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        options.take(given)
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension LockConfig {
    mutating func leaveOutOptions() {
        wrongCodeLimit = nil
        lockout = nil
        autoRelock = nil
        mode = nil
        pinForRemote = nil
        volume = nil
        language = nil
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .wrongCodeLimit: return given.become(&wrongCodeLimit)
        case .lockout: return given.become(&lockout)
        case .autoRelock: return given.become(&autoRelock)
        case .mode: return given.become(&mode)
        case .pinForRemote: return given.become(&pinForRemote)
        case .volume: return given.become(&volume)
        case .language: return given.become(&language)
        default: return everyday.take(given) ?? options.take(given)
        }
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension LockDoor {
    mutating func leaveOutOptions() {
        code = .none
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        code.take(given) ?? everyday.take(given) ?? options.take(given)
    }

    func validateGroups() throws {
        try code.validate()
        try options.validate()
    }
}

extension LockRemoveCode {
    mutating func leaveOutOptions() {
        code = nil
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .code: return given.become(&code)
        default: return options.take(given)
        }
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension LockRestrict {
    mutating func leaveOutOptions() {
        from = nil
        until = nil
        days = nil
        hours = nil
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .from: return given.become(&from)
        case .until: return given.become(&until)
        case .days: return given.become(&days)
        case .hours: return given.become(&hours)
        default: return options.take(given)
        }
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension LockUnrestrict {
    mutating func leaveOutOptions() {
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        options.take(given)
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension ModeCommand {
    mutating func leaveOutOptions() {
        particular = .none
        selection = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        particular.take(given) ?? selection.take(given) ?? options.take(given)
    }

    func validateGroups() throws {
        try particular.validate()
        try options.validate()
    }
}

extension NetworkOptions: PlainOptions {
    mutating func leaveOutOptions() {
        address = nil
        timeout = nil
        patience = nil
        fresh = false
        noKeep = false
        direct = false
        trace = false
        traceTo = nil
        traceSecrets = false
        traceYes = false
        progress = .usual
        wait = false
        state = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .address: return given.become(&address)
        case .timeout: return given.become(&timeout)
        case .patience: return given.become(&patience)
        case .fresh: fresh = true
        case .noKeep: noKeep = true
        case .direct: direct = true
        case .trace: trace = true
        case .traceTo: return given.become(&traceTo)
        case .traceSecrets: traceSecrets = true
        case .traceYes: traceYes = true
        case .progress: return given.replace(&progress)
        case .wait: wait = true
        default: return state.take(given)
        }
        return true
    }
}

extension NodeFilter: PlainOptions {
    mutating func leaveOutOptions() {
        room = nil
        deviceType = nil
        cluster = nil
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .room: return given.become(&room)
        case .type: return given.become(&deviceType)
        case .cluster: return given.become(&cluster)
        default: return nil
        }
    }
}

extension NodeSelection: PlainOptions {
    mutating func leaveOutOptions() {
        all = false
        filter = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .all: all = true
        default: return filter.take(given)
        }
        return true
    }
}

extension Off {
    mutating func leaveOutOptions() {
        effect = nil
        variant = nil
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .effect: return given.become(&effect)
        case .variant: return given.become(&variant)
        default: return everyday.take(given) ?? options.take(given)
        }
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension On {
    mutating func leaveOutOptions() {
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        everyday.take(given) ?? options.take(given)
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension PINOptions: PlainOptions {
    mutating func leaveOutOptions() {
        pin = nil
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .pin: return given.become(&pin)
        default: return nil
        }
    }
}

extension SceneCommand {
    mutating func leaveOutOptions() {
        group = nil
        name = nil
        particular = .none
        selection = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .group: return given.become(&group)
        case .name: return given.become(&name)
        default: return particular.take(given) ?? selection.take(given) ?? options.take(given)
        }
    }

    func validateGroups() throws {
        try particular.validate()
        try options.validate()
    }
}

extension StateOptions: PlainOptions {
    mutating func leaveOutOptions() {
        home = nil
        fabric = nil
        json = false
        wide = false
        color = .usual
        verbose = 0
        logFile = nil
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .home: return given.become(&home)
        case .fabric: return given.become(&fabric)
        case .json: json = true
        case .wide: wide = true
        case .color: return given.replace(&color)
        case .verbose: verbose += 1
        case .logFile: return given.become(&logFile)
        default: return nil
        }
        return true
    }
}

extension Toggle {
    mutating func leaveOutOptions() {
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        everyday.take(given) ?? options.take(given)
    }

    func validateGroups() throws {
        try options.validate()
    }
}

extension Unlock {
    mutating func leaveOutOptions() {
        relockAfter = nil
        code = .none
        everyday = .none
        options = .none
    }

    mutating func take(_ given: LineOption.Given) -> Bool? {
        switch given.option {
        case .relockAfter: return given.become(&relockAfter)
        default: return code.take(given) ?? everyday.take(given) ?? options.take(given)
        }
    }

    func validateGroups() throws {
        try code.validate()
        try options.validate()
    }
}
