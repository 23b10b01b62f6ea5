// A program needs one import: the names of clusters, attributes and commands, and values of any type, come with this module.
@_exported public import MatterDataModel
@_exported public import MatterTLV
