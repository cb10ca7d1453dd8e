"""Sentences that carry a signal phrase and hold nothing to keep, and such that hold something in other words.

One a line; what stands before `|||` is what the agent had said, what stands before `::` the type.
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
we got a new coffee machine with 12 buttons and nobody knows how it is used
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
Primero lees la especificación, luego escribes siempre las pruebas y después el código
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
"""

MEANT = """
open_question :: Whether minors may sign the waiver themselves is anyone's guess at the moment.
open_question :: nobody could tell us so far if the meter survives a power cut
open_question :: The jury is still out on whether two shards are enough for the archive.
open_question :: We go back and forth on whether the archive should be public.
open_question :: It remains to be seen whether the new supplier delivers before winter.
open_question :: Ob die Zähler einen Stromausfall überstehen, kann bisher keiner sagen.
open_question :: On hésite encore entre un seul entrepôt et deux pour la zone nord.
open_question :: Seguimos sin saber si el proveedor nuevo llega antes del invierno.
open_question :: 新供应商能不能在冬天之前交货，目前谁也说不准
open_question :: 新しい業者が冬までに納品できるかは、今のところ誰にも分かりません。
decision :: We ended up choosing the smaller supplier because they answer the phone.
decision :: We're sticking to weekly invoices, since the accountants close the books on Fridays.
decision :: The board went for leasing over buying because cash is short until spring.
decision :: We scrapped the mobile app because hardly anyone opened it.
decision :: Wir haben die App eingestampft, weil sie kaum jemand geöffnet hat.
decision :: Am Ende fiel die Wahl auf Leasing, weil bis zum Frühjahr das Geld knapp ist.
decision :: On a laissé tomber l'appli mobile parce que presque personne ne l'ouvrait.
decision :: Al final nos quedamos con el proveedor pequeño porque contesta al teléfono.
decision :: 我们把手机应用砍掉了，因为几乎没人打开
decision :: ほとんど誰も開かないので、アプリは廃止することにしました。
finding :: Of the 48 boxes we opened, 11 had broken seals.
finding :: Since the new pump went in, the pressure drops only 4% overnight.
finding :: The second batch came back with 7 of 90 samples contaminated.
finding :: Switching the index off brought the write time from 80 ms down to 12 ms.
finding :: Von den 48 Kisten, die wir geöffnet haben, hatten 11 ein kaputtes Siegel.
finding :: Sur les 48 caisses ouvertes, 11 avaient un joint cassé.
finding :: De las 48 cajas que abrimos, 11 tenían el precinto roto.
finding :: 我们打开了48个箱子，其中11个封条破损
finding :: 48箱を開けたところ、11箱で封が破れていました。
pattern :: Without exception the gauge freezes once the tank falls below a quarter.
pattern :: The scanner gives up as soon as the label is even slightly wet.
pattern :: Come the first of the month, the invoice queue always backs up for hours.
pattern :: Kaum ist das Etikett feucht, steigt der Scanner jedes Mal aus.
pattern :: Dès que l'étiquette est humide, le scanner décroche systématiquement.
pattern :: En cuanto la etiqueta se moja, el lector siempre deja de funcionar.
pattern :: 标签一受潮，扫描枪就会罢工
pattern :: ラベルが湿ると、スキャナーは決まって止まります。
mental_model :: A parcel is made up of a label record and one or more scans.
mental_model :: Picture the ledger as a stack of receipts nobody may pull out of the middle.
mental_model :: Under the hood every tariff is just a list of dated prices.
mental_model :: Ein Paket besteht aus einem Etikett und beliebig vielen Scans.
mental_model :: Un colis se compose d'une étiquette et d'un ou plusieurs scans.
mental_model :: Un paquete consta de una etiqueta y de uno o varios escaneos.
mental_model :: 每个包裹由一个标签和若干次扫描记录组成
mental_model :: 荷物は一枚のラベルと複数のスキャン記録から成り立っています。
workflow :: To retire a meter we first read it out, then seal it, and only then take it off the map.
workflow :: A claim always goes through intake first, then the assessor looks at it, and finally it is paid.
workflow :: Um einen Zähler abzumelden, lesen wir ihn zuerst aus, dann wird er versiegelt, danach gelöscht.
workflow :: Pour retirer un compteur, on le relève d'abord, ensuite on le scelle, puis on l'efface du plan.
workflow :: Para retirar un contador, primero lo leemos, luego lo precintamos y al final lo borramos del mapa.
workflow :: 注销电表的流程：先抄表，然后贴封条，最后从地图上删除
workflow :: メーターを外すときは、まず検針し、次に封印し、最後に地図から消します。
correction :: The scan time is the delivery time. ||| Nope, the scan time is when the van is loaded.
correction :: Meters report hourly. ||| That's a misunderstanding: meters report every 15 minutes.
correction :: Ein Scan ist eine Zustellung. ||| Da irrst du dich, ein Scan ist nur die Beladung des Wagens.
correction :: Un scan est une livraison. ||| Tu te trompes : un scan est seulement le chargement du camion.
correction :: Un escaneo es una entrega. ||| Te equivocas: un escaneo es solo la carga del camión.
correction :: 一次扫描就是一次投递。 ||| 你理解错了，一次扫描只是装车
correction :: スキャンは配達を意味します。 ||| それは誤解です。スキャンは積み込みを意味します。
"""
