"""Domain tags by rule: known technology and subject words first, then names in code, then the longest words."""

import re
import unicodedata
from collections.abc import Mapping

from thermite_pipelines.atoms.signals.language import Language, lowered, words_of

LONGEST = 40
MOST = 8
"""Tags that an atom keeps; more say nothing."""
_SHORTEST = 3
_WANTED = 3
"""Tags that the rules look for."""

_NOT_TAG = re.compile(r"[^\w]+|_+")
_EMPTY = frozenset(["none", "n-a", "na", "unknown", "null", "general", "misc", "other", "tbd", "undefined"])
_CODE = re.compile(r"`([^`\n]{2,60})`")
_NAME = re.compile(r"\b[a-zA-Z][\w-]*(?:\.[a-zA-Z]\w*)+\b|\b[a-zA-Z]+(?:_[a-zA-Z0-9]+)+\b")
_WORD = re.compile(r"[^\W\d_]{4,30}")
_CJK_WORD = re.compile(r"[\u30a1-\u30ffー]{3,12}|[\u3400-\u9fff]{2,5}")

EXTENSIONS = {
    "py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "jsx": "javascript", "go": "go",
    "rs": "rust", "java": "java", "kt": "kotlin", "rb": "ruby", "php": "php", "c": "c", "cpp": "cpp", "cs": "csharp",
    "swift": "swift", "sql": "sql", "sh": "shell", "md": "documentation", "yml": "configuration",
    "yaml": "configuration",
    "toml": "configuration", "json": "json", "csv": "csv", "xlsx": "spreadsheets", "html": "html", "css": "css",
    "ipynb": "notebooks", "tf": "terraform", "proto": "protobuf", "parquet": "parquet", "xml": "xml", "pdf": "pdf",
}  # fmt: skip

