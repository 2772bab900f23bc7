# C functions and structs only: nothing here is seen from Python.
