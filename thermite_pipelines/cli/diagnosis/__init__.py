"""What `thermite doctor` looks at. Each check takes the opened home and gives findings; none changes anything.

Findings name ids, counts and file names, never a text that a rig sent. Equal ones are one finding with a count.
"""
