"""Adjectives, adverbs, prepositions and names of the demo corpus, as tables, commonest first."""

# English | German (/ stem before endings, when it differs) | French masculine / feminine, `<` before the noun |
# tags of the noun
ADJECTIVES = """
    old | alt | vieux/vieille < | person animal thing vehicle building sight furniture clothing
    big | groß | grand < | animal thing vehicle building furniture sight outdoors room opening food
    small | klein | petit < | person animal thing vehicle building furniture sight outdoors room opening food
    young | jung | jeune < | person animal
    new | neu | nouveau/nouvelle < | thing vehicle clothing building furniture text instrument
    fast | schnell | rapide | vehicle
    high | hoch/hoh | haut < | mountain bridge shelf gate
    beautiful | schön | beau/belle < | animal thing clothing sight outdoors vehicle text song
    good | gut | bon/bonne < | food dish drink text song
    red | rot | rouge | thing clothing vehicle opening furniture
    tired | müde | fatigué | person animal
    happy | glücklich | heureux/heureuse | person
    black | schwarz | noir | animal thing clothing vehicle
    slow | langsam | lent | vehicle
    secret | geheim | secret/secrète | text
    white | weiß | blanc/blanche | animal thing clothing vehicle opening furniture
    expensive | teuer/teur | cher/chère | thing clothing vehicle instrument furniture
    blue | blau | bleu | thing clothing vehicle opening furniture
    long | lang | long/longue < | text clothing song
    interesting | interessant | intéressant | text sight image
    green | grün | vert | thing clothing vehicle opening
    fresh | frisch | frais/fraîche | food dish drink
    famous | berühmt | célèbre | person sight text song
    heavy | schwer | lourd | thing furniture
    sad | traurig | triste | person text song
    strong | stark | fort | person bear horse lion donkey
    dirty | schmutzig | sale | thing clothing vehicle room opening
    rich | reich | riche | person
    dangerous | gefährlich | dangereux/dangereuse | animal outdoors vehicle
    quiet | ruhig | calme | person outdoors sight animal
    ill | krank | malade | person animal
    clean | sauber | propre | thing clothing vehicle room
    friendly | freundlich | aimable | person
    boring | langweilig | ennuyeux/ennuyeuse | text sight
    clever | klug | intelligent | person animal
    yellow | gelb | jaune | thing clothing vehicle
    cold | kalt | froid | drink dish room
    modern | modern | moderne | building furniture vehicle device sight
    curious | neugierig | curieux/curieuse | person animal
    hungry | hungrig | affamé | person animal
    funny | lustig | drôle | person text animal song
    broken | kaputt | cassé | device fragile furniture vehicle
    elegant | elegant | élégant | clothing person
    warm | warm | chaud | clothing drink dish
    poor | arm | pauvre | person
    lazy | faul | paresseux/paresseuse | person animal
    brave | mutig | courageux/courageuse | person
    grey | grau | gris | animal clothing vehicle
    dark | dunkel/dunkl | sombre | room outdoors building
    brown | braun | brun | animal clothing furniture
    polite | höflich | poli | person
    honest | ehrlich | honnête | person
    proud | stolz | fier/fière | person
    wild | wild | sauvage | animal
    sweet | süß | sucré | food drink
    ripe | reif | mûr | fruit
    empty | leer | vide | upright container room
    strange | seltsam | étrange | person text image
    shy | schüchtern | timide | person animal
    angry | wütend | furieux/furieuse | person
    round | rund | rond | surface opening mirror
    patient | geduldig | patient | person
    wonderful | wunderbar | merveilleux/merveilleuse | sight text song
    sour | sauer/saur | acide | fruit
    French | französisch | français | text dish vehicle song
    German | deutsch | allemand | text dish vehicle song
    Italian | italienisch | italien/italienne | text dish vehicle song
    English | englisch | anglais | text dish vehicle song
"""

