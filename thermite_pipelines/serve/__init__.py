"""The service: HTTP for people, and for rigs that stand elsewhere.

Whoever asks shows a token. What a token may ask for stands with each route (`access.py`); a route that says nothing
can't be made. Nothing here holds rules of the domain: routes call what the commands call.
"""
