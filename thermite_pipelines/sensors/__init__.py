"""When it happens: sensors compare what is with what should be and ask for the difference; they remember nothing."""
