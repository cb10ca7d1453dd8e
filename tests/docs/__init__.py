"""The pages for users: what they say is run, or compared with the code."""
