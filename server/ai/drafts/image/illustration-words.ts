/**
 * What popups are often about, by drawing: English words, then those of German, French, Spanish, Italian, Portuguese,
 * Dutch, Polish, Swedish, Danish, Russian, Japanese, Korean, Chinese. Words are found in their inflected forms too.
 */
const curated = `
bouquet: flower, florist, floral, blossom | blume, blüte, florist | fleur, fleuriste | flor, flores, floristería | fiore, fiori, fioraio | flor, flores, florista | bloem, bloemist | kwiat, kwiaciarnia | blomma, blommor | blomst, blomster | цветок, цветы, цветов | 花 | 꽃 | 鲜花, 花店, 花束
tulip: tulip | tulpe, tulpen | tulipe | tulipán, tulipanes | tulipano, tulipani | tulipa | tulp, tulpen | tulipan, tulipany | tulpan, tulpaner | tulipan | тюльпан | チューリップ | 튤립 | 郁金香
dog-face: dog, puppy, puppies, dogs | hund, welpe | chien, chiot | perro, cachorro | cane, cani, cagnolino | cachorro, cão | hond, honden, puppy | pies, psa, psy | hund | hund | собака, пёс, щенок | 犬 | 강아지, 반려견 | 狗
cat-face: cat, kitten, cats | katze, kater | chat, chaton | gato | gatto, gatti | gato | kat, katten, poes | kot, koty | katt | kat | кошка, кот, котёнок | 猫 | 고양이 | 猫
paw-prints: pet, animal, vet, veterinary | haustier, tierarzt | animaux, vétérinaire | mascota, veterinario | animali, veterinario | veterinário | huisdier, dierenarts | zwierzę, weterynarz | husdjur | kæledyr | питомец, ветеринар | ペット | 반려동물 | 宠物
running-shoe: shoe, sneaker, trainers, running shoe, footwear | schuh, schuhe, sneaker, turnschuh | chaussure, basket | zapato, zapatilla | scarpa, scarpe | sapato, tênis | schoen, schoenen | but, buty, butów | sko, skor | sko | обувь, ботинки, кроссовки | 靴 | 신발 | 鞋
high-heeled-shoe: high heels, heels
coat: coat, jacket, parka | jacke, mantel | veste, manteau | chaqueta, abrigo | giacca, cappotto | jaqueta, casaco | jas, jassen | kurtka, płaszcz | jacka, kappa | jakke, frakke | куртка, пальто | コート, ジャケット | 코트, 재킷 | 外套
t-shirt: shirt, tee, t-shirt, clothing, clothes, apparel, fashion, merch, merchandise | kleidung, mode | vêtement, mode | ropa, camiseta, moda | vestiti, abbigliamento, moda, maglietta | roupa, moda, camiseta | kleding, mode | ubranie, odzież, moda | kläder | tøj | одежда, мода, футболка | 服 | 옷 | 衣服
dress: gown, dresses | kleid | robe | vestido | abito | vestido | jurk | sukienka | klänning | kjole | платье | ワンピース | 드레스 | 连衣裙
hot-beverage: coffee, espresso, cappuccino, latte, cafe, café, coffeehouse, barista, coffee shop, roastery | kaffee, café | café | café, cafetería | caffè | café | koffie | kawa, kawiarnia, kawę, kawy | kaffe, kafé | kaffe, café | кофе, кофейня | コーヒー | 커피, 카페 | 咖啡
teacup-without-handle: tea, matcha, teacup | tee | thé | té | tè | chá | thee | herbata | te | te | чай | お茶 | 녹차, 홍차 | 茶
birthday-cake: cake, birthday, anniversary | torte, kuchen, geburtstag | gâteau, anniversaire | pastel, tarta, cumpleaños | torta, compleanno | bolo, aniversário | taart, verjaardag | tort, ciasto, urodziny | tårta, födelsedag | kage, fødselsdag | торт, день рождения | ケーキ, 誕生日 | 케이크, 생일 | 蛋糕, 生日
bread: loaf, sourdough | brot | pain | pan | pane | pão | brood | chleb | bröd | brød | хлеб | パン | 빵 | 面包
croissant: bakery, pastry, pastries, baker, baking, patisserie | bäckerei, gebäck | boulangerie, pâtisserie | panadería, pastelería | panetteria, pasticceria | padaria, confeitaria | bakkerij | piekarnia, cukiernia | bageri | bageri | пекарня, выпечка | パン屋 | 빵집, 베이커리 | 面包店
pizza: pizzeria, pizza | pizza, pizzeria | pizza, pizzeria | pizza, pizzería | pizza, pizzeria | pizza, pizzaria | pizza | pizza, pizzeria | pizza | pizza | пицца | ピザ | 피자 | 披萨
french-fries: fries, chips | pommes | frites | patatas fritas | patatine | batatas fritas | friet, patat | frytki | pommes frites | pomfritter | картофель фри | フライドポテト | 감자튀김 | 薯条
hamburger: burger, fast food | burger | burger | hamburguesa | hamburger | hambúrguer | burger | burger | hamburgare | burger | бургер | ハンバーガー | 햄버거 | 汉堡
fork-and-knife-with-plate: restaurant, dinner, lunch, menu, dining, food, meal, bistro, brunch | restaurant, speisekarte, essen | restaurant, dîner, repas | restaurante, comida, cena | ristorante, cena, pranzo, cibo | restaurante, comida, jantar | restaurant, eten, diner | restauracja, obiad, jedzenie | restaurang, mat | restaurant, mad | ресторан, еда | レストラン | 레스토랑, 식당 | 餐厅
sushi: sushi | sushi | sushi | sushi | sushi | sushi | sushi | sushi | sushi | sushi | суши | 寿司 | 초밥 | 寿司
wine-glass: wine, winery, vineyard | wein, weingut | vin | vino | vino | vinho | wijn | wino | vin | vin | вино | ワイン | 와인 | 葡萄酒
clinking-beer-mugs: beer, brewery, pub, happy hour | bier, brauerei | bière, brasserie | cerveza, cervecería | birra, birrificio | cerveja | bier | piwo, browar | öl | øl | пиво | ビール | 맥주 | 啤酒
cocktail-glass: cocktail, bar, drinks | cocktail | cocktail | cóctel | cocktail | coquetel | cocktail | koktajl | cocktail | cocktail | коктейль | カクテル | 칵테일 | 鸡尾酒
soft-ice-cream: ice cream, gelato | eis, eiscreme | glace | helado | gelato | sorvete | ijs, ijsje | lody | glass | is | мороженое | アイスクリーム | 아이스크림 | 冰淇淋
cheese-wedge: cheese | käse | fromage | queso | formaggio | queijo | kaas | ser, sery | ost | ost | сыр | チーズ | 치즈 | 奶酪
chocolate-bar: chocolate, praline | schokolade | chocolat | chocolate | cioccolato | chocolate | chocolade | czekolada | choklad | chokolade | шоколад | チョコレート | 초콜릿 | 巧克力
honey-pot: honey | honig | miel | miel | miele | mel | honing | miód | honung | honning | мёд, мед | 蜂蜜 | 꿀 | 蜂蜜
leafy-green: vegetable, vegan, vegetarian, salad, organic food | gemüse, vegan | légume, végétarien | verdura, vegano | verdura, vegano | legume, vegano | groente | warzywa | grönsaker | grøntsager | овощи | 野菜 | 채소 | 蔬菜
red-apple: apple, fruit, nutrition | apfel, obst | pomme, fruit | manzana, fruta | mela, frutta | maçã, fruta | appel, fruit | jabłko, owoce | äpple, frukt | æble, frugt | яблоко, фрукты | りんご, 果物 | 사과, 과일 | 苹果, 水果
tomato: tomato, tomatoes | tomate | tomate | tomate | pomodoro | tomate | tomaat | pomidor | tomat | tomat | помидор | トマト | 토마토 | 番茄
books: books, bookshop, bookstore, library, reading, ebook, e-book, novel, literature, a book, the book, our book, my book, new book, this book, book club, book fair, book shop, book store | buch, bücher, buchhandlung | livre, librairie | libro, librería | libro, libri, libreria | livro, livraria | boek, boeken | książka, książki, księgarnia | bok, böcker | bog, bøger | книга, книги, книжный | 書店, 読書, 本屋 | 서점, 도서 | 书
wrapped-gift: gift, gift card, gift cards, giveaway, presents, gifts | geschenk, gutschein | cadeau | regalo | regalo | presente | cadeau | prezent | present | gave | подарок, подарки | プレゼント | 선물 | 礼物
shopping-bags: shopping, boutique, shop, store | einkaufen, boutique | boutique, magasin | tienda, compras | negozio, shopping | loja, compras | winkel | sklep, zakupy | butik | butik | магазин | 買い物, ショップ | 쇼핑 | 购物, 商店
handbag: bag, handbag, purse, leather bag | tasche, handtasche | sac | bolso | borsa | bolsa | tas, handtas | torebka, torba | väska | taske | сумка | バッグ | 가방 | 包
love-letter: newsletter, mailing list | newsletter | newsletter, infolettre | newsletter, boletín | newsletter | newsletter | nieuwsbrief | newsletter | nyhetsbrev | nyhedsbrev | рассылка | ニュースレター | 뉴스레터 | 邮件
laptop: computer, software, webinar, online course, website, saas, coding, programming, developer, tech | rechner, webinar | ordinateur, webinaire, logiciel | ordenador, portátil, webinario | computer, webinar | computador, webinar | computer, webinar | komputer, webinar | dator, webbinarium | computer, webinar | компьютер, ноутбук, вебинар | パソコン, ウェビナー | 컴퓨터, 노트북 | 电脑
mobile-phone: phone, smartphone, app, mobile app, iphone, android | handy, smartphone, app | téléphone, application | teléfono, móvil, aplicación | telefono, cellulare, app | celular, telefone, aplicativo | telefoon, app | telefon, aplikacja | mobil, telefon, app | telefon, app | телефон, приложение | スマホ, アプリ | 휴대폰, 앱 | 手机
studio-microphone: podcast, microphone, karaoke | podcast, mikrofon | podcast, micro | podcast, micrófono | podcast, microfono | podcast, microfone | podcast, microfoon | podcast, mikrofon | podd, mikrofon | podcast, mikrofon | подкаст, микрофон | ポッドキャスト, マイク | 팟캐스트 | 播客
musical-notes: music, song, album, concert, choir, playlist, band | musik, lied, konzert, album | musique, chanson, concert, album | música, canción, concierto, álbum | musica, canzone, concerto, album | música, canção, concerto, álbum | muziek, liedje, concert, album | muzyka, piosenka, koncert, album | musik, låt, konsert, album | musik, sang, koncert, album | музыка, песня, концерт, альбом | 音楽, コンサート | 음악, 노래, 콘서트 | 音乐, 歌
guitar: guitar, guitarist | gitarre | guitare | guitarra | chitarra | violão, guitarra | gitaar | gitara | gitarr | guitar | гитара | ギター | 기타 | 吉他
headphone: headphones, earphones, audio, audiobook | kopfhörer | casque | auriculares | cuffie | fones | koptelefoon | słuchawki | hörlurar | hovedtelefoner | наушники | ヘッドホン | 헤드폰 | 耳机
camera: camera, photo, photography, photographer, photos | kamera, foto, fotograf | appareil photo, photo, photographe | cámara, foto, fotógrafo, fotografía | fotocamera, foto, fotografo | câmera, foto, fotógrafo | camera, foto, fotograaf | aparat, zdjęcie, fotograf | kamera, foto, fotograf | kamera, foto, fotograf | камера, фото, фотограф | カメラ, 写真 | 카메라, 사진 | 相机, 照片
clapper-board: film, movie, cinema, video | film, kino | film, cinéma | película, cine | film, cinema | filme, cinema | film, bioscoop | film, kino | film, bio | film, biograf | фильм, кино | 映画 | 영화 | 电影
artist-palette: paint, painting, art, artist, gallery, watercolor, drawing, exhibition | kunst, malerei, malen, galerie | peinture, art, galerie | pintura, arte, galería | pittura, arte, galleria | pintura, arte, galeria | schilderen, kunst, galerie | malarstwo, sztuka, galeria | måleri, konst, galleri | maleri, kunst, galleri | живопись, искусство | 絵, アート, 美術 | 그림, 미술 | 绘画, 艺术
house-with-garden: house, home, real estate, property, apartment, realtor, rent | haus, wohnung, immobilie | maison, appartement, immobilier | casa, piso, inmobiliaria | casa, appartamento, immobiliare | casa, apartamento, imóvel | huis, woning, appartement | dom, mieszkanie | hus, lägenhet, bostad | hus, lejlighed, bolig | дом, квартира | マイホーム, 住宅, 不動産 | 주택, 아파트 | 房子, 公寓
couch-and-lamp: sofa, couch, furniture, interior, living room | sofa, möbel | canapé, meuble | sofá, muebles | divano, mobili | sofá, móveis | bank, meubels | kanapa, meble | soffa, möbler | sofa, møbler | диван, мебель | ソファ, 家具 | 소파, 가구 | 沙发, 家具
bed: bed, mattress, sleep, bedding | bett, matratze | lit, matelas | cama, colchón | letto, materasso | cama, colchão | bed, matras | łóżko, materac | säng, madrass | seng, madras | кровать, матрас | ベッド | 침대 | 床
light-bulb: idea, ideas, lamp, lighting, tips, inspiration | lampe, idee | lampe, idée | lámpara, idea | lampada, idea | lâmpada, ideia | lamp, idee | lampa, pomysł | lampa, idé | lampe, idé | лампа, идея | アイデア, 電球 | 아이디어, 전구 | 灯, 创意
candle: candle | kerze | bougie | vela | candela | vela | kaars | świeca, świece | ljus | stearinlys | свеча, свечи | キャンドル | 양초, 캔들 | 蜡烛
soap: soap | seife | savon | jabón | sapone | sabonete | zeep | mydło, mydła | tvål | sæbe | мыло | 石鹸 | 비누 | 肥皂
lipstick: cosmetics, makeup, make-up, beauty | kosmetik | maquillage, beauté | maquillaje, belleza | trucco, bellezza | maquiagem, beleza | make-up, schoonheid | makijaż, uroda | smink, skönhet | skønhed | косметика, макияж | 化粧品, コスメ | 화장품 | 化妆品
lotion-bottle: skincare, skin care, lotion, cream, shampoo | hautpflege, creme | crème | crema | crema | creme | crème, huidverzorging | krem, kosmetyki | hudvård | hudpleje | крем | スキンケア | 스킨케어 | 护肤
nail-polish: manicure, nails, nail salon
scissors: haircut, hairdresser, hair salon, scissors, tailor, hair | friseur, schere | coiffeur, ciseaux | peluquería, tijeras | parrucchiere, forbici | cabeleireiro, tesoura | kapper, schaar | fryzjer, nożyczki | frisör, sax | frisør, saks | парикмахерская, стрижка, ножницы | 美容院, はさみ | 미용실, 가위 | 理发, 剪刀
barber-pole: barber, barbershop | barbier | barbier | barbero, barbería | barbiere | barbearia | barbier | barber | barberare | barber | барбершоп | 理髪店 | 이발소 | 理发店
ring: ring, jewelry, jewellery, engagement, rings | schmuck, ring | bijou, bijoux, bague | joya, joyería, anillo | gioielli, anello | joia, anel | sieraden, ring | biżuteria, pierścionek | smycken, ring | smykker, ring | кольцо, украшения | 指輪, ジュエリー | 반지, 보석 | 戒指, 珠宝
watch: watches, wristwatch, clock | armbanduhr, uhr | montre | reloj | orologio | relógio | horloge | zegarek | klocka | ur | часы | 時計 | 시계 | 手表
gem-stone: diamond, crystal, gem, luxury | diamant, edelstein | diamant | diamante | diamante | diamante | diamant | diament | diamant | diamant | бриллиант | ダイヤモンド | 다이아몬드 | 钻石
sunglasses: sunglasses, shades | sonnenbrille | lunettes de soleil | gafas de sol | occhiali da sole | óculos de sol | zonnebril | okulary przeciwsłoneczne | solglasögon | solbriller | солнцезащитные очки | サングラス | 선글라스 | 太阳镜
glasses: optician, eyewear | brille, optiker | lunettes, opticien | gafas, óptica | occhiali, ottico | óculos | bril, opticien | okulary | glasögon | briller | очки | 眼鏡 | 안경 | 眼镜
automobile: car, cars, auto, car wash, car rental, garage | auto, autowäsche, werkstatt | voiture | coche | auto, macchina | carro | auto | samochód | bil | bil | машина, автомобиль | 車 | 자동차 | 汽车
bicycle: bike, bicycle, cycling, bikes | fahrrad, rad | vélo | bicicleta, bici | bicicletta, bici | bicicleta | fiets | rower | cykel | cykel | велосипед | 自転車 | 자전거 | 自行车
airplane: flight, travel, plane, trip, airline, flights | flug, reise, flugzeug | vol, voyage, avion | vuelo, viaje, avión | volo, viaggio, aereo | voo, viagem, avião | vlucht, reis, vliegtuig | lot, podróż, samolot | flyg, resa | fly, rejse | самолёт, путешествие | 飛行機, 旅行 | 비행기, 여행 | 飞机, 旅行
luggage: luggage, suitcase, vacation | koffer, urlaub | valise, vacances | maleta, vacaciones | valigia, vacanza | mala, férias | koffer, vakantie | walizka, wakacje | resväska, semester | kuffert, ferie | чемодан, отпуск | スーツケース | 캐리어, 휴가 | 行李箱, 假期
beach-with-umbrella: beach, seaside, summer, summer sale | strand, sommer, sommerschlussverkauf | plage, été | playa, verano | spiaggia, estate, estivi | praia, verão | strand, zomer | plaża, lato | strand, sommar | strand, sommer | пляж, лето | ビーチ, 夏 | 해변, 여름 | 海滩, 夏天
mountain: mountain, hiking, hike, alps | berg, wandern | montagne, randonnée | montaña, senderismo | montagna, escursione | montanha, trilha | berg, wandelen | góra, góry | berg, vandring | bjerg, vandring | гора, поход | 山 | 등산 | 山
water-wave: sea, ocean, waves, surf, surfing | meer, ozean, welle | mer, océan, vague | mar, océano, ola | mare, oceano, onda | mar, oceano, onda | zee, oceaan, golf | morze, ocean, fala | hav, våg | hav, bølge | море, океан | 海, 波 | 바다 | 大海
sun: sun, sunny, sunshine, solar | sonne | soleil | sol | sole | sol | zon | słońce | sol | sol | солнце | 太陽 | 태양, 햇살 | 太阳
snowflake: winter, snow, ski | winter, schnee | hiver, neige | invierno, nieve | inverno, neve | inverno, neve | winter, sneeuw | zima, śnieg | vinter, snö | vinter, sne | зима, снег | 冬, 雪 | 겨울 | 冬天, 雪
maple-leaf: autumn | herbst | automne | otoño | autunno | outono | herfst | jesień | höst | efterår | осень | 秋 | 가을 | 秋天
herb: plant, herb, garden, gardening, nature, organic, eco, sustainable | pflanze, garten, natur | plante, jardin, nature | planta, jardín, naturaleza | pianta, giardino, natura | planta, jardim, natureza | plant, tuin, natuur | roślina, ogród, natura | växt, trädgård, natur | plante, have, natur | растение, сад, природа | 植物, 庭 | 식물, 정원 | 植物, 花园
deciduous-tree: tree, forest, trees, park | baum, wald | arbre, forêt | árbol, bosque | albero, bosco | árvore, floresta | boom, bos | drzewo, las | träd, skog | træ, skov | дерево, лес | 樹木, 森 | 나무, 숲 | 树, 森林
christmas-tree: christmas, xmas, holiday | weihnachten | noël | navidad | natale | natal | kerst, kerstmis | święta, boże narodzenie | jul | jul | рождество, ёлка | クリスマス | 크리스마스 | 圣诞
jack-o-lantern: halloween, pumpkin | halloween, kürbis | halloween, citrouille | halloween, calabaza | halloween, zucca | halloween, abóbora | halloween, pompoen | halloween, dynia | halloween, pumpa | halloween, græskar | хэллоуин, тыква | ハロウィン | 할로윈 | 万圣节
person-in-lotus-position: yoga, meditation, mindfulness, wellness, pilates, yoga class, yoga studio | yoga, meditation, yogastudio | yoga, méditation | yoga, meditación | yoga, meditazione | ioga, yoga, meditação | yoga, meditatie | joga, medytacja | yoga, meditation | yoga, meditation | йога, медитация | ヨガ | 요가 | 瑜伽
person-lifting-weights: gym, fitness, workout, dumbbell, personal trainer | fitness, fitnessstudio | fitness, gym | gimnasio | palestra | academia, ginásio | sportschool | siłownia | gym | fitnesscenter | фитнес, тренажёрный | ジム, フィットネス | 헬스, 피트니스 | 健身
person-running: marathon, jogging, running club, runner | laufen, marathon | course à pied, marathon | correr, maratón | corsa, maratona | corrida, maratona | hardlopen, marathon | bieganie, maraton | löpning, maraton | løb, maraton | бег, марафон | マラソン | 마라톤 | 跑步, 马拉松
soccer-ball: football, soccer, ball | fußball | football | fútbol | calcio | futebol | voetbal | piłka nożna, piłka | fotboll | fodbold | футбол | サッカー | 축구 | 足球
tooth: dentist, dental, teeth | zahnarzt, zahn | dentiste, dent | dentista, diente | dentista, dente | dentista, dente | tandarts, tand | dentysta, ząb | tandläkare, tand | tandlæge, tand | стоматолог, зуб | 歯医者, 歯 | 치과, 치아 | 牙医
stethoscope: doctor, clinic, medical, health, nurse | arzt, klinik, gesundheit | médecin, clinique, santé | médico, clínica, salud | medico, clinica, salute | médico, clínica, saúde | arts, kliniek | lekarz, klinika | läkare, klinik | læge, klinik | врач, клиника, здоровье | 医者, 健康 | 의사, 건강 | 医生, 健康
graduation-cap: course, class, school, education, university, graduation, learn, learning, lesson, academy | kurs, schule, lernen | cours, école | curso, escuela, aprender | corso, scuola | curso, escola | cursus, school | kurs, szkoła | kurs, skola | kursus, skole | курс, школа, обучение | 講座, 学校 | 강의, 학교 | 课程, 学校
calendar: appointment, schedule, booking, date, event | termin, kalender, veranstaltung | rendez-vous, calendrier, événement | cita, calendario, evento | appuntamento, calendario, evento | agendamento, calendário, evento | afspraak, kalender, evenement | termin, kalendarz, wydarzenie | kalender, evenemang | kalender, begivenhed | календарь, событие | カレンダー, イベント | 달력, 이벤트 | 日历, 活动
ticket: ticket, tickets, admission | ticket, eintrittskarte | billet | entrada, boleto | biglietto | ingresso, bilhete | ticket, kaartje | bilet | biljett | billet | билет | チケット | 티켓 | 门票
party-popper: party, celebration, festival, celebrate, grand opening, anniversary party | party, feier, fest | fête | fiesta | festa | festa | feest | impreza | fest | fest | праздник, вечеринка | パーティー | 파티 | 派对
wedding: wedding, bridal, marriage | hochzeit | mariage | boda | matrimonio | casamento | bruiloft, trouwen | ślub, wesele | bröllop | bryllup | свадьба | 結婚式 | 결혼식 | 婚礼
baby: baby, newborn | baby | bébé | bebé | neonato, bambino | bebê | baby | dziecko, niemowlę | bebis | baby | малыш | 赤ちゃん | 아기 | 宝宝
teddy-bear: toy, toys, kids, children, kindergarten | spielzeug, kinder | jouet, enfants | juguete, niños | giocattolo, bambini | brinquedo, crianças | speelgoed, kinderen | zabawka, dzieci | leksak, barn | legetøj, børn | игрушка, дети | おもちゃ, 子供 | 장난감, 어린이 | 玩具, 儿童
video-game: game, gaming, videogame, video game, console | videospiel, spiel | jeu vidéo, jeu | videojuego, juego | videogioco, gioco | videogame, jogo | videogame, spel | gra, gry | spel | spil | игра, игры | ゲーム | 게임 | 游戏
rocket: rocket, launch, startup, product launch | rakete, launch | fusée, lancement | cohete, lanzamiento | razzo, lancio | foguete, lançamento | raket, lancering | rakieta, premiera | raket, lansering | raket, lancering | ракета, запуск | ロケット | 로켓, 출시 | 火箭
label: sale, discount, coupon, price, deal, black friday, clearance | rabatt, angebot, ausverkauf | soldes, réduction, remise, promotion | descuento, rebajas, oferta | sconto, saldi, offerta | desconto, promoção, liquidação | korting, aanbieding, uitverkoop | rabat, zniżka, zniżki, wyprzedaż, promocja | rabatt, rea | rabat, udsalg, tilbud | скидка, скидки, распродажа | セール, 割引 | 할인, 세일 | 折扣, 优惠
delivery-truck: delivery, shipping, free shipping, courier | lieferung, versand | livraison | envío, entrega | consegna, spedizione | entrega, frete | levering, bezorging, verzending | dostawa, wysyłka | leverans, frakt | levering, fragt | доставка | 配送, 配達 | 배송 | 送货, 快递
money-bag: money, finance, savings, invest, investment, tax, bank, insurance, pension | geld, finanzen, steuer, versicherung | argent, finance, impôt, assurance | dinero, finanzas, impuestos, seguro | denaro, finanza, tasse, assicurazione | dinheiro, finanças, imposto, seguro | geld, financiën, belasting, verzekering | pieniądze, finanse, podatki, ubezpieczenie | pengar, skatt, försäkring | penge, skat, forsikring | деньги, финансы, налоги | お金, 保険 | 돈, 보험 | 钱, 理财
handshake: partnership, consulting, consultation, networking, referral, business, refer, agreement | beratung, partnerschaft | conseil, partenariat | consultoría, asesoría | consulenza | consultoria, parceria | advies, partnerschap | doradztwo, współpraca | rådgivning, samarbete | rådgivning | консультация, партнёрство | 相談, ビジネス | 상담, 비즈니스 | 咨询, 商务
briefcase: job, jobs, career, hiring, vacancy | karriere, arbeit, stelle | emploi, carrière, travail | empleo, trabajo | lavoro, carriera | emprego, trabalho, vaga | baan, vacature, werk | praca, kariera | jobb, karriär | job, karriere | работа, вакансия | 求人, 仕事 | 채용, 직업 | 招聘, 工作
red-heart: heart, love, donation, donate, charity, valentine, volunteer | herz, liebe, spende | cœur, amour, don | corazón, amor, donación | cuore, amore, donazione | coração, amor, doação | hart, liefde, donatie | serce, miłość, darowizna | hjärta, kärlek, donation | hjerte, kærlighed, donation | сердце, любовь, пожертвование | ハート, 愛, 寄付 | 사랑, 하트, 기부 | 爱, 捐款
trophy: prize, award, winner, contest, competition, trophy | preis, pokal, wettbewerb | prix, concours | premio, concurso | premio, concorso | prêmio, concurso | prijs, wedstrijd | nagroda, konkurs | pris, tävling | præmie, konkurrence | приз, конкурс | 賞, コンテスト | 대회, 경품 | 奖, 比赛
star: star, review, reviews, loyalty, vip, rating | stern, bewertung | étoile, avis | estrella, reseña | stella, recensione | estrela, avaliação | ster, beoordeling | gwiazda, opinia | stjärna, omdöme | stjerne, anmeldelse | звезда, отзыв | 星, レビュー | 별, 리뷰 | 星星, 评价
speech-balloon: community, chat, contact, feedback, survey, discord, forum, question, support | gemeinschaft, umfrage, kontakt, frage | communauté, sondage, contact, question | comunidad, encuesta, contacto, pregunta | comunità, sondaggio, contatto, domanda | comunidade, pesquisa, contato, pergunta | gemeenschap, enquête, contact, vraag | społeczność, ankieta, kontakt, pytanie | gemenskap, enkät, kontakt, fråga | fællesskab, undersøgelse, kontakt, spørgsmål | сообщество, опрос, контакт, вопрос | コミュニティ, アンケート | 커뮤니티, 설문 | 社区, 问卷
hammer-and-wrench: repair, plumber, handyman, renovation, tools, workshop, diy | reparatur, handwerker, werkzeug | réparation, artisan, outil | reparación, herramienta | riparazione, attrezzi | reparo, ferramenta | reparatie, gereedschap | naprawa, narzędzia | reparation, verktyg | reparation, værktøj | ремонт, инструменты | 修理, 工具 | 수리, 공구 | 维修, 工具
broom: cleaning, cleaner, housekeeping | reinigung, putzen | nettoyage, ménage | limpieza | pulizia | limpeza | schoonmaak | sprzątanie | städning | rengøring | уборка | 掃除 | 청소 | 清洁
yarn: knitting, yarn, crochet, wool | stricken, wolle | tricot, laine | tejer, lana | maglia, lana | tricô, lã | breien, wol | włóczka | stickning, garn | strik, garn | вязание, пряжа | 編み物 | 뜨개질 | 编织
thread: sewing, quilting, quilt, fabric, thread | nähen, stoff | couture, tissu | costura, tela | cucito, stoffa | costura, tecido | naaien, stof | szycie | sömnad, tyg | syning, stof | шитьё | 裁縫 | 바느질 | 缝纫
cooking: cooking, recipe, recipes, kitchen, chef | kochen, rezept, kochkurs, küche | cuisine, recette | cocina, receta | cucina, ricetta | culinária, receita, cozinha | koken, recept, kookcursus | gotowanie, przepis | matlagning, recept | madlavning, opskrift | кулинария, рецепт | 料理, レシピ | 요리, 레시피 | 烹饪, 食谱
tropical-drink: smoothie, juice | saft | jus | zumo | succo | suco | sap | sok | juice | saft | сок | ジュース | 주스 | 果汁
`

const languages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'da',
  'ru',
  'ja',
  'ko',
  'zh',
] as const

/** The curated words of one language with their drawings. */
export function curatedWords(language: string): [word: string, icon: string][] {
  const column = languages.findIndex((known) => known === language)
  if (column < 0) return []
  return curated
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [icon = '', words = ''] = line.split(': ')
      const list = words.split(' | ')[column] ?? ''
      return list === '' ? [] : list.split(', ').map((word): [string, string] => [word, icon])
    })
}

/** Names of drawings that mean something else in most prompts. */
export const excludedNames: ReadonlySet<string> = new Set(
  `watch saw can seal fly fall orange key link file page fire bell mate sake seat scroll gear hook shower coral lime
  olive bomb train ship package locked unlocked knot clip stop short des pique micro muet clap sobre dado obras regla
  pico pick sale tasso porta scala pena karo kreuz pik`.split(/\s+/),
)
