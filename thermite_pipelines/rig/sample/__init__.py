"""The sample home's reports: two rigs, two campaigns, seven runs, invented and always the same.

Each run is a module that tells its events in order; `ledgers` says which rig reports what, and in how many reports.
"""
