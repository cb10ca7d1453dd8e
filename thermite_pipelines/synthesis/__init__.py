"""From items and atoms to facts, and what follows from them: prune, distill, RAPTOR, reflect, hypothesize."""
