"""The search index: what words and meaning are found by, a folder at a time.

`texts` says what is indexed, `segments` how it is kept, `store` keeps it in step with the folders, `open_index` reads
it, `spelling` guesses what was meant, `scoring` finds and scores. Numbers are kept a folder and added up for each
question, so that a folder which may not be read can change nothing.
"""
