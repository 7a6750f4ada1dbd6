twinlink fatal   : Unknown arch name '(null)'
