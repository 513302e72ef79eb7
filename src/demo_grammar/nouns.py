"""The nouns of the demo corpus, as tables: one line a lemma, commonest first.

Columns: English (``/plural`` when irregular) | German ``/plural`` and gender, ``*`` for the weak declension |
French (``/plural`` when irregular) and gender | what else: the pronoun of a person, further tags (``single``: not
used in the plural).  A mass noun has no plural.  The section's name is the noun's first tag; verbs and adjectives
select by tags.
"""

NOUNS = {
    "person": """
        man/men | Mann/Männer m | homme m | he
        woman/women | Frau/Frauen f | femme f | she
        child/children | Kind/Kinder n | enfant m | -
        boy | Junge/Jungen m* | garçon m | he
        girl | Mädchen/Mädchen n | fille f | -
        friend | Freund/Freunde m | ami m | he fellow
        teacher | Lehrer/Lehrer m | professeur m | he
        mother | Mutter/Mütter f | mère f | she kin single
        father | Vater/Väter m | père m | he kin single
        student | Student/Studenten m* | étudiant m | he
        brother | Bruder/Brüder m | frère m | he kin
        sister | Schwester/Schwestern f | sœur f | she kin
        doctor | Arzt/Ärzte m | médecin m | he
        neighbour | Nachbar/Nachbarn m* | voisin m | he fellow
        farmer | Bauer/Bauern m* | agriculteur m | he
        king | König/Könige m | roi m | he single
        queen | Königin/Königinnen f | reine f | she single
        daughter | Tochter/Töchter f | fille f | she kin
        son | Sohn/Söhne m | fils/fils m | he kin
        grandmother | Großmutter/Großmütter f | grand-mère/grands-mères f | she kin single
        grandfather | Großvater/Großväter m | grand-père/grands-pères m | he kin single
        nurse | Krankenschwester/Krankenschwestern f | infirmière f | she
        cook | Koch/Köche m | cuisinier m | he
        waiter | Kellner/Kellner m | serveur m | he
        aunt | Tante/Tanten f | tante f | she kin
        uncle | Onkel/Onkel m | oncle m | he kin
        policeman/policemen | Polizist/Polizisten m* | policier m | he
        artist | Künstler/Künstler m | artiste m | he
        journalist | Journalist/Journalisten m* | journaliste m | he
        engineer | Ingenieur/Ingenieure m | ingénieur m | he
        lawyer | Anwalt/Anwälte m | avocat m | he
        actress | Schauspielerin/Schauspielerinnen f | actrice f | she
        baker | Bäcker/Bäcker m | boulanger m | he
        guest | Gast/Gäste m | invité m | he
        colleague | Kollege/Kollegen m* | collègue m | he fellow
        soldier | Soldat/Soldaten m* | soldat m | he
        gardener | Gärtner/Gärtner m | jardinier m | he
        princess | Prinzessin/Prinzessinnen f | princesse f | she
        prince | Prinz/Prinzen m* | prince m | he
        writer | Schriftsteller/Schriftsteller m | écrivain m | he
        painter | Maler/Maler m | peintre m | he
        musician | Musiker/Musiker m | musicien m | he
        tourist | Tourist/Touristen m* | touriste m | he
        customer | Kunde/Kunden m* | client m | he
        driver | Fahrer/Fahrer m | chauffeur m | he
        judge | Richter/Richter m | juge m | he
        thief/thieves | Dieb/Diebe m | voleur m | he
        hunter | Jäger/Jäger m | chasseur m | he
        pilot | Pilot/Piloten m* | pilote m | he
        dancer | Tänzerin/Tänzerinnen f | danseuse f | she
        butcher | Metzger/Metzger m | boucher m | he
        postman/postmen | Briefträger/Briefträger m | facteur m | he
        fisherman/fishermen | Fischer/Fischer m | pêcheur m | he
        witch | Hexe/Hexen f | sorcière f | she
        sailor | Matrose/Matrosen m* | marin m | he
        hairdresser | Friseur/Friseure m | coiffeur m | he
    """,
    "animal": """
        dog | Hund/Hunde m | chien m | pet
        cat | Katze/Katzen f | chat m | pet
        horse | Pferd/Pferde n | cheval/chevaux m | pet
        bird | Vogel/Vögel m | oiseau m | pet
        cow | Kuh/Kühe f | vache f | pet
        mouse/mice | Maus/Mäuse f | souris f |
        rabbit | Kaninchen/Kaninchen n | lapin m | pet
        bear | Bär/Bären m* | ours m |
        wolf/wolves | Wolf/Wölfe m | loup m |
        pig | Schwein/Schweine n | cochon m | pet
        fox | Fuchs/Füchse m | renard m |
        lion | Löwe/Löwen m* | lion m |
        goat | Ziege/Ziegen f | chèvre f | pet
        duck | Ente/Enten f | canard m | pet
        monkey | Affe/Affen m* | singe m |
        elephant | Elefant/Elefanten m* | éléphant m |
        donkey | Esel/Esel m | âne m | pet
        hen | Henne/Hennen f | poule f | pet
        frog | Frosch/Frösche m | grenouille f |
        hedgehog | Igel/Igel m | hérisson m |
        squirrel | Eichhörnchen/Eichhörnchen n | écureuil m |
        owl | Eule/Eulen f | hibou/hiboux m |
    """,
    "food": """
        apple | Apfel/Äpfel m | pomme f | fruit
        cake | Kuchen/Kuchen m | gâteau m |
        egg | Ei/Eier n | œuf m |
        potato/potatoes | Kartoffel/Kartoffeln f | pomme_de_terre/pommes_de_terre f | fruit
        pear | Birne/Birnen f | poire f | fruit
        tomato/tomatoes | Tomate/Tomaten f | tomate f | fruit
        orange | Orange/Orangen f | orange f | fruit
        sausage | Wurst/Würste f | saucisse f |
        carrot | Karotte/Karotten f | carotte f | fruit
        biscuit | Keks/Kekse m | biscuit m |
        onion | Zwiebel/Zwiebeln f | oignon m | fruit
        strawberry | Erdbeere/Erdbeeren f | fraise f |
        pancake | Pfannkuchen/Pfannkuchen m | crêpe f |
    """,
    "dish": """
        bread | Brot n | pain m |
        cheese | Käse m | fromage m |
        meat | Fleisch n | viande f | prey
        fish | Fisch m | poisson m | prey
        soup | Suppe f | soupe f |
        rice | Reis m | riz m |
        chocolate | Schokolade f | chocolat m |
        butter | Butter f | beurre m |
        ham | Schinken m | jambon m | prey
        honey | Honig m | miel m |
    """,
    "drink": """
        water | Wasser n | eau f |
        coffee | Kaffee m | café m |
        milk | Milch f | lait m |
        tea | Tee m | thé m |
        wine | Wein m | vin m |
        beer | Bier n | bière f |
        juice | Saft m | jus m |
    """,
    "text": """
        book | Buch/Bücher n | livre m |
        letter | Brief/Briefe m | lettre f |
        newspaper | Zeitung/Zeitungen f | journal/journaux m |
        story | Geschichte/Geschichten f | histoire f |
        novel | Roman/Romane m | roman m |
        poem | Gedicht/Gedichte n | poème m |
        message | Nachricht/Nachrichten f | message m |
        report | Bericht/Berichte m | rapport m |
        article | Artikel/Artikel m | article m |
        magazine | Zeitschrift/Zeitschriften f | magazine m |
    """,
    "song": """
        song | Lied/Lieder n | chanson f |
    """,
    "thing": """
        key | Schlüssel/Schlüssel m | clé f | flat
        bag | Tasche/Taschen f | sac m | upright hollow
        picture | Bild/Bilder n | tableau m | image
        flower | Blume/Blumen f | fleur f |
        present | Geschenk/Geschenke n | cadeau m |
        cup | Tasse/Tassen f | tasse f | upright fragile hollow
        knife/knives | Messer/Messer n | couteau m | flat blade
        box | Kiste/Kisten f | boîte f | upright hollow
        photo | Foto/Fotos n | photo f | flat image
        glass | Glas/Gläser n | verre m | upright fragile hollow
        phone | Telefon/Telefone n | téléphone m | device
        bottle | Flasche/Flaschen f | bouteille f | upright fragile hollow
        computer | Computer/Computer m | ordinateur m | device
        suitcase | Koffer/Koffer m | valise f | upright hollow
        plate | Teller/Teller m | assiette f | upright fragile
        lamp | Lampe/Lampen f | lampe f | upright device
        watch | Uhr/Uhren f | montre f | flat
        ring | Ring/Ringe m | bague f | flat
        umbrella | Regenschirm/Regenschirme m | parapluie m |
        ball | Ball/Bälle m | ballon m |
        map | Karte/Karten f | carte f | flat
        mirror | Spiegel/Spiegel m | miroir m | fragile
        doll | Puppe/Puppen f | poupée f |
        basket | Korb/Körbe m | panier m | upright hollow
        blanket | Decke/Decken f | couverture f | flat
        candle | Kerze/Kerzen f | bougie f | upright
        spoon | Löffel/Löffel m | cuillère f | flat
        fork | Gabel/Gabeln f | fourchette f | flat
        tool | Werkzeug/Werkzeuge n | outil m | flat
        stamp | Briefmarke/Briefmarken f | timbre m |
        coin | Münze/Münzen f | pièce f |
    """,
    "furniture": """
        table | Tisch/Tische m | table f | surface
        chair | Stuhl/Stühle m | chaise f | surface
        bed | Bett/Betten n | lit m | surface
        cupboard | Schrank/Schränke m | armoire f | container openable
        sofa | Sofa/Sofas n | canapé m | surface
        shelf/shelves | Regal/Regale n | étagère f | surface
        drawer | Schublade/Schubladen f | tiroir m | container openable
    """,
    "opening": """
        door | Tür/Türen f | porte f | openable
        window | Fenster/Fenster n | fenêtre f | openable
        gate | Tor/Tore n | portail m | openable
    """,
    "clothing": """
        coat | Mantel/Mäntel m | manteau m |
        hat | Hut/Hüte m | chapeau m |
        dress | Kleid/Kleider n | robe f |
        shirt | Hemd/Hemden n | chemise f |
        shoe | Schuh/Schuhe m | chaussure f | pair
        jacket | Jacke/Jacken f | veste f |
        skirt | Rock/Röcke m | jupe f |
        scarf/scarves | Schal/Schals m | écharpe f |
        cap | Mütze/Mützen f | casquette f |
        glove | Handschuh/Handschuhe m | gant m | pair
        boot | Stiefel/Stiefel m | botte f | pair
        tie | Krawatte/Krawatten f | cravate f |
    """,
    "vehicle": """
        car | Auto/Autos n | voiture f | private
        train | Zug/Züge m | train m | public
        bicycle | Fahrrad/Fahrräder n | vélo m | private
        bus | Bus/Busse m | bus m | public
        boat | Boot/Boote n | bateau m | private
        plane | Flugzeug/Flugzeuge n | avion m | public
        lorry | Lastwagen/Lastwagen m | camion m | private
        motorbike | Motorrad/Motorräder n | moto f | private
        taxi | Taxi/Taxis n | taxi m | public
        ship | Schiff/Schiffe n | navire m | public
    """,
    "instrument": """
        piano | Klavier/Klaviere n | piano m |
        guitar | Gitarre/Gitarren f | guitare f |
        violin | Geige/Geigen f | violon m |
        flute | Flöte/Flöten f | flûte f |
        trumpet | Trompete/Trompeten f | trompette f |
    """,
    "game": """
        football | Fußball m | football m |
        tennis | Tennis n | tennis m |
        handball | Handball m | handball m |
    """,
}

