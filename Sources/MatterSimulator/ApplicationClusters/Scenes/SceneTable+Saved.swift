import MatterModel

/// The scenes as the virtual device keeps them.
extension SceneTable {
    var tlv: TLVValue {
        .array(
            of: scenes.map { key, scene in
                .structure([
                    TLVElement(0, .number(key.fabric)), TLVElement(1, .number(key.group)),
                    TLVElement(2, .number(key.scene)), TLVElement(3, .number(scene.transition)),
                    TLVElement(4, .string(scene.name)), TLVElement(5, scene.values.fieldSets.tlv),
                ])
            })
    }

    init(tlv: TLVValue) throws(TLVError) {
        for item in tlv.items ?? [] {
            let fields = try TLVFields(item, "scene")
            let key = Key(
                fabric: try fields.unsigned(0), group: try fields.unsigned(1), scene: try fields.unsigned(2))
            scenes[key] = Scene(
                name: try fields.string(4), transition: try fields.unsigned(3),
                values: SceneValues(
                    fieldSets: try fields.array(5).compactMap { ScenesManagement.ExtensionFieldSet(tlv: $0) })
                    ?? SceneValues())
        }
    }
}
