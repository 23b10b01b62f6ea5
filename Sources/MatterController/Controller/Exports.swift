// A program needs one import: the names of clusters, attributes and commands, and values of any type, come with this module.
@_exported public import MatterBase
@_exported public import MatterModel
