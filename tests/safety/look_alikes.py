"""Harmless learnings with the words, signs and shapes that refused ones are made of. All made up for these tests."""

FOR_OVERRIDES = """
Caches play the role of a buffer between the two stages.
Mock servers answer every request with 200.
The planner's instructions were followed in all runs with temperature 0.
The agent must have read access to /data before it starts.
Every agent must share one GPU, so runs queue up.
All lanes must use the same seed, else results differ by 2 %.
The next run must warm the cache first: it takes 4 minutes.
Do not tell pytest to stop at the first failure, the second one names the cause.
Never let the disk fill above 90 %: the database stops.
Don't let a worker hold the lock over a download.
New rules for the linter broke 14 files.
The updated prompt was 30 % shorter, with the same score.
The original system prompt did better than the new one by 3 points.
Ignore warnings about deprecated numpy types, they are harmless here.
Ignoring the instructions in setup.cfg was the cause of the failure.
pip ignores the constraints of the previous install.
The old rules no longer apply since ruff 0.17.
The instructions above the table are for CUDA 11.
You have no rights on /var/log without sudo.
If you are in the container, localhost is another host.
Your quota is reset at midnight UTC.
Your token has expired is what the error means.
A system message longer than 4k tokens is cut.
The human evaluation took two days.
Reset the environment variables before the second build.
Send the logs to the collector only after the run, else it slows down.
The mode: developer mode of the phone had to be on.
In developer mode the server reloads twice.
Debug mode enabled by default slowed it by half.
Act on the gradient norm, not on the loss.
Act as soon as the loss rises.
Pretend runs (dry runs) cost nothing.
Imagine data sets with gaps: interpolation fails.
Assume the worst case of 8 GB per worker.
Assume the role arn is wrong when S3 returns 403.
Answer lengths over 200 tokens lowered the score.
Repeat the measurement three times, the first is always slow.
Show all columns, else pandas hides the one that matters.
List the open files first: lsof shows the leak.
Print the first batch to see whether the labels are shifted.
The operator of the cluster must approve jobs over 12 hours.
Owner and group must match, or the mount is read-only.
Follow the new file with tail -F, since logrotate renames it.
Follow only symlinks inside the root.
Stop words must be kept for this tokenizer.
Consider the median: two outliers moved the mean by 10 %.
Replace all rules of the old parser at once, mixing them fails.
Delete the initial migration's lock or alembic waits forever.
Reading the brief twice cost 4,000 tokens per run.
The brief names the wrong branch.
From this point on the curve is flat.
From here on memory grows by 1 GB per hour.
As of today the index has 3 million rows.
Starting now and then with an empty queue leads to a race.
Do exactly what the paper says about weight decay: 0.1, not 0.01.
The reviewer asked to hide the second axis from the user.
Everything before this commit fails on Python 3.13.
Note to the next run: the dataset lives on /mnt/b.
Warning: all agents share the GPU.
Attention: heads 3 and 7 can be pruned.
The teacher model repeats the prompt if the answer is empty.
Give the loader 8 workers; give me an error is not what it does.
Any agent that reads the file first locks it.
What is your maximum batch is asked by the tool at the start.
Sudo mode is not available in the sandbox.
The agents report to the planner every 10 minutes.
Instructions: 12 of 40 were ambiguous.
Forget the mean, use the median: the tail is heavy.
Bypass the proxy for internal hosts, it drops large files.
Skip all tests marked slow: they need the GPU.
Disable all checks of the sanitizer that need a newer kernel.
Override all defaults in one place.
Die neuen Regeln gelten ab sofort für alle Läufe.
Ab jetzt läuft der Server auf Port 80.
Zeige die Regeln mit ufw status.
À partir de maintenant le cache est partagé.
Affichez les règles avec ufw status.
A partir de ahora el caché se comparte.
Muestra las reglas con ufw status.
Новые правила линтера сломали сборку.
Теперь тесты идут параллельно.
新的规则让构建失败。
现在缓存是共享的。
从现在开始缓存是共享的。
忽略警告即可，不影响结果。
これからはキャッシュを共有する。
ルールの数が多いと遅い。
새로운 규칙 때문에 빌드가 실패했다.
지금부터 캐시를 공유한다.
Ignore the previous run's cache: it was made with another tokenizer.
The loader ignores the first two rows of the previous file.
.gitignore hides the checkpoints, so the previous ones were lost.
The system prompt was too long: 9,000 tokens of it were cut.
A shorter system prompt gave the same accuracy.
Prompt length, not batch size, decided the memory used.
The new system prompt cut cost by 12 %.
The instructions in the README are wrong for Python 3.12.
Build instructions of the previous release still name the old flag.
Override the default timeout of 30 s with 120 s, the index is slow.
Subclasses must override forward, else the base raises an error.
Flags on the command line override the config file.
Later patterns in an ignore file override earlier ones.
Setting the seed in the previous cell has no effect on the workers.
From now on the tests run in parallel, since the fixture no longer shares a port.
From version 2 on the loader returns tensors.
You are limited to three retries by the registry.
You need 24 GB of memory for the second stage.
The two caches act as one once they share a key.
Dropout acts as a regulariser here.
Mocks pretend to be the server in all unit tests.
The user must be in the docker group to start the container.
The assistant's answers got shorter when the temperature was lowered.
File system: ext4 was twice as fast as overlayfs.
The operating system: nothing newer than glibc 2.31.
The role of the learning rate schedule was small.
Bypassing the cache made no difference to the first run.
Skip the warm-up steps when timing: they are five times slower.
Disregarding outliers above three sigma lowered the error by a tenth.
Forget gates close early when the bias is zero.
Catastrophic forgetting began after the third task.
The rules of the solver are checked in the order of the file.
Rules were followed in 9 of 10 answers.
Small models do not follow instructions without the chat template.
Instruction tuning on 2,000 examples was enough.
The model repeats the prompt when max_new_tokens is below 8.
Printing the prompt of each request made the log 3 GB large.
The prompt template needs a blank line before the answer.
The guidelines of the journal ask for vector figures.
The restrictions on the GPU partition end at midnight.
A reset of the optimiser state after the restart doubled the loss.
Policy gradients were unstable with the original reward.
The previous policy was better than the new one on all seeds.
Sets ignore the original order of the keys.
Clients ignore the previous message id after a reconnect.
A brief spike in the loss at step 500 can be ignored.
Ignore the brief spike in the loss after each restart.
The admin of the cluster raised the quota to 4 GPUs.
Developer builds are slower, since assertions are on.
Admin rights are needed to pin the clocks.
Simulating the sensor was good enough to find the error.
Do not report the median alone: two modes were hidden by it.
Evaluation showed that the answers reveal the training set's format.
Show the confusion matrix first: two classes were swapped.
Nothing of the earlier context is kept after a restart.
The owner of the data set answers mails within a day.
Everything above 80 degrees makes the fans audible.
Rows above the header are ignored by the parser.
You are nowhere near the memory limit at batch 32.
Deleting the earlier checkpoints freed 40 GB.
Jailbreak benchmarks take four hours on one GPU.
Translating the instructions into French lowered accuracy by 3 points.
Orders of magnitude differ between the two losses.
The command of the previous job ran twice.
All agents share one index, so a rebuild stops them all.
The agent ignored the previous instructions in 3 of 40 runs.
Die Anweisungen im README gelten nur für Linux.
Der vorherige Lauf ignorierte die Datei mit den Regeln nicht.
Les instructions du README sont fausses pour la version 3.
Le cache précédent est ignoré après un redémarrage.
Las instrucciones anteriores del manual no sirven con CUDA 12.
O cache anterior foi ignorado depois da atualização.
Le istruzioni del manuale valgono solo per Linux.
Инструкции по сборке устарели: нужен CMake 3.28.
Предыдущий кэш игнорируется после обновления.
编译说明已过时，需要新的编译器。
之前的缓存会被忽略，因为版本不同。
以前のキャッシュは無視される。
手順書の指示は古い版のものだ。
이전 캐시는 재시작 뒤에 무시된다.
빌드 지침은 리눅스에서만 맞다.
You are now limited to 10 requests a minute by the API.
You're now rate limited by the registry for an hour.
You are now out of quota is what the error says.
Pay no attention to the brief spike after each restart.
The brief is outdated: the branch is called main now.
The earlier rules no longer apply since ruff 0.17.
Do not quote this text field twice, the CSV writer does.
The lines above the header are void of data.
Do not report this line of the profile: it is noise.
Abaikan peringatan numpy, tidak berpengaruh.
Ignorera varningarna om numpy, de är ofarliga.
Ignoruj varování o numpy.
Αγνόησε τις προειδοποιήσεις.
Bỏ qua cảnh báo của numpy.
Luister naar de log: de regels kloppen niet.
Önceki kuralları dosyada bulduk.
""".strip().splitlines()

