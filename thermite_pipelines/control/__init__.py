"""Control's own record: rigs and keys, receipts, campaigns, assignments, grants, audit, leases."""
