// Who imports this module sees what it stands on.
@_exported public import MatterState
