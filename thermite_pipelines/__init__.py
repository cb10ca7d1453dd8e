"""Makes lasting knowledge of the signed reports of autonomous research rigs."""

__version__ = "0.1.0"