# tag: the words that lead to it, in any language, as whole words (spaced languages) or anywhere (Chinese, Japanese).
_SUBJECTS = """
    deployment: deploy deploys deployed deployment deployments rollout ausrollen déploiement déployer desplegar
    deployment: despliegue デプロイ 部署 上线 发布
    release: release releases veröffentlichung version versión リリース 发版
    testing: test tests testing fixture pytest prueba pruebas テスト 测试
    continuous-integration: ci pipeline pipelines runner 流水线
    database: db database databases datenbank datenbanken base-de-données tabla tabelle données-base 数据库
    database: データベース
    migration: migration migrations migrationen migración 迁移 移行
    caching: cache caches cached caching caché 缓存 キャッシュ
    authentication: auth authentication login oauth jwt sso keycloak ldap anmeldung connexion 登录 认证 ログイン
    authentication: 認証
    permissions: permission permissions role roles scope scopes rechte droits permisos 权限 権限
    api: api apis endpoint endpoints schnittstelle 接口
    billing: billing invoice invoices payment payments rechnung rechnungen facture factures factura facturas
    billing: paiement pago pagos 账单 支付 請求 支払い
    pricing: price prices pricing preis preise prix precio precios 价格 料金 価格
    advertising: ads campaign campaigns kampagne anzeigen publicité anuncios 广告 広告
    web-metrics: traffic pageviews visits conversion conversions bounce attribution besucher trafic tráfico 流量
    web-metrics: 转化 アクセス
    monitoring: alert alerts monitoring dashboard dashboards alarm 监控 告警 監視 アラート
    logging: log logs logging logger journaux registros 日志 ログ
    performance: latency throughput slow performance profiler p95 p99 latenz latence latencia 性能 延迟 速度
    performance: パフォーマンス
    memory: memory ram heap speicher mémoire memoria 内存 メモリ
    gpu: gpu gpus cuda 显卡
    machine-learning: models epoch embedding embeddings classifier 训练
    machine-learning: 模型 学習 モデル
    data: dataset datasets data daten données datos 数据 データ
    import: import imports importer importar 导入 取り込み インポート
    export: export exports exporter exportar 导出 エクスポート
    configuration: config configuration settings setting konfiguration configuración 配置 設定
    security: security vault secret secrets sicherheit sécurité seguridad 安全 セキュリティ
    privacy: privacy consent gdpr dsgvo datenschutz rgpd 隐私 個人情報
    messaging: queue queues kafka mqtt rabbitmq broker warteschlange cola 队列 キュー
    scheduling: cron scheduler schedule timezone utc zeitzone 定时 スケジュール
    frontend: frontend ui css button layout browser 前端 画面
    backend: backend server servers serveur servidor 后端 サーバー
    documentation: docs documentation readme dokumentation 文档 ドキュメント
    version-control: git github branch branches commit commits pr merge worktree rebase svn 分支 ブランチ
    linting: linter lint formatter biome eslint ruff
    containers: docker container containers kubernetes k8s 容器 コンテナ
    networking: network gateway dns proxy netzwerk réseau 网关 ネットワーク
    storage: storage bucket disk s3 festplatte disque 存储 ストレージ
    backup: backup backups sicherung sauvegarde 备份 バックアップ
    sensors: sensor sensors sensoren capteur capteurs 传感器 センサー
    customers: customer customers tenant tenants kunden kunde client clients cliente clientes 客户 顧客
    orders: orders bestellung bestellungen commande commandes pedido pedidos 订单 注文
    refunds: refund refunds retouren remboursement reembolso 退款 返金
    time-zones: timezone timezones dst
    mobile: ios android mobile iphone 安卓
    email: email emails mail mails newsletter correo 邮件 メール
    search: search ranking index suche recherche búsqueda 搜索 検索
    translation: translation translations übersetzung traduction traducción 翻译 翻訳
    incidents: incident incidents outage postmortem postmortems ausfall panne 故障 障害
    streaming: streaming stream sse websocket
    postgres: postgres postgresql
    redis: redis
    python: python pip pytest
    typescript: typescript
    prisma: prisma
    terraform: terraform
    spark: spark
"""
_BY_WORD = {
    word: line.partition(":")[0].strip()
    for line in _SUBJECTS.strip().splitlines()
    for word in line.partition(":")[2].split()
}
_BY_SIGN = {word: tag for word, tag in _BY_WORD.items() if ord(word[0]) > 0x2E80}
_SIGNS = re.compile("|".join(sorted(_BY_SIGN, key=len, reverse=True)))
_PLAIN_WORDS = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def tag(text: str) -> str:
    """The one form of a tag: lower case, hyphens for whatever is no letter or digit; empty where nothing is left.

    `Web Metrics` becomes `web-metrics`. A tag without any letter, with more than 40 characters, or that only says that
    there is none, becomes empty.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    clean = _NOT_TAG.sub("-", plain).strip("-")
    if not any(char.isalpha() for char in clean) or len(clean) > LONGEST or clean in _EMPTY:
        return ""
    return clean


def subject_words() -> Mapping[str, str]:
    """The tag of each word that names a subject, in any of the languages."""
    return _BY_WORD


def subjects_by_sign(text: str) -> list[str]:
    """The tag of each Chinese or Japanese word that names a subject, in the order of the text."""
    return [] if text.isascii() else [_BY_SIGN[sign] for sign in _SIGNS.findall(text)]


def domain_of(text: str, language: Language) -> list[str]:
    """One to three tags of what a person said; empty only where the text holds no word of four letters.

    A subject is known by its word in any of the languages; names in code follow, and without either the longest word
    that is no function word stands for the subject.
    """
    low = lowered(text)
    found: list[str] = []
    for word in _PLAIN_WORDS.findall(low):
        _append(found, _BY_WORD.get(word, ""))
    for subject in subjects_by_sign(low):
        _append(found, subject)
    for name in (*_CODE.findall(text), *_NAME.findall(text)):
        _append(found, EXTENSIONS.get(name.rpartition(".")[2].lower(), "") if "." in name else _name(name))
    if len(found) < 2:
        for word in _long_words(low, language)[:2]:
            _append(found, tag(word))
    return found[:_WANTED]


def _name(code: str) -> str:
    clean = tag(code)
    return clean if len(clean) >= _SHORTEST else ""


def _append(found: list[str], name: str) -> None:
    if name and name not in found:
        found.append(name)


def _long_words(low: str, language: Language) -> list[str]:
    """Words that may name the subject: those behind an article first, the longer before the shorter."""
    if not language.spaced:
        parts = _PARTS.split(low) if language.code == "zh" else re.split(_joined(language.words), low)
        words = [word for part in parts for word in _CJK_WORD.findall(part)] or _WORD.findall(low)
        return sorted(dict.fromkeys(words), key=lambda word: (abs(len(word) - _USUAL), word))
    named = {match.group(1) or match.group(2) for match in _NAMED.finditer(low)}
    words = [word for word in _WORD.findall(low) if word not in language.words and word not in _NO_NAMES]
    words = [word for word in words if not word.endswith("ly")] or words
    return sorted(dict.fromkeys(words), key=lambda word: (word not in named, -len(word), word))


_USUAL = 3
"""Signs of a usual word of Chinese or Japanese."""
_NAMED = re.compile(
    r"(?<!\w)(?:the|an?|our|each|every|der|die|das|den|dem|des|ein\w{0,2}|unser\w{0,2}|jede\w|l[ae]s?|une?|nos|notre|chaque|el|los|una?"
    r"|cada|nuestr\w{1,2}) ([^\W\d_]{4,30})|(?<=[ld]')([^\W\d_]{4,30})"
)
# Words behind an article that only say which one.
_NO_NAMES = words_of(
    "actual against alte andere another anybody anyone anything autre better certain counted current dernier "
    "different entire everywhere following full ganze gleiche hardly hence higher itself larger last latest "
    "logged longer lower main meaning means mismo même neue newer nobody normal nothing nouvelle nueva nuevo "
    "older other others otra previous real really resto same second shorter smaller somebody themselves third "
    "usual whatever whole within "
)


def _joined(words: frozenset[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


# Signs that begin or end most phrases of Chinese and seldom stand in a name.
_PARTS = re.compile(
    "[的了是在和就都也不有我你他她它这那们没只才会要能可把被让给从到对与或吗呢吧啊请帮再还很最等之其做用去来跑看说写按选当时"
    "原因需为以所如何每次个件条台点几些一二三四五六七八九十两将已经先后然并而且即使则及过着得地上下里中]"
)
