"""Asking language models: typed answers, retries, a budget and a cache of what was answered.

Put here what is true of every question to a model. What is asked, and what becomes of an answer, belongs to the
package that asks. litellm is loaded by `engine.py` alone, on the first real call or look-up of a price.
"""