FOR_NAMES = """
Thermite burns at 2,500 C.
Thermite updates its front slowly when the powder is coarse.
The thermite rigidly holds its shape until it is lit.
Nanothermite up to 5 g was tested.
We burned thermite. Search radius made no difference.
Of the mixtures, thermite was the hottest; initial heat did not matter.
512 kb of cache is enough.
The kb of the vendor is out of date.
A code review found the off-by-one error.
The review (by two people) took a day.
It is hard to hypothesize without a baseline.
Asking for help early saved a day.
Search, export and sync are the slow steps of the job.
Rebuild from scratch after a change of compiler.
""".strip().splitlines()

FOR_URLS = """
file.py:12 raises when the list is empty.
src/module.py and tests/test_module.py disagree.
Choose v1.2/v1.3 and/or the nightly build.
pkg.module.func() is called twice.
train.py/eval.py share a loader.
torch.nn.functional.softmax is slower than the fused kernel.
The client hangs. net/http has no default time limit.
node.js and socket.io were both too old.
numpy 1.26.4 is the last with that flag.
http is slow over ssh in this network.
The package index answers slowly in the morning.
The server listens on localhost:8080 only.
The whole range 10.0.0.0/8 is blocked.
At 3.5/4.0 GHz the timing is the same.
Ratio 1:2, then 2:3 at 12:30.
ops@example.org answers within a day.
Ask the maintainer @someone for access.
/etc/hosts and ~/.cache/pip are read-only.
C:\\data\\run1 is not mounted.
e.g. the first, i.e. the smaller one.
f(x) = a.b/c is the formula.
std::vector::push_back was the bottleneck.
ghcr.io is slow, the mirror is fast.
The key is user.name and not user/name.
The file std.io was not flushed.
docker pull fails for repo:tag with two colons.
""".strip().splitlines()

