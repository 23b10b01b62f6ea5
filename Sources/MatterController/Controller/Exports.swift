// A program needs one import: the names of clusters, attributes and commands, and values of any type, come with this module. So does
// what the command line uses of the layers below.
@_exported public import MatterBase
@_exported public import MatterCrypto
@_exported public import MatterLedger
@_exported public import MatterModel
@_exported public import MatterNetwork
@_exported public import MatterState
