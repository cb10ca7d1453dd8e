"""Sentences that carry a signal phrase and hold nothing to keep.

One a line; what stands before `|||` is what the agent had said.
"""

NOT_MEANT = """
I wonder whether you could split that file in two
I was wondering if we could move the meeting notes into the docs folder
not sure whether the build is done, is it?
I'm not sure whether you saw my last message, the export is still missing
We need to figure out why the upload is slow, so start with the profiler
I wasn't sure whether the cache was on, but it is now, all good
It was unclear whether guests see the archive, but legal has settled that
I don't know if that makes sense to you but try it
no idea whether this is the right channel, sorry if not
I'm not sure whether to laugh or to cry about this log
First I'll have lunch, then I'll look at your branch, as usually on fridays
first read the design page, then list what is missing, then write each test
Here is the order: first the parser, then the writer, then the docs, one commit each
My plan for today: first the invoices, then the normal review round, and finally the call
The process is stuck again, first it ate all memory and then it stopped answering
the workflow is red: first the lint job fails, then the tests are not even run
For this task the steps are: first rename the module, then update the imports, then run the tests
Your process is: first you guess, then you apologise, then you guess again
we got a new coffee machine with 12 buttons and 3 kinds of milk
I spent 3 hours on this yesterday and got nothing but frustration
we got 2 new people in the team, be nice
The export should take 5 seconds at most and use 200 MB
I'd guess the import took 40 minutes, but I never looked
If it turned out that 30 of 50 customers cancel, we would be in trouble
The report says that 3 tests failed, fix those
the logs show an error, see below
the data shows up in the wrong column, fix that
According to the docs this takes 3 arguments, why do you pass 4
I made 3 comments on your pull request
works like a charm now, the whole import runs through, thanks
that works like a dream since your last change to the parser
There are two typos in the second paragraph of the readme
there are three open pull requests for the exporter right now
The idea is to add a second button that opens the archive
the difference is that yours does not compile
Think of a better name for the class, something like a verb
what happens is that I get a blank page after the login
The way this works is terrible, nobody on earth could follow the code
The way you structured the tests is basically a mess
oh sure, the crash is by design, and the data loss is a feature
Why do I imagine the server as a tired hamster when I read this log
We had decided to use Kafka because of the volume, but that is off the table now
Originally we decided to drop the index because of its size, but we changed our minds
We almost decided to leave the vendor because of the price
Nobody has decided to drop the index because of its size
You decided to delete my branch because it was old, restore it
Ben says we decided to freeze main because of the audit, is that true
If we decided to split the repo because of its size, the history would be lost
Let's go with the first one because it is shorter
I decided to call it a day because my head hurts
let's keep it like that for now because I have to leave
every time I read this error message I have to laugh
Each time somebody says quick fix I die a little inside
Always run the formatter before you commit the generated files
As always, thanks for the quick turnaround on the release notes
every time the user clicks save, a toast should appear in the corner
Make the badge blink whenever a new message arrives in the inbox
It always amazes me how fast the new parser is on big files
I always forget how the flag for the dry run is called
You keep breaking the imports every time the linter complains
> The cache is rebuilt hourly ||| no wait, I mean the other file, the one with the fixtures
I moved the parser. ||| no, my mistake, the parser is in the right place
Shall I use the staging bucket? ||| no, the staging bucket is being cleaned up, take the other one
Do you use Docker on the build machine? ||| no, we use podman on all of them
The tests pass now. ||| no, the tests are still red, look at the output
I fixed the login page. ||| no, it is still broken, I get the same error in the browser
Is the release on Monday? ||| no, the release is on Thursday, we have time
I renamed the button. ||| Actually I like the old name more, it is shorter
The column counts ads. ||| "No, the column counts all visits" is what I would have said a year ago
The job is done. ||| that's not right, is it, the job is never done
wäre schön, wenn du klären könntest, ob der Export noch läuft
Ich bin nicht sicher, ob du mich verstanden hast, der Export fehlt immer noch
Mir war nicht klar, ob der Cache läuft, aber das hat sich erledigt
Zuerst liest du die Spezifikation, dann schreibst du immer erst die Tests, danach den Code
Wir hatten uns für Kafka entschieden, weil das Volumen groß war, aber das ist vom Tisch
Ursprünglich haben wir beschlossen, den Index zu löschen, weil er groß ist, das gilt nicht mehr
Du hast dich entschieden, meinen Zweig zu löschen, weil er alt war
Jedes Mal, wenn ich diese Meldung lese, muss ich lachen
Bei jedem Klick auf Speichern soll ein Hinweis in der Ecke erscheinen
Es gibt zwei Tippfehler im zweiten Absatz der Anleitung
Ich habe gestern 3 Stunden damit verbracht und nichts erreicht, echt frustrierend
Der Prozess ist abgestürzt, zuerst war der Speicher voll, dann ging nichts mehr
Je me demande si tu pourrais couper ce fichier en deux
Je n'étais pas sûr si le cache tournait, mais c'est réglé
On avait décidé de garder Kafka à cause du volume, mais ce n'est plus d'actualité
À chaque fois que je lis ce message, je rigole tout seul
Il y a deux fautes de frappe dans le deuxième paragraphe
D'abord tu lis la spec, ensuite tu écris toujours les tests, puis le code
À chaque clic sur le bouton il faudrait afficher un message dans le coin
Tu as décidé de supprimer ma branche parce qu'elle était vieille
Me pregunto si podrías dividir ese archivo en dos
No estaba seguro de si la caché funcionaba, pero ya está resuelto
Habíamos decidido usar Kafka por el volumen, pero eso ya no vale
Cada vez que leo este mensaje me da la risa y no puedo seguir
Hay dos erratas en el segundo párrafo del manual de instalación
Tú primero lees la especificación, luego escribes siempre las pruebas y después el código
Cada vez que el usuario pulse guardar debería aparecer un aviso en la esquina
我在想你能不能把这个文件拆成两个
之前不确定缓存是否打开，不过现在已经搞清楚了
我们本来决定用单体架构，因为运维人少，但后来放弃了
每次看到这个报错我都想笑，真的服了
说明文档第二段有两个错别字
你先看设计文档，然后写测试，一般最后再改代码
每次点击保存都应该弹出一个提示框
このファイルを二つに分けてもらえるかどうか迷っています
キャッシュが有効かどうか分からなかったのですが、もう解決しました
当初はモノリスにすることに決めましたが、その後やめました
このエラーを見るたびに、つい必ず笑ってしまいます
説明書の二つ目の段落に誤字が二つあります
保存ボタンを押すたびに、必ず通知が出るようにしたいです
Not sure if you noticed, but you overwrote my config
Do we know whether the vendor supports this
I don't know whether to commit this or wait for Anna
I'd like to find out whether we can drop the old index, can you measure it
Please find out why the sensor drifts. I'm not sure whether it is the cable.
I'm not sure the second paragraph is good, reword it
we need to decide on a name for this, give me five options
I was not sure how to call the flag so I left it out
Undecided between red and green for the badge, surprise me
you might be wondering why the tests are slow
the open question in line 12 is a comment of mine, delete it
In your plan you wrote "still unclear whether the API allows it", it does
The process here is simple: you write, I review
then deploy, then check the logs, then tell me how it usually looks
Steps to reproduce: first open the page, then click on export, then the app crashes
first I was confused, then I read the docs and everything was clear as always
the procedure in the wiki is outdated, ignore it and first ask me, then merge
I'll first finish my review, then normally I need a coffee, then we talk
we got it running after 2 hours of swearing
I ran it 3 times and it still fails
I measured nothing yet, the 20 ms are made up
The article claims that 70% of all projects fail
your benchmark shows 12 ms, mine does not finish
We spent 2 days on this refactoring, let's not throw it away
My laptop got 3 updates yesterday, sorry for the delay
we have 4 open tickets and 2 people, so be quick
yesterday was 30 degrees here, cannot think
The test results are in the folder results/2024
if we spent 500 EUR on ads we would get maybe 20 customers
the numbers say hello
our data suggests nothing because we have none
I picked the blue one because I like it
We decided to order pizza because nobody wants to cook
you went with tabs because of what exactly
let's go with whatever you think is best because you know the code
I agreed to this only because you promised tests
We haven't chosen yet because the offers are not in
I'm going with your suggestion because it's late
Let's stay with the plan, since you already started
Each time I merge something you are faster than me
you forget the tests every time
It happens every time, see the log
whenever it suits you, send me the summary of the week
add a hook that runs every time the branch is pushed
The docs say the hook runs every time, is that so
I tend to write long messages, sorry
When I click save it always jumps to the top, fix please
There are two of us working on it, so don't worry
there are several ways to do it, pick one
there are three files, take the biggest
My understanding of this is basically zero
it behaves like a toddler today
The difference is in the attached file
Think of the users as your friends and rewrite the text
how the importer works is explained in the readme
By design I mean the colours and fonts of the page
What the function does is not what the name says, rename it
I added the tests. ||| no, that was me yesterday
I will use the staging key. ||| no, not the staging key, the other one
The page is blue now. ||| that's not the blue I had in mind, make it darker
Should I delete the branch or keep it? ||| Keep it, not delete it
The tests pass. Shall I commit the changes? ||| no, the changes need a review by Anna first
I wrote the summary in English. ||| no, I want the summary in German
The file has 200 lines. ||| no way, the file has only 200 lines?!
I think the parser is slow. ||| no, I think so too, the parser is slow
Wir müssen klären, wie die Funktion heißen soll, mach mir drei Vorschläge
Ich weiß nicht, ob ich das richtig sehe, aber hier fehlt eine Klammer
Ich bin mir nicht sicher, ob das der richtige Zweig ist, schau bitte nach
Laut Anleitung dauert das 5 Minuten, bei mir hängt es
Wir haben gestern 3 Stunden telefoniert, sorry
Wir haben beschlossen, Pizza zu bestellen, weil keiner kochen will
Es gibt mehrere Wege, nimm den kürzesten
Das ist nur ein Entwurf, bitte nicht so genau nehmen
Jedes Mal vergisst du die Tests
immer wenn ich speichere, springt die Seite nach oben, bitte beheben
Il faut trouver un nom pour cette fonction, propose-m'en trois
On a passé 3 heures au téléphone hier, désolé
On a décidé de commander des pizzas parce que personne ne veut cuisiner
Il y a plusieurs façons de faire, prends la plus simple
À chaque fois tu oublies les tests
C'est juste un brouillon, ne le prends pas au sérieux
Hay que decidir un nombre para la función, dame tres ideas
Ayer pasamos 3 horas al teléfono, perdón por el retraso
Decidimos pedir pizza porque nadie quiere cocinar
Hay varias formas de hacerlo, elige la más corta
Siempre te olvidas de las pruebas
Es solo un borrador, no lo tomes en serio
需要确定一下函数叫什么名字，给我三个选项
昨天打了3个小时电话，不好意思
我们决定点披萨，因为没人想做饭
有几种办法，选最简单的
你每次都忘记写测试
関数の名前を決める必要があります。案を三つ出してください。
昨日は3時間も電話でした、すみません
誰も料理したくないのでピザを頼むことに決めました
やり方はいくつかあるので、一番簡単なのにして
毎回テストを忘れますね
Is it clear to you whether the tests cover this
I doubt that you read the file, it has no such function
Don't worry whether the style is consistent, we need to figure out the logic later
It is an open question on the list in the ticket, go through the list and close what is done
who knows whether it will rain on release day haha
The way I read your answer there are two options, let's take the second
first things first, then we can talk about the normal flow
Could we first ship the fix, then clean up as usual
We go live at noon, first coffee though, then the usual panic
In the third act the process is: the hero first leaves home, then meets the mentor
Translate this: we decided to stay because of the view
Correct the grammar: every time it rain the street are wet
I got 12 errors when I ran it, what now
the run took 40 minutes, why
took 3 tries but it compiles
the logs show nothing
Metrics show up under the tab on the left
Results: see the table in the attached file with 40 rows
We agreed that you stop touching the config because it breaks my setup
The choice is yours because you will maintain it
we chose violence because it was Monday
it never fails to surprise me how slow this is
Whenever I'm ready I'll ping you
The alarm should go off each time the level drops below 10
every time, really, every single time
Usually I would say yes but not before the release
it works like you said, thanks
It's basically done, only the docs are missing now
think of me as your boss
there are two kinds of people, those who test and those who pray
There are four of them in the folder, rename them
Wie besprochen gibt es zwei Varianten, ich nehme die zweite
Die Tests zeigen 3 Fehler, bitte beheben
Wir haben 3 Fehler gefunden, mach dich ran
So läuft das nicht, erst fragen, dann löschen
Les logs montrent 3 erreurs, corrige-les
On a trouvé 3 bugs hier, à toi de jouer
Voici comment je le vois : tu fais le code et moi les tests
Los logs muestran 3 errores, arréglalos
Siempre que puedas, ejecuta las pruebas antes de subir
日志显示有3个错误，修一下
这个流程不对，先问我再删
ログにエラーが3件出ています、直してください
I rewrote the loop. ||| no, it's slower now
I set the timeout to 30. ||| no, 60 please, 30 is too short
The server is down. ||| no, I just restarted it
I think we're done. ||| no, the docs are missing
Sag mal, ist noch offen, ob wir das Feld brauchen
Mir ist nicht klar, was du an der Stelle machst
Keine Ahnung, warum das rot ist, kümmere dich drum
Wir nehmen deinen Vorschlag, weil er kürzer ist
Ich habe mich für Variante 2 entschieden, weil sie schöner ist
Wir haben noch 3 Stunden bis zur Demo, beeil dich
Gestern waren 12 Leute im Meeting
Immer wieder schön, dir beim Arbeiten zuzusehen
Sobald die Tests grün sind, kannst du mergen
Es gibt drei Dinge zu tun: Tests, Doku, Release
Stell dir das als Aufzählung vor und schreib es so hin
Das ist nur eine Idee, entscheide selbst
So geht das: erst denken, dann tippen
Nein, ich meinte die andere Tabelle
Je ne suis pas sûre que tu aies lu le fichier
Je ne sais pas si c'est clair pour toi
On prend ta proposition parce qu'elle est plus courte
On a eu 12 personnes à la réunion d'hier
Il nous reste 3 heures avant la démo
Dès que les tests passent, tu peux fusionner
Il y a trois choses à faire : tests, doc, livraison
Imagine la page comme un magazine et refais la mise en page
C'est toujours un plaisir de travailler avec toi
No sé si me explico, quiero la tabla ordenada
Hay que decidir si lo dejamos así, ¿tú qué opinas
Nos quedamos con tu propuesta porque es más corta
Ayer éramos 12 en la reunión
Nos quedan 3 horas para la demo
En cuanto pasen las pruebas, haz el merge
Hay tres cosas que hacer: pruebas, documentación y entrega
Siempre es un placer trabajar contigo
En realidad me gusta más el azul
我不知道你在说什么
还没想好叫什么名字，你帮我起一个
就用你的方案吧，因为更短
离演示还有3个小时，快点
昨天开会来了12个人
每次跟你合作都很愉快
测试一通过就可以合并
要做的事有三件：测试、文档、发布
其实我更喜欢蓝色
何を言っているのか分かりません
名前をまだ決めていないので考えてください
あなたの案でいきましょう、短いので
デモまであと3時間です
昨日の会議は12人でした
いつも楽しく使っています
テストが通ったらマージしていいです
やることは三つあります：テスト、文書、リリース
実は青の方が好きです
Quick status: 3 of 5 tasks done, rest tomorrow
I'm at 80% of my quota, so keep it short
We spoke to 3 candidates today
my hunch is you forgot to save
can't tell if you are joking
There is some doubt about your last commit, check it again
we prefer tabs, thanks
I'd rather have a list instead of a table
We're going with dark mode in the mockup because it looks cool
The final decision is yours
from now on, all answers in German please
from now on we speak French
As soon as I have the key I will send it
Almost every line of this needs work
The variable is just a string, no need for a class
The class is responsible for too much, split it
The function is basically a copy of the other one, merge them
conceptually fine, but rename the variables
Look, the function never touches the disk directly, so mock it differently
This is how the button should look
"""
