"""Tools over MCP: what people and the agents of runs call, over HTTP or over standard input and output.

Nothing is kept from one call to the next: who calls is seen anew with each, and sessions of synthesis lie in control's
record.
"""
