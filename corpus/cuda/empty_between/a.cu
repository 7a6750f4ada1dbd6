// Nothing at all, with debug information.
