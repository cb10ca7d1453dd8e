"""The whole graph, on one screen.

inbox ─▶ intake ─▶ placed events ─▶ campaign folder ─▶ knowledge sync ─▶ briefs
             │                    ├──▶ help requests, learnings ─────────┘
             │                    └──▶ sessions ─▶ atoms, intents, checkpoints
             │            folder, atoms ─▶ base facts ─▶ pruned facts ─▶ distilled ─▶ RAPTOR ─▶ hypotheses
             │                                               └──▶ methodologies
             └──▶ exports ─▶ results repository
"""

import warnings

import dagster as dg

from thermite_pipelines.assets import checks, jobs
from thermite_pipelines.assets.atoms import atoms, said_events, session_transcripts
from thermite_pipelines.assets.exports import export, results_repository
from thermite_pipelines.assets.help import help_channels
from thermite_pipelines.assets.intake import intake
from thermite_pipelines.assets.knowledge import campaign_folder, folder_catalog, placed_events, tables
from thermite_pipelines.assets.reviews import hypotheses, reviews
from thermite_pipelines.assets.search_index import knowledge_index
from thermite_pipelines.assets.sync import knowledge_sync, run_briefs
from thermite_pipelines.assets.synthesis import base_facts
from thermite_pipelines.resources.home import HomeResource
from thermite_pipelines.resources.io import no_io_manager
from thermite_pipelines.resources.llm import LanguageModelResource
from thermite_pipelines.sensors.arrival import reports_arrived
from thermite_pipelines.sensors.atoms import atoms_behind
from thermite_pipelines.sensors.campaigns import campaigns_behind, indexes_behind, syncs_behind
from thermite_pipelines.sensors.exports import exports_due
from thermite_pipelines.sensors.failures import dead_runs, failed_runs
from thermite_pipelines.sensors.retention import prune_requests, purge_old_runs
from thermite_pipelines.sensors.schedules import SCHEDULES
from thermite_pipelines.sensors.synthesis import reviews_behind

# Dagster copies sensors with a parameter that it calls beta itself; nothing here uses it.
warnings.filterwarnings("ignore", "Parameter `owners` of initializer `SensorDefinition", dg.BetaWarning)

ASSETS = [
    intake,
    placed_events,
    campaign_folder,
    folder_catalog,
    knowledge_index,
    tables,
    help_channels,
    knowledge_sync,
    run_briefs,
    said_events,
    session_transcripts,
    atoms,
    base_facts,
    reviews,
    hypotheses,
    export,
    results_repository,
]
SENSORS = [
    reports_arrived,
    campaigns_behind,
    syncs_behind,
    indexes_behind,
    atoms_behind,
    reviews_behind,
    exports_due,
    dead_runs,
    failed_runs,
]


def build_defs(resources: dict[str, object] | None = None) -> dg.Definitions:
    """All definitions; tests give other resources by name."""
    return dg.Definitions(
        assets=ASSETS,
        asset_checks=checks.CHECKS,
        jobs=[*jobs.JOBS, purge_old_runs, prune_requests],
        sensors=SENSORS,
        schedules=SCHEDULES,
        # The UI's button too: with Dagster's own default each step would be a process, and its lease would die with it.
        executor=dg.in_process_executor,
        resources={
            "home": HomeResource(),
            "language_model": LanguageModelResource(),
            "io_manager": no_io_manager,
        }
        | (resources or {}),
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster loads."""
    return build_defs()
