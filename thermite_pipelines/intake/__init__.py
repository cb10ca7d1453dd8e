"""From the inbox to verified events: every file that arrives gets one outcome, and accepted reports become events."""