# Places carry two more columns: where someone is, and where someone goes: English | German | French prepositions.
# German prepositions take the dative for a place and, `zu` excepted, the accusative for a direction.
PLACES = """
    house | Haus/Häuser n | maison f | in in dans | zu à | building
    garden | Garten/Gärten m | jardin m | in in dans | in dans | outdoors
    kitchen | Küche/Küchen f | cuisine f | in in dans | in dans | room
    city | Stadt/Städte f | ville f | in in dans | in dans | sight
    school | Schule/Schulen f | école f | at in à | zu à | building
    park | Park/Parks m | parc m | in in dans | in dans | outdoors
    station | Bahnhof/Bahnhöfe m | gare f | at an à | zu à | building
    village | Dorf/Dörfer n | village m | in in dans | in dans | sight
    street | Straße/Straßen f | rue f | in auf dans | auf dans | outdoors
    restaurant | Restaurant/Restaurants n | restaurant m | in in dans | in à | building
    market | Markt/Märkte m | marché m | at auf à | auf à | outdoors
    office | Büro/Büros n | bureau m | in in dans | in dans | room
    museum | Museum/Museen n | musée m | in in dans | in à | sight
    church | Kirche/Kirchen f | église f | in in dans | in à | sight
    forest | Wald/Wälder m | forêt f | in in dans | in dans | outdoors
    library | Bibliothek/Bibliotheken f | bibliothèque f | in in dans | in à | building
    beach | Strand/Strände m | plage f | on an sur | an à | outdoors
    theatre | Theater/Theater n | théâtre m | in in dans | in à | building
    hospital | Krankenhaus/Krankenhäuser n | hôpital/hôpitaux m | in in à | in à | building
    hotel | Hotel/Hotels n | hôtel m | in in dans | in à | building
    bedroom | Schlafzimmer/Schlafzimmer n | chambre f | in in dans | in dans | room
    cinema | Kino/Kinos n | cinéma m | at in à | in à | building
    castle | Schloss/Schlösser n | château m | in in dans | zu à | sight
    airport | Flughafen/Flughäfen m | aéroport m | at an à | zu à | building
    bathroom | Badezimmer/Badezimmer n | salle_de_bain/salles_de_bain f | in in dans | in dans | room
    university | Universität/Universitäten f | université f | at an à | zu à | building
    island | Insel/Inseln f | île f | on auf sur | auf sur | sight
    farm | Bauernhof/Bauernhöfe m | ferme f | on auf à | auf à | outdoors
    factory | Fabrik/Fabriken f | usine f | in in dans | in à | building
    lake | See/Seen m | lac m | at an à | an à | outdoors
    bakery | Bäckerei/Bäckereien f | boulangerie f | in in dans | in à | building
    mountain | Berg/Berge m | montagne f | on auf sur | auf sur | outdoors
    bridge | Brücke/Brücken f | pont m | on auf sur | auf sur | outdoors
    cellar | Keller/Keller m | cave f | in in dans | in dans | room
    balcony | Balkon/Balkone m | balcon m | on auf sur | auf sur | outdoors
    harbour | Hafen/Häfen m | port m | in in dans | zu à | outdoors
    pharmacy | Apotheke/Apotheken f | pharmacie f | in in dans | in à | building
"""
