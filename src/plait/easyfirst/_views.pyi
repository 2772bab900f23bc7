# C classes and structs only: EasyFirst in _search is what Python sees.