# English tree | German | French | tenses
TIMES = """
    (NP (NN yesterday)) | gestern | hier | past
    (NP (NN today)) | heute | aujourd'hui | present past future
    (NP (NN tomorrow)) | morgen | demain | future
    (ADVP (RB now)) | jetzt | maintenant | present
    (NP (DT every) (NN day)) | jeden Tag | tous les jours | habit
    (PP (IN in) (NP (DT the) (NN evening))) | am Abend | le soir | habit
    (NP (DT this) (NN morning)) | heute Morgen | ce matin | past
    (ADVP (RB soon)) | bald | bientôt | future
    (PP (IN on) (NP (NNP Monday))) | am Montag | lundi | past future
    (NP (JJ last) (NN week)) | letzte Woche | la semaine dernière | past
    (PP (IN in) (NP (DT the) (NN morning))) | am Morgen | le matin | habit
    (PP (IN on) (NP (NNP Sunday))) | am Sonntag | dimanche | past future
    (NP (DT this) (NN evening)) | heute Abend | ce soir | future
    (PP (IN on) (NP (NNP Friday))) | am Freitag | vendredi | past future
    (NP (JJ last) (NN year)) | letztes Jahr | l'année dernière | past
    (PP (IN on) (NP (NNP Saturday))) | am Samstag | samedi | past future
    (NP (JJ next) (NN week)) | nächste Woche | la semaine prochaine | future
    (PP (IN in) (NP (NN summer))) | im Sommer | en été | habit past
    (PP (IN on) (NP (NNP Wednesday))) | am Mittwoch | mercredi | past future
    (PP (IN in) (NP (NN winter))) | im Winter | en hiver | habit past
    (PP (IN on) (NP (NNP Thursday))) | am Donnerstag | jeudi | past future
    (ADVP (NP (CD two) (NNS days)) (RB ago)) | vor zwei Tagen | il y a deux jours | past
    (NP (JJ next) (NN year)) | nächstes Jahr | l'année prochaine | future
    (PP (IN on) (NP (NNP Tuesday))) | am Dienstag | mardi | past future
    (PP (IN in) (NP (NNP May))) | im Mai | en mai | past
"""

# English | German | French | tenses
FREQUENCIES = """
    often | oft | souvent | habit past
    never | nie | jamais | habit past
    always | immer | toujours | habit
    sometimes | manchmal | parfois | habit past
    rarely | selten | rarement | habit
    usually | normalerweise | généralement | habit
"""

# English | German | French (`<` before a participle) | the manners that verbs select
MANNERS = """
    slowly | langsam | lentement | pace handling
    quickly | schnell | rapidement | pace
    well | gut | bien < | well
    carefully | vorsichtig | prudemment | handling
    quietly | leise | doucement | voice
    loudly | laut | bruyamment | voice
    attentively | aufmerksam | attentivement | care
    patiently | geduldig | patiemment | patience care
    badly | schlecht | mal < | badly
    proudly | stolz | fièrement | mood
    happily | fröhlich | joyeusement | mood
    secretly | heimlich | secrètement | secret
"""

# Spatial prepositions between things: English | German (two-way: dative for a place, accusative for a direction) |
# French | tags of the landmark
SPATIAL = """
    on | auf | sur | surface
    under | unter | sous | surface
    next_to | neben | à_côté_de | surface container opening
    in | in | dans | container
    behind | hinter | derrière | surface container opening
    in_front_of | vor | devant | container opening
"""

# First names, the same in the three languages
FEMALE_NAMES = "Anna Maria Julia Emma Clara Laura Nina Sarah Lena Eva"
MALE_NAMES = "Peter Paul Martin David Simon Daniel Oskar Karl Jakob Michael"

# English | German | French | French preposition for "in" and "to" | French "from"
TOWNS = """
    Paris | Paris | Paris | à | de
    Berlin | Berlin | Berlin | à | de
    France | Frankreich | France | en | de
    Vienna | Wien | Vienne | à | de
    London | London | Londres | à | de
    Germany | Deutschland | Allemagne | en | de
    Munich | München | Munich | à | de
    Italy | Italien | Italie | en | de
    Geneva | Genf | Genève | à | de
    Spain | Spanien | Espagne | en | de
    Cologne | Köln | Cologne | à | de
    Japan | Japan | Japon | au | du
    Rome | Rom | Rome | à | de
    Austria | Österreich | Autriche | en | de
    Brussels | Brüssel | Bruxelles | à | de
    Canada | Kanada | Canada | au | du
    Zurich | Zürich | Zurich | à | de
    Athens | Athen | Athènes | à | de
"""
