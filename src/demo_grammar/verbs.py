"""The verbs of the demo corpus, as tables: one section a frame, one line a verb sense, commonest first.

Columns: English | German | French | tags of the subject > tags of the object | manners, and ``stative`` for a
verb that is used in the simple present only, ``generic`` for one whose bare object French makes definite
("aime le fromage").  Several senses may share an English form: the frame and the tags of the arguments tell
them apart, and so they tell which German and French verb it is.

English: a word behind the verb is a particle (``get up``) or a preposition (``wait for``).
German: ``auf|stehen`` is separable; ``D`` marks a dative object, ``auf+A`` a prepositional one and its case.
French: a last ``à``, ``de`` or ``avec`` introduces the object; of ``à!`` no clitic takes the place.
Conjugation is in the morphology modules.
"""

VERBS = {
    "intransitive": """
        sleep | schlafen | dormir | person animal > | badly
        work | arbeiten | travailler | person > | pace
        laugh | lachen | rire | person > | voice
        arrive | an|kommen | arriver | person public > |
        sing | singen | chanter | person > | voice
        cry | weinen | pleurer | person > | voice
        get up | auf|stehen | se lever | person > | pace
        dance | tanzen | danser | person > | well
        swim | schwimmen | nager | person animal > | pace
        fall asleep | ein|schlafen | s'endormir | person animal > |
        leave | weg|gehen | partir | person > | pace
        rest | sich aus|ruhen | se reposer | person animal > |
        smile | lächeln | sourire | person > | mood
        wake up | auf|wachen | se réveiller | person animal > |
        come back | zurück|kommen | revenir | person > |
        hurry | sich beeilen | se dépêcher | person > |
        cook | kochen | cuisiner | person > | well
        shout | schreien | crier | person > |
        disappear | verschwinden | disparaître | person animal > |
        cough | husten | tousser | person > | voice
    """,
    "motion": """
        go | gehen | aller | person > place | pace
        run | laufen | courir | person > place |
        come | kommen | venir | person > place |
        return | zurück|kehren | retourner | person > place |
    """,
    "journey": """
        go | fahren | aller | person > town |
        travel | reisen | voyager | person > town |
        return | zurück|kehren | retourner | person > town |
        move | um|ziehen | déménager | person > town |
    """,
    "dwelling": """
        live | wohnen | habiter | person > town place | stative
        stay | bleiben | rester | person animal > town place |
    """,
    "transitive": """
        see | sehen | voir | person animal > person animal sight vehicle |
        buy | kaufen | acheter | person > food dish drink thing clothing private text furniture flower |
        eat | essen | manger | person > food dish | pace
        eat | fressen | manger | animal > prey fruit | pace
        read | lesen | lire | person > text | care
        find | finden | trouver | person > thing clothing pet text |
        look for | suchen | chercher | person > thing clothing person pet | care
        know | kennen | connaître | person > person sight | well stative
        love | lieben | aimer | person > person | stative
        drink | trinken | boire | person animal > drink | pace
        open | öffnen | ouvrir | person > openable | handling
        close | zu|machen | fermer | person > openable | handling
        meet | treffen | rencontrer | person > person |
        visit | besuchen | rendre visite à | person > person |
        visit | besichtigen | visiter | person > sight |
        write | schreiben | écrire | person > text | care
        sell | verkaufen | vendre | person > food thing clothing private furniture |
        invite | ein|laden | inviter | person > person |
        call | an|rufen | appeler | person > person |
        look at | an|schauen | regarder | person > person animal image clothing | care
        wash | waschen | laver | person > private clothing | care
        carry | tragen | porter | person > thing furniture | handling
        wear | tragen | porter | person > clothing | mood
        lose | verlieren | perdre | person > thing clothing |
        forget | vergessen | oublier | person > thing clothing |
        take | nehmen | prendre | person > thing food |
        help | helfen D | aider | person > person |
        hear | hören | entendre | person animal > person animal | well
        turn on | ein|schalten | allumer | person > device |
        turn off | aus|schalten | éteindre | person > device |
        put on | an|ziehen | mettre | person > clothing | pace
        take off | aus|ziehen | enlever | person > clothing | pace
        repair | reparieren | réparer | person > private device furniture instrument | handling
        tidy up | auf|räumen | ranger | person > room | pace
        follow | folgen D | suivre | person animal > person animal |
        hunt | jagen | chasser | person > animal |
        need | brauchen | avoir besoin de | person > thing clothing private dish person | stative
        have | haben | avoir | person > pet thing private | stative
        like | mögen | aimer | person > person animal dish drink song | generic stative
        hate | hassen | détester | person > animal dish | generic stative
        order | bestellen | commander | person > food dish drink |
        prepare | zu|bereiten | préparer | person > dish food | care
        cut | schneiden | couper | person > dish fruit | handling
        choose | aus|wählen | choisir | person > thing clothing text | care
        bring along | mit|bringen | apporter | person > food drink thing |
        throw away | weg|werfen | jeter | person > thing text | secret
        steal | stehlen | voler | person > thing private food |
        hide | verstecken | cacher | person > thing text |
        feed | füttern | nourrir | person > pet | handling
        catch | fangen | attraper | animal person > animal | pace
        thank | danken D | remercier | person > person |
        answer | antworten D | répondre à | person > person | pace
        congratulate | gratulieren D | féliciter | person > person |
        build | bauen | construire | person > building private furniture | pace
        break | zerbrechen | casser | person > fragile |
        sing | singen | chanter | person > song | voice
        draw | zeichnen | dessiner | person > animal building | care
        admire | bewundern | admirer | person > person image sight | secret stative
        wake | wecken | réveiller | person > person |
        kiss | küssen | embrasser | person > person | secret
        accompany | begleiten | accompagner | person > person |
        understand | verstehen | comprendre | person > text person | well stative
        translate | übersetzen | traduire | person > text | care
        describe | beschreiben | décrire | person > person sight image |
        photograph | fotografieren | photographier | person > person animal sight |
        peel | schälen | éplucher | person > fruit | handling
        unpack | aus|packen | déballer | person > hollow present | handling
        stop | an|halten | arrêter | person > vehicle |
        punish | bestrafen | punir | person > person |
        protect | beschützen | protéger | person animal > person animal |
        fill | füllen | remplir | person > hollow | handling
        hang up | auf|hängen | accrocher | person > image clothing | handling
        wait for | warten auf+A | attendre | person > person public | patience
        talk about | sprechen über+A | parler de | person > person animal text sight | voice
        talk to | sprechen mit+D | parler avec | person > person | voice
        think of | denken an+A | penser à! | person > person animal |
        dream of | träumen von+D | rêver de | person > animal sight person |
        laugh at | lachen über+A | se moquer de | person > person animal |
        listen to | zu|hören D | écouter | person > person | patience
        look after | sich kümmern um+A | s'occuper de | person > person pet | care
        ask for | bitten um+A | demander | person > dish drink thing |
        remember | sich erinnern an+A | se souvenir de | person > person text sight | well stative
        complain about | sich beschweren über+A | se plaindre de | person > person dish | voice
        play with | spielen mit+D | jouer avec | person animal > person pet |
        point at | zeigen auf+A | montrer | person > person animal thing |
        dance with | tanzen mit+D | danser avec | person > person |
    """,
    "music": """
        play | spielen | jouer de | person > instrument |
    """,
    "sport": """
        play | spielen | jouer à | person > game |
    """,
    "ditransitive": """
        give | geben | donner | person > thing food text clothing |
        show | zeigen | montrer | person > thing text clothing |
        send | schicken | envoyer | person > text thing |
        bring | bringen | apporter | person > food dish drink thing |
        tell | erzählen | raconter | person > story |
        lend | leihen | prêter | person > thing private clothing |
        sell | verkaufen | vendre | person > private thing |
        read | vor|lesen | lire | person > text |
        explain | erklären | expliquer | person > text |
        give back | zurück|geben | rendre | person > thing text |
        recommend | empfehlen | recommander | person > text dish |
    """,
    "placing": """
        put | stellen | mettre | person > upright |
        put | legen | mettre | person > flat text |
    """,
    "content": """
        say | sagen | dire | person > |
        know | wissen | savoir | person > | stative
        think | glauben | penser | person > | stative
        hope | hoffen | espérer | person > | stative
        notice | merken | remarquer | person > |
        claim | behaupten | affirmer | person > |
        forget | vergessen | oublier | person > |
    """,
    "infinitive": """
        try | versuchen | essayer de | person > |
        hope | hoffen | espérer | person > | stative
        begin | beginnen | commencer à | person > |
        forget | vergessen | oublier de | person > |
        promise | versprechen | promettre de | person > |
        decide | beschließen | décider de | person > |
        refuse | sich weigern | refuser de | person > |
    """,
}

# English (present, past) | German | French
MODALS = """
    can could | können | pouvoir
    must | müssen | devoir
    want wanted to | wollen | vouloir
"""
