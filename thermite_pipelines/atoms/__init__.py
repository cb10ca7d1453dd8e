"""Knowledge atoms: what people said to agents, kept exactly. The rules are told in `docs/atoms.md`."""
