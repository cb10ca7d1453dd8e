"""Which assets run together. All jobs use one process a run: starting Python is most of what a run costs."""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from thermite_pipelines.assets import checks
from thermite_pipelines.assets.atoms import atoms, session_transcripts
from thermite_pipelines.assets.exports import export, results_repository
from thermite_pipelines.assets.help import help_channels
from thermite_pipelines.assets.intake import intake, take_unknown_reports
from thermite_pipelines.assets.knowledge import campaign_folder, folder_catalog, tables
from thermite_pipelines.assets.reviews import hypotheses, reviews
from thermite_pipelines.assets.search_index import knowledge_index
from thermite_pipelines.assets.sync import knowledge_sync, run_briefs
from thermite_pipelines.assets.synthesis import base_facts

_ASKS_MODELS = {"thermite/asks-models": "true"}


def _job(
    name: str, description: str, selection: dg.AssetSelection, tags: dict[str, str] | None = None
) -> UnresolvedAssetJobDefinition:
    return dg.define_asset_job(
        name, selection=selection, description=description, tags=tags, executor_def=dg.in_process_executor
    )


def _only(*assets: dg.AssetsDefinition) -> dg.AssetSelection:
    return dg.AssetSelection.assets(*assets).without_checks()


take_reports = _job("take_reports", "Take what lies in a rig's inbox and write its events.", _only(intake))
refresh_campaign = _job(
    "refresh_campaign",
    "Bring a campaign's folder, catalog, help requests, learnings, facts, what its running runs read, and its index up "
    "to date.",
    _only(campaign_folder, folder_catalog, help_channels, base_facts, knowledge_sync, run_briefs, knowledge_index),
)
index_campaign = _job(
    "index_campaign",
    "Bring a campaign's search index up to date after news of atoms or of what synthesis made.",
    _only(knowledge_index),
)
sync_campaign = _job(
    "sync_campaign",
    "Sync and brief a campaign's running runs after news in a granted folder, or after a person's decision.",
    _only(knowledge_sync, run_briefs),
)
refresh_help = _job(
    "refresh_help",
    "Bring help requests and learnings of all campaigns, and the checks of both, up to date: after people's decisions.",
    _only(help_channels) | dg.AssetSelection.checks(*checks.HELP),
)
read_transcripts = _job(
    "read_transcripts", "Read what people said in a campaign, and ask nobody about it.", _only(session_transcripts)
)
extract_atoms = _job(
    "extract_atoms",
    "Read what people said in a campaign, and take atoms and intents from what is new.",
    _only(session_transcripts, atoms),
    _ASKS_MODELS,
)
review_campaign = _job(
    "review_campaign",
    "Bring a campaign's facts up to date and review them: prune, distill, RAPTOR, reflect.",
    _only(base_facts, reviews),
    _ASKS_MODELS,
)
hypothesize_campaign = _job(
    "hypothesize_campaign",
    "Walk a campaign's syntheses for hypotheses that can be proved false. Started by people alone.",
    _only(hypotheses),
    _ASKS_MODELS,
)
export_rig = _job("export_rig", "Write a rig's next export, and commit it.", _only(export, results_repository))
write_tables = _job("write_tables", "Write one Parquet file a kind over all campaigns.", _only(tables))
check_often = _job(
    "check_often",
    "The checks that only ask control's record and the help folder.",
    dg.AssetSelection.checks(*checks.CHEAP),
)
check_all = _job("check_all", "All checks, those that read the lake too.", dg.AssetSelection.checks(*checks.CHECKS))

JOBS = [
    take_reports,
    refresh_campaign,
    sync_campaign,
    index_campaign,
    refresh_help,
    read_transcripts,
    extract_atoms,
    review_campaign,
    hypothesize_campaign,
    export_rig,
    write_tables,
    check_often,
    check_all,
    take_unknown_reports,
]
