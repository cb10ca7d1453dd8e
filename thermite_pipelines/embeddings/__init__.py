"""From texts to vectors, by a model that is built in or one that litellm asks; how near counts as alike for each."""
