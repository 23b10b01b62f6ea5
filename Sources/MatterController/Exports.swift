// A program needs one import: the names of clusters, attributes and commands, and values of any type, come with this module. So does
// what the command line uses of the layers below.
@_exported public import MatterLedger
