nvlink fatal   : Unknown arch name '(null)'
