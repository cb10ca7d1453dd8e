"""Asking language models: typed answers, a cache, a budget, our own retries. litellm is imported when first asked."""
