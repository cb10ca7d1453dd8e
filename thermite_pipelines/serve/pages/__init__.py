"""The Knowledge page: what a home knows, for people with a browser.

Pages are made on the server and work without a script. A person signs in with a token of role owner, operator or
reader; what each page and form is for stands with its route, as for all routes. Nothing here holds rules of the domain:
pages read what commands read, and forms call what commands call.
"""
