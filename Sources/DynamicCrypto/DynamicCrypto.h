// Imported for the link declaration of the module map.
