"""Sentences that hold something to keep, said in other words than those that first come to mind.

One a line: the type, `::`, and what is said; what stands before `|||` is what the agent had said.
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
finding :: After the switch to the new feed, egg weight went up by 6 grams on average.
finding :: Only 17 of the 240 parents filled in the form.
finding :: The A variant converted at 3.1%, B at 4.4%.
finding :: I timed ten cold starts: 4.2 s on average, worst one 9 s.
finding :: Last month the returns made up 12% of the orders, in March it was 7%.
finding :: Seit dem Umbau verbraucht die Halle 18 % weniger Strom.
finding :: Nur 17 von 240 Eltern haben das Formular ausgefüllt.
finding :: Depuis la mise à jour, le taux d'erreur est de 0,4 % au lieu de 2 %.
finding :: Con el nuevo filtro las falsas alarmas bajaron de 40 a 6 por noche.
finding :: 换了新饲料之后，平均蛋重增加了6克
finding :: 新しい餌に変えてから、卵の重さが平均6グラム増えました。
decision :: No push notifications in the first release, because the parents complained about too many messages.
decision :: Finance insisted on net prices everywhere, so all screens show net prices.
decision :: We're keeping the paper forms for another year because half the drivers have no phone.
decision :: I want to stay on Postgres 14 until summer, since the extension we need is not ported yet.
decision :: Wir lassen die Papierformulare noch ein Jahr, weil die Hälfte der Fahrer kein Handy hat.
decision :: On garde les formulaires papier encore un an, car la moitié des chauffeurs n'ont pas de téléphone.
decision :: Mantenemos los formularios en papel un año más porque la mitad de los conductores no tiene móvil.
decision :: 纸质表格再保留一年，因为一半司机没有手机
decision :: 運転手の半分は携帯がないので、紙の用紙はもう一年残すことにします。
pattern :: Orders double in the week before Easter, every year.
pattern :: The first request after a deploy is always slow, about ten seconds.
pattern :: Bei Ostwind misst der Sensor auf dem Dach immer zu viel.
pattern :: Quand le vent vient de l'est, le capteur du toit mesure toujours trop.
pattern :: Cuando sopla viento del este, el sensor del tejado siempre mide de más.
pattern :: 東風の日は屋上のセンサーがいつも高めの値になります。
open_question :: What we don't know is whether the older meters send the same format.
open_question :: Still open: who pays when a parcel gets lost between two depots.
open_question :: Was wir nicht wissen: ob die alten Zähler dasselbe Format senden.
open_question :: Ce qu'on ne sait pas, c'est si les anciens compteurs envoient le même format.
open_question :: Lo que no sabemos es si los contadores viejos envían el mismo formato.
open_question :: 旧电表是不是同样的格式，我们还没搞清楚
open_question :: 古いメーターが同じ形式で送るのかどうか、まだ確認できていません。
mental_model :: An order has exactly one customer but many shipments, and each shipment has its own invoice.
mental_model :: The scheduler doesn't run anything itself, it only writes rows that the workers pick up.
mental_model :: Ein Auftrag hat genau einen Kunden, aber viele Lieferungen, und jede Lieferung hat eine eigene Rechnung.
mental_model :: Une commande a un seul client mais plusieurs livraisons, et chaque livraison a sa propre facture.
mental_model :: Un pedido tiene un solo cliente pero varios envíos, y cada envío tiene su propia factura.
mental_model :: 一个订单只有一个客户，但可以有多个发货单，每个发货单有自己的发票
mental_model :: 注文は一人の顧客に属し、出荷は複数あり、それぞれに請求書が付きます。
workflow :: Before a tariff goes live, sales signs it off, then legal checks it, and then it is loaded at night.
workflow :: Bevor ein Tarif live geht, gibt ihn der Vertrieb frei, dann prüft ihn das Recht, danach wird er geladen.
workflow :: Avant la mise en ligne d'un tarif, les ventes le valident, puis le droit le vérifie, ensuite il est chargé.
workflow :: Antes de publicar una tarifa, ventas la aprueba, después la revisa legal y al final se carga de noche.
workflow :: 新しい運転手はまず携帯を受け取り、次に一週間同乗し、最後に一人で運転します。
correction :: The nightly job deletes old scans. ||| It doesn't delete them, it moves them to cold storage.
correction :: Depot codes are unique. ||| Depot codes aren't unique, they repeat per country.
correction :: Die Depotnummern sind eindeutig. ||| Die Depotnummern sind nicht eindeutig, sie wiederholen sich je Land.
correction :: Les codes de dépôt sont uniques. ||| Les codes de dépôt ne sont pas uniques, ils se répètent par pays.
correction :: Los códigos de depósito son únicos. ||| Los códigos de depósito no son únicos, se repiten por país.
correction :: 仓库编号是唯一的。 ||| 仓库编号不是唯一的，每个国家都会重复
correction :: 倉庫コードは一意です。 ||| 倉庫コードは一意ではなく、国ごとに重複します。
"""
