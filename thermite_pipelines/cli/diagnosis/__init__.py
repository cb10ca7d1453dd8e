"""What `thermite doctor` looks at. Each check takes the opened home and gives findings; none changes anything.

Findings name ids, counts and file names; of texts that rigs sent only the summaries of help requests, which are one
line that is redacted, cleaned and cut. Equal findings are one with a count.
"""
