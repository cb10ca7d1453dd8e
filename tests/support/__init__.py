"""What several packages of tests share: homes, simulated rigs, a real PostgreSQL."""