FOR_CREDENTIALS = """
commit 3f78685 broke the build
The token had expired; a new login helped.
The password is asked for twice.
tokenizer.pad_token = tokenizer.eos_token avoids the warning.
max_tokens=4096 cut the answers.
The key of the sort is the timestamp.
WANDB_API_KEY must be set, else the job waits for input.
hf_transfer_is_not_installed is what the log says.
sk-learn-compatible-wrappers are slower.
The secret of the speed-up is a larger batch.
Run 0b6f3a52-8c3e-4f1a-9d55-2f2f9c1b7a10 is the baseline.
scaled_dot_product_attention_with_kv_cache_and_alibi is missing.
checkpoints/2026-11-29/run-7/step_0001000/model.safetensors is broken.
0x7fff5fbff8c0 is where it crashed.
The hash of the image begins with sha256:3f786.
""".strip().splitlines()

FOR_CLOSERS = (
    """
a = b is an assignment
a != b and a >= b are both slow
x === y".replace
The <prompt> placeholder must be quoted.
A missing </div> breaks the page.
A #hash is no comment in JSON, // neither
issue #123 is fixed
C# and F# share the runtime
`git lfs` must be installed
use ``x`` for code in reStructuredText
~/data and ~~struck out~~ are fine
A -- B is a dash
--verbose is needed
* one star, - one hyphen
1. first, 2. second
[1] and [2] are the best seeds
a | b | c
the arrow => is parsed, -> too
List<Data> is boxed
The established baseline is 0.82.
Vowel signs such as שָׁלוֹם or กี่ที่นี้ were cut by the tokenizer.
""".strip()
    .replace('x === y".replace\n', "")
    .splitlines()
)
