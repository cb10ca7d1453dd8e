"""Phrases by language that show what a person's sentence is, and the small tools that read with them."""

from thermite_pipelines.atoms.signals.de import GERMAN
from thermite_pipelines.atoms.signals.en import ENGLISH
from thermite_pipelines.atoms.signals.es import SPANISH
from thermite_pipelines.atoms.signals.fr import FRENCH
from thermite_pipelines.atoms.signals.ja import JAPANESE
from thermite_pipelines.atoms.signals.language import Language
from thermite_pipelines.atoms.signals.zh import CHINESE

LANGUAGES: tuple[Language, ...] = (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, JAPANESE)
"""All tables, by falling number of messages that are expected in them. A new language is added here."""
